import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeAuthority } from "../../pki";
import { barePod, podOn } from "./testing/objects";
import { line, PODS, ScriptedApiServer, type Fault, type World } from "./testing/scripted-api-server";
import { watch } from "./testing/watching";

/** What may happen between two moments: changes of the world, and faults that the next requests meet. */
type Happening =
  | { readonly put: number; readonly phase: string }
  | { readonly remove: number }
  | { readonly fault: Fault; readonly phase: "list" | "continue" | "watch" }
  | { readonly server: "end" | "reset" | "compact" | "bookmark" | "forbid" | "absent" | "restore" | "half" | "wait" };

const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.constantFrom<Fault>({ do: "reset" }, { do: "end" }, { do: "cut" }, { do: "status", code: 410, reason: "Expired" }, { do: "status", code: 500 }, { do: "status", code: 504, message: "Too large resource version: 9, current: 1" }, { do: "status", code: 401 }),
  fc.constantFrom<Fault>({ do: "status", code: 429, retryAfter: "2" }, { do: "text", body: "<html>", type: "text/html" }, { do: "then", bytes: '{"type":"ADDED","obj' }, { do: "then", bytes: "garbage\n", end: false }),
  fc.constantFrom<Fault>({ do: "then", bytes: line("ERROR", { code: 410, reason: "Gone" }), end: false }, { do: "then", bytes: line("ERROR", { code: 500, message: "no" }), end: false }, { do: "stall" }),
);
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ put: fc.nat(12), phase: fc.constantFrom("Pending", "Running") }) },
  { weight: 2, arbitrary: fc.record({ remove: fc.nat(12) }) },
  { weight: 3, arbitrary: fc.record({ fault, phase: fc.constantFrom("list", "continue", "watch") }) },
  { weight: 3, arbitrary: fc.record({ server: fc.constantFrom("end", "reset", "compact", "bookmark", "forbid", "absent", "restore", "half", "wait") }) },
);

/** Real milliseconds: enough for the watch to be anywhere in its work when the next thing happens. */
const MOMENT_MS = 3;
const RATE = 500;
const RELIST_MS = 100_000;
const STALL_MS = 60_000;
const NEVER_MS = 1e12;
const LIMITS = { pageSize: 3, answerTimeoutMs: 300, pageTimeoutMs: 600 };

describe("whatever an API server does", () => {
  it("the watch ends with the objects that the server holds, each in its last state", async () => {
    const now = Date.now();
    const authority = await makeAuthority("tests", { notBeforeMs: now - 3_600_000, notAfterMs: now + 3_600_000 });
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { minLength: 1, maxLength: 25 }), async (happenings) => {
        const server = await ScriptedApiServer.start({}, 0, authority);
        // A history that overtook us while we were away cannot be seen by any watch: the regular list mends that, and only that.
        const restored = happenings.some((one) => "server" in one && one.server === "restore");
        // The nets below the watch (cutting a silent stream, the regular list) hang only where a run needs them: a list
        // now and then would hide any fault of the watch itself.
        const silent = happenings.some((one) => "fault" in one && one.fault.do === "stall");
        const w = await watch(server, { rate: RATE, limits: { ...LIMITS, stallMs: silent ? STALL_MS : NEVER_MS, relistMs: restored ? RELIST_MS : NEVER_MS } });
        try {
          let past = server.world.snapshot();
          for (const one of happenings) {
            past = await happen(server, one, past);
          }
          server.forbidden.clear();
          server.absent.clear();
          // The world stands still from here on but for one change that only a living watch can see.
          server.world.put(PODS, podOn("last", "n1"));
          await w.mirror.until(() => server.faultsLeft === 0 || server.openStreams > 0);
          server.bookmark();
          if (restored) {
            await new Promise((resolve) => setTimeout(resolve, RELIST_MS / RATE));
            server.endStreams();
          }
          const held = () => server.world.objects(PODS).map((pod) => `${String(pod.metadata.uid)} ${(pod.status as { phase: string }).phase}`).sort();
          const told = () => w.mirror.keys("pods").map((key) => `${key} ${(w.mirror.object("pods", key) as { phase: string }).phase}`);
          await w.mirror.until(() => JSON.stringify(held()) === JSON.stringify(told()));
          expect(told()).toEqual(held());
          await w.mirror.until(() => w.mirror.status("pods")?.state === "watching" || server.faultsLeft > 0);
        } finally {
          await w.stop();
          await server.close();
        }
      }),
      { numRuns: 40 },
    );
  }, 120_000);
});

async function happen(server: ScriptedApiServer, one: Happening, past: ReturnType<World["snapshot"]>): Promise<ReturnType<World["snapshot"]>> {
  if ("put" in one) server.world.put(PODS, podOn(`p${one.put}`, "n1", { status: { phase: one.phase } }));
  else if ("remove" in one) server.world.remove(PODS, barePod(`p${one.remove}`));
  else if ("fault" in one) server.script({ phase: one.phase, fault: one.fault });
  else {
    switch (one.server) {
      case "end": server.endStreams(); break;
      case "reset": server.resetConnections(); break;
      case "compact": server.world.compact(); break;
      case "bookmark": server.bookmark(); break;
      case "forbid": server.forbidden.add(PODS); break;
      case "absent": server.absent.add(PODS); break;
      case "half": server.send(PODS, '{"type":"ADD'); server.endStreams(); break;
      case "restore": server.world.restore(past); server.endStreams(); break;
      case "wait": await new Promise((resolve) => setTimeout(resolve, 10 * MOMENT_MS)); break;
    }
  }
  await new Promise((resolve) => setTimeout(resolve, MOMENT_MS));
  return "server" in one && one.server === "compact" ? server.world.snapshot() : past;
}
