import { expect, it } from "vitest";
import type { SandboxReading } from "../agent-report";
import type { EventObject } from "../model";
import { agentReport, event } from "../testing/builders";
import { RESERVED_FOR_MS, sandboxNameReserved } from "./sandbox-name-reserved";
import { causeCases, checked } from "./testing/cases";
import { causeInput, type InputParts } from "./testing/input";
import { secondsAgo, waiting } from "./testing/texts";

/** As containerd 1.6 said it on the test cluster whose daemon hung. */
const ID = "624f1076c20682ff3c70e587753aaf247ab8295cb8c15b23115b427062755692";
const TEXT = `Failed to create pod sandbox: rpc error: code = Unknown desc = failed to reserve sandbox name "probe-1_fault_41e21e2e-d9cd-402b-81d9-aaa84ccb939d_0": name "probe-1_fault_41e21e2e-d9cd-402b-81d9-aaa84ccb939d_0" is reserved for "${ID}"`;
const CRIO = "Failed create pod sandbox: rpc error: code = Unknown desc = error reserving pod name k8s_app_ns1_45d93718_0 for id f0325581e954: name is reserved";
const said = (message: string, forSeconds: number, lastAgo = 10): EventObject => event("FailedCreatePodSandBox", secondsAgo(lastAgo), { message, firstMs: secondsAgo(lastAgo + forSeconds), count: 9 });
const stuck = (...events: readonly EventObject[]): InputParts => ({ ...waiting("probe-1", 400), eventsAbout: () => events });
const LONG = RESERVED_FOR_MS / 1_000;
const sandboxes = (...items: readonly Partial<SandboxReading>[]) => agentReport({ sandboxes: { looked: true, tookSeconds: 0.1, truncated: false, items: items.map((item) => ({ id: ID, namespace: "default", name: "probe-1", uid: "uid-probe-1", attempt: 0, ready: false, ...item })) } });

causeCases(sandboxNameReserved, {
  fires: [
    { name: "where the sandbox that has the name is listed and cannot be ended", certainty: "named", says: ["2 min 10 s", "cannot be ended"], input: causeInput({ ...stuck(said(TEXT, LONG)), report: sandboxes({}) }) },
    { name: "where the runtime does not list the sandbox that has the name", certainty: "named", says: ["does not list"], input: causeInput({ ...stuck(said(TEXT, LONG)), report: sandboxes({ id: "other" }) }) },
    { name: "without saying which, where the runtime does not (CRI-O)", certainty: "suspected", input: causeInput({ ...stuck(said(CRIO, LONG)), report: sandboxes() }) },
  ],
  almost: [
    { name: "in the first two minutes after a call that outlived its deadline", input: causeInput({ ...stuck(said(TEXT, LONG - 1)), report: sandboxes({}) }) },
    { name: "where the kubelet has gone on to end the old sandbox, as in a storm's second half", input: causeInput({ ...stuck(said(TEXT, LONG, 60), event("SandboxChanged", secondsAgo(5))), report: sandboxes({}) }) },
    { name: "where it was said long ago", input: causeInput({ ...stuck(said(TEXT, LONG, 301)), report: sandboxes({}) }) },
    { name: "where a pod speaks of a reserved port", input: causeInput({ ...stuck(said("port 80 is reserved", LONG)), report: sandboxes({}) }) },
  ],
  missing: [
    { name: "suspects by the text where no agent is", state: "suspected", says: "has been reserved", input: causeInput({ ...stuck(said(TEXT, LONG)), report: null }) },
    { name: "suspects where the runtime's list was cut", state: "suspected", says: "has been reserved", input: causeInput({ ...stuck(said(TEXT, LONG)), report: agentReport({ sandboxes: { looked: true, tookSeconds: 1, truncated: true, items: [] } }) }) },
    { name: "cannot tell where events may not be seen", state: "unknown", says: "Events cannot be seen", input: causeInput({ ...stuck(said(TEXT, LONG)), kind: (kind) => (kind === "events" ? { seen: false, reason: "forbidden" } : { seen: true }) }) },
  ],
});

it("reads an id of any length and nothing else, whatever the text holds", () => {
  const hostile = `name "n" is reserved for "${"z".repeat(100_000)}"`;
  expect(checked(sandboxNameReserved, causeInput({ ...stuck(said(hostile, LONG)), report: sandboxes({}) })).map(({ state }) => state)).toEqual(["clear"]);
});
