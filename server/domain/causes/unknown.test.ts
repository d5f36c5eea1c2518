import { expect, it } from "vitest";
import { NO_DIAGNOSIS, type Cause } from "./types";
import { diagnose } from "./diagnose";
import { causeCases } from "./testing/cases";
import { causeInput, errorGroup } from "./testing/input";
import { saying, waiting } from "./testing/texts";
import { unknown } from "./unknown";

const DEADLINE = "Failed to create pod sandbox: rpc error: code = DeadlineExceeded desc = context deadline exceeded";

causeCases(unknown, {
  fires: [
    { name: "where pods are stuck and what they say tells nothing", certainty: "suspected", detail: "text", says: ["1 pod"], input: causeInput({ errors: [errorGroup(DEADLINE)], ...waiting("web-1", 300) }) },
    { name: "where what they say points to something that was looked at and is in order", certainty: "suspected", detail: "text", says: ["1 pod"], input: causeInput({ errors: [saying("runtime-stuck-or-slow", "name is reserved")], ...waiting("web-1", 300) }) },
    { name: "where pods are stuck and say nothing, as behind a daemon that hangs", certainty: "suspected", detail: "silent", says: ["2 min", "240 s"], input: causeInput(waiting("web-1", 120)) },
  ],
  almost: [
    { name: "where pods wait no longer than usual", input: causeInput({ errors: [errorGroup(DEADLINE)], ...waiting("web-1", 60) }) },
    { name: "where the pods that wait are held by what they ask for", input: causeInput(waiting("db-0", 300, {}, { kind: "own-request", sinceMs: 0, because: "x" })) },
  ],
  missing: [{ name: "cannot tell where events may not be seen: they may say why", state: "unknown", says: "Events cannot be seen", input: causeInput({ ...waiting("web-1", 300), kind: (kind) => (kind === "events" ? { seen: false, reason: "forbidden" } : { seen: true }) }) }],
});

it("hides nothing: it is gone as soon as another cause concerns the node", () => {
  const other = (over: Partial<Cause>): Cause => ({ code: "daemon-slow", title: "", severity: "blocks", meaning: "", impact: "", checks: [], lookAlikes: [], mitigation: [], actions: [], explains: [], check: () => [{ state: "firing", certainty: "suspected", summary: "s", evidence: [] }], ...over });
  const roots = (...causes: readonly Cause[]) => diagnose(causeInput(waiting("web-1", 120)), NO_DIAGNOSIS, causes).causes.map(({ code }) => code);
  expect(roots(unknown, other({}))).toEqual(["daemon-slow"]);
  expect(roots(unknown, other({ severity: "notice" }))).toEqual(["unknown", "daemon-slow"]);
});
