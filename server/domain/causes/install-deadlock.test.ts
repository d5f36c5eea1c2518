import { describe, expect, it } from "vitest";
import type { PluginProcess } from "../agent-readings";
import { NO_HELD_PODS } from "../judge-input";
import type { ContainerTermination } from "../model";
import { agentReport } from "../testing/builders";
import { installDeadlock } from "./install-deadlock";
import { causeCases, checked } from "./testing/cases";
import { detail, down, ended, multus } from "./testing/daemons";
import { causeInput } from "./testing/input";
import { saying, secondsAgo } from "./testing/texts";

/** Recorded: busybox's words, and those of GNU cp. */
const BUSYBOX = "cp: can't create '/host/opt/cni/bin/multus-shim': Text file busy\n";
const GNU = "cp: cannot create regular file '/host/opt/cni/bin/multus-shim': Text file busy";
const installer = (over: Partial<ContainerTermination> = {}): ContainerTermination => ended({ container: "install-multus-binary", init: true, exitCode: 1, finishedMs: secondsAgo(22), message: BUSYBOX, ...over });
/** As the capture has it: the main container was killed, then the init container failed twice. */
const deadlock = (...ends: readonly ContainerTermination[]) => down(34, { restarts: 2, terminations: [...ends, ended({ exitCode: 137, finishedMs: secondsAgo(35) })] });
const held = { held: { ...NO_HELD_PODS, waiting: 24, stuck: 0, oldestWaitMs: secondsAgo(48) } };
const shim = (pid: number, over: Partial<PluginProcess> = {}): PluginProcess => ({ pid, program: "multus-shim", path: "/opt/cni/bin/multus-shim", startedMs: secondsAgo(20), state: "S", command: "ADD", namespace: "default", pod: `load-${pid}`, replaced: false, ...over });
const processes = (...items: readonly PluginProcess[]) => agentReport({ processes: { looked: true, items, truncated: false } });
const text = saying("install-deadlock", GNU);

causeCases(installDeadlock, {
  fires: [
    { name: "by the API alone, as recorded", certainty: "named", says: ["install-multus-binary", "multus-shim", "exit code 1", "2 restarts"], input: causeInput({ ...multus(deadlock(installer({ finishedMs: secondsAgo(34) }), installer())), ...held, report: null }) },
    { name: "with the processes that hold the file", certainty: "named", says: ["2 processes"], input: causeInput({ ...multus(deadlock(installer({ message: GNU }))), ...held, report: processes(shim(11), shim(12), shim(13, { replaced: true }), shim(14, { program: "bridge" })) }) },
    { name: "in the words of other installers", certainty: "named", says: ["portmap"], input: causeInput({ ...multus(deadlock(installer({ message: 'level=error msg="Failed to install /host/opt/cni/bin/portmap" error="open /host/opt/cni/bin/portmap: text file busy"' }))), ...held }) },
  ],
  almost: [
    { name: "once the installer has succeeded", input: causeInput({ ...multus(down(5, { terminations: [installer(), { container: "install-multus-binary", init: true, exitCode: 0, finishedMs: secondsAgo(2) }] })), ...held }) },
    { name: "where the daemon runs, whatever its installer once said", input: causeInput({ ...multus(detail({ terminations: [installer({ finishedMs: secondsAgo(3_700) })] })), ...held }) },
    { name: "where the installer fails for want of space", input: causeInput({ ...multus(deadlock(installer({ message: "cp: write error: No space left on device" }))), ...held }) },
    { name: "where it fails without a word and nobody runs the file", input: causeInput({ ...multus(deadlock({ container: "install-multus-binary", init: true, exitCode: 1, finishedMs: secondsAgo(22) })), ...held, report: processes() }) },
    { name: "where calls wait and no installer fails", input: causeInput({ ...multus(), ...held, report: processes(shim(1), shim(2)) }) },
    { name: "where no CNI daemon is on the node", input: causeInput() },
  ],
  missing: [
    { name: "only suspects where the installer leaves no message and calls hold the file", state: "suspected", says: "leaves no message", input: causeInput({ ...multus(deadlock({ container: "install-multus-binary", init: true, exitCode: 1, finishedMs: secondsAgo(22) })), ...held, report: processes(shim(1)) }) },
    { name: "cannot tell without message and agent", state: "unknown", says: "no agent on this node", input: causeInput({ ...multus(deadlock({ container: "install-multus-binary", init: true, exitCode: 1, finishedMs: secondsAgo(22) })), ...held, report: null }) },
    { name: "cannot tell where pods cannot be listed", state: "unknown", says: "Pods cannot be seen", input: causeInput({ kind: (kind) => (kind === "pods" ? { seen: false, reason: "forbidden" } : { seen: true }) }) },
    { name: "suspects by a text there", state: "suspected", says: "1 pod", input: causeInput({ errors: [text], kind: (kind) => (kind === "pods" ? { seen: false, reason: "forbidden" } : { seen: true }) }) },
  ],
});

describe("evidence of a deadlock", () => {
  it("quotes the installer on one line, and says why holders are not known", () => {
    const [finding] = checked(installDeadlock, causeInput({ ...multus(deadlock(installer())), ...held, report: null }));
    expect(finding?.evidence[0]).toMatchObject({ look: "seen", value: "exit code 1: cp: can't create '/host/opt/cni/bin/multus-shim': Text file busy", atMs: secondsAgo(22) });
    expect(finding?.evidence).toContainEqual(expect.objectContaining({ what: "Processes that run the file", look: "could-not-look" }));
  });

  it("says that nobody holds the file where that is so: a moment without a holder ends the circle", () => {
    const [finding] = checked(installDeadlock, causeInput({ ...multus(deadlock(installer())), ...held, report: processes() }));
    expect(finding?.evidence).toContainEqual(expect.objectContaining({ what: "Processes that run the file", look: "not-seen", value: 0 }));
  });

  it("takes hostile messages without harm", () => {
    for (const message of ["text file busy", "/".repeat(4_000) + "Text file busy", "'".repeat(4_000) + "/x' text file busy", "Text file busy: /opt/cni/bin/x"]) {
      expect(checked(installDeadlock, causeInput({ ...multus(deadlock(installer({ message }))), ...held }))[0]).toMatchObject({ certainty: "named" });
    }
  });
});
