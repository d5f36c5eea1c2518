import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Status } from "../contract/schemas";
import { startTestWeb, testStatus, type TestWeb } from "./testing/web";
import { hearUnwritten } from "./unwritten";

const PATIENCE = { timeout: 20_000, interval: 20 };

let web: TestWeb;
let open: AbortController;
beforeEach(() => {
  web = startTestWeb();
  web.write({ status: testStatus(web.nowMs) });
  open = new AbortController();
});
afterEach(async () => {
  open.abort();
  hearUnwritten({ type: "unwritten" });
  await web.close();
});

function cannotWrite(reason: string): void {
  hearUnwritten({ type: "unwritten", status: { ...testStatus(web.nowMs + 1), store: { writable: false, reason, pendingBatches: 1, droppedSamples: 0 } } });
  web.hub.statusChanged();
}

/** Reasons of the statuses that come, as they come. */
function reasonsOf(answer: Response): readonly string[] {
  const reasons: string[] = [];
  const reader = (answer.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  const read = async (): Promise<void> => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) for (const [, data = ""] of next.value.matchAll(/^event: status\ndata: (.*)$/gm)) reasons.push((JSON.parse(data) as Status).store?.reason ?? "");
  };
  read().catch((error: unknown) => reasons.push(String(error)));
  return reasons;
}

test("a page that does not read is told the last word of the store once it reads again", async () => {
  const answer = web.hub.open(undefined, open.signal);
  for (let told = 1; told <= 20; told += 1) cannotWrite(`word ${told}`);
  const reasons = reasonsOf(answer);
  await vi.waitFor(() => expect(reasons.at(-1)).toBe("word 20"), PATIENCE);
  expect(reasons.length).toBeLessThan(20); // and not all that it missed
});

test("a page that opens while the store cannot be written is told so, though nothing is written that could tell", async () => {
  cannotWrite("the disk is full");
  const reasons = reasonsOf(web.hub.open(undefined, open.signal));
  await vi.waitFor(() => expect(reasons).toEqual(["the disk is full"]), PATIENCE);
});
