import { expect, it } from "vitest";
import type { EventObject } from "../model";
import { event } from "../testing/builders";
import { OVERDUE_MS, teardownFailed } from "./teardown-failed";
import { causeCases, checked } from "./testing/cases";
import { causeInput, errorGroup, signalNow, signalUnknown, type InputParts } from "./testing/input";
import { NOW_MS, running, secondsAgo, waiting } from "./testing/texts";

const TEXT = 'error killing pod: failed to "KillPodSandbox" for "098d82f5" with KillPodSandboxError: "rpc error: code = DeadlineExceeded desc = context deadline exceeded"';
const errors = (count: number): Pick<InputParts, "signals"> => ({ signals: [signalNow("cri.stop_sandbox.errors", count)] });
const deleted = (overdueMs: number, over: Parameters<typeof running>[1] = {}): Pick<InputParts, "pods"> => ({ pods: new Map([["d", running("ending", { deleting: true, deleteByMs: NOW_MS - overdueMs, ...over })]]) });
/** What is told of a stuck pod whose old sandbox cannot be ended, as in the test cluster's missing-binary fault. */
const events = (...reasons: readonly [string, number][]): Pick<InputParts, "eventsAbout"> => ({ eventsAbout: (): readonly EventObject[] => reasons.map(([reason, ago]) => event(reason, secondsAgo(ago))) });
const behind = { ...waiting("web-1", 120), ...events(["FailedCreatePodSandBox", 110], ["SandboxChanged", 5]) };

causeCases(teardownFailed, {
  fires: [
    { name: "where calls to end sandboxes fail and a deleted pod is overdue", certainty: "named", says: ["385 times", "1 deleted pod"], input: causeInput({ ...errors(385), ...deleted(OVERDUE_MS) }) },
    { name: "where stuck pods wait behind their old sandbox, and nothing but SandboxChanged is said", certainty: "named", says: ["30 times", "1 pod waits"], input: causeInput({ ...errors(30), ...behind }) },
    { name: "where ending pods say so as well", certainty: "named", input: causeInput({ ...errors(3), errors: [errorGroup(TEXT)] }) },
    { name: "where pods say so and the kubelet counts no error yet", certainty: "suspected", says: ["1 pod"], input: causeInput({ ...errors(0), errors: [errorGroup(TEXT)] }) },
  ],
  almost: [
    { name: "where a few calls fail and nobody is hurt", input: causeInput(errors(7)) },
    { name: "where a deleted pod is overdue and no sandbox fails to end: a finalizer or a volume holds it", input: causeInput({ ...errors(0), ...deleted(600_000) }) },
    { name: "where deleted pods are within their time", input: causeInput({ ...errors(40), ...deleted(OVERDUE_MS - 1) }) },
    { name: "where stuck pods are told why their sandbox cannot be made", input: causeInput({ ...errors(30), ...waiting("web-1", 120), ...events(["SandboxChanged", 60], ["FailedCreatePodSandBox", 5]) }) },
    { name: "for a pod on the host's network, which has no sandbox network to end", input: causeInput({ ...errors(40), ...deleted(600_000, { hostNetwork: true }) }) },
  ],
  missing: [
    { name: "suspects by texts where the kubelet is not read", state: "suspected", says: "Texts of 1 pod", input: causeInput({ errors: [errorGroup(TEXT)], source: (source) => (source === "kubelet" || source === "prometheus" ? { source, freshness: "absent", reason: "403: get nodes/metrics is missing" } : { source, freshness: "fresh" }) }) },
    { name: "cannot tell of an overdue pod where the kubelet is not read", state: "unknown", says: "The kubelet is not read: 403", input: causeInput({ ...deleted(600_000), source: (source) => (source === "kubelet" || source === "prometheus" ? { source, freshness: "absent", reason: "403: get nodes/metrics is missing" } : { source, freshness: "fresh" }) }) },
    { name: "cannot tell before the kubelet was read twice", state: "unknown", says: "second reading", input: causeInput({ signals: [signalUnknown("cri.stop_sandbox.errors", "a second reading is needed first")] }) },
  ],
});

it("blocks where pods wait behind it, and is a risk where pods only end late", () => {
  const severity = (input: Parameters<typeof causeInput>[0]) => checked(teardownFailed, causeInput(input))[0]?.severity ?? teardownFailed.severity;
  expect(severity({ ...errors(30), ...behind })).toBe("blocks");
  expect(severity({ ...errors(30), ...deleted(OVERDUE_MS) })).toBe("risks");
});
