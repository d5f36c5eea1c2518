import { expect, test } from "vitest";
import { partRunner } from "./parts";

const instead = (reason: string) => ({ reason });
const never = () => new Promise<number>(() => undefined);

test("a part that fails or hangs is told with its reason", async () => {
  const part = partRunner(20, new AbortController().signal);
  expect(await part("a", () => Promise.resolve(1), instead)).toBe(1);
  expect(await part("a", () => Promise.reject(Object.assign(new Error("x"), { code: "EACCES" })), instead)).toEqual({ reason: "EACCES" });
  expect(await part("a", never, instead)).toEqual({ reason: "no answer in 0.02 s" });
});

test("a look that hangs is not begun again beside itself, and others go on; once it has ended it is", async () => {
  const part = partRunner(20, new AbortController().signal);
  let begun = 0;
  let end: ((value: number) => void) | undefined;
  const slow = () => new Promise<number>((resolve) => {
    begun += 1;
    end = resolve;
  });
  await part("slow", slow, instead);
  expect(await part("slow", slow, instead)).toEqual({ reason: "the look that was begun 0 s ago has not ended" });
  expect(await part("other", () => Promise.resolve(2), instead)).toBe(2);
  expect(begun).toBe(1);
  end?.(1);
  await new Promise((resolve) => setImmediate(resolve));
  expect(await part("slow", () => Promise.resolve(3), instead)).toBe(3);
});

test("being told to end waits for no part", async () => {
  const ending = new AbortController();
  const looking = partRunner(60_000, ending.signal)("a", never, instead);
  ending.abort();
  expect(await looking).toEqual({ reason: "the agent was told to end" });
});
