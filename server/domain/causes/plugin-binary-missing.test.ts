import { describe, expect, it } from "vitest";
import type { BinaryReading } from "../agent-readings";
import type { ConfigReading } from "../agent-report";
import { agentReport } from "../testing/builders";
import { pluginBinaryMissing } from "./plugin-binary-missing";
import { causeCases, checked } from "./testing/cases";
import { causeInput } from "./testing/input";
import { NOW_MS, ownRequest, saying, secondsAgo, together, waiting } from "./testing/texts";

/** As containerd 1.6 said it on the test cluster. */
const NOT_FOUND = 'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "90e108967bda1300043686a30221014ca2298e87b6b5dff01e778c0d21e28b48": plugin type="bridge" failed (add): failed to find plugin "bridge" in path [/opt/cni/bin]';
const text = saying("plugin-binary-missing", NOT_FOUND, { facts: { pluginType: "bridge", binDirs: ["/opt/cni/bin"] } });

const BRIDGE: ConfigReading = { dir: "/etc/cni/net.d", effectiveFile: "10-bridge.conflist", pluginTypes: ["bridge", "portmap", "host-local"], sockets: [], missingBinaries: [], binDirs: ["/opt/cni/bin"] };
const fine = (type: string, over: Partial<BinaryReading> = {}): BinaryReading => ({ type, dir: "/opt/cni/bin", sizeBytes: 4_000_000, wantedBy: ["10-bridge.conflist"], ...over });
const broken = (type: string, over: Partial<BinaryReading>): BinaryReading => fine(type, over);
const report = (config: Partial<ConfigReading>, items?: readonly BinaryReading[]) => agentReport({ config: { looked: true, reading: { ...BRIDGE, ...config } }, ...(items === undefined ? {} : { binaries: { looked: true, items } }) });
const nads = new Map([["default/sriov-a", { pluginTypes: ["sriov", "whereabouts"] }]]);
const asking = waiting("db-0", 200, { networks: "sriov-a@net1" }, ownRequest(200));

causeCases(pluginBinaryMissing, {
  fires: [
    { name: "where the program of the config in force is in no bin dir, on an idle node too", certainty: "named", detail: "conflist", says: ["bridge", "/opt/cni/bin", "10-bridge.conflist"], input: causeInput({ report: report({ missingBinaries: ["bridge"], binaryProblems: ["bridge: not in /opt/cni/bin"] }) }) },
    { name: "where the program has 0 bytes", certainty: "named", detail: "conflist", says: ["bridge has 0 bytes in /opt/cni/bin"], input: causeInput({ report: report({}, [broken("bridge", { problem: "empty", sizeBytes: 0 })]) }) },
    { name: "where it is of another architecture", certainty: "named", detail: "conflist", says: ["another architecture", "arm64"], input: causeInput({ report: report({}, [broken("bridge", { problem: "wrong-architecture", architecture: "arm64" })]) }) },
    { name: "where a folder stands in its place, or nobody may execute it", certainty: "named", detail: "conflist", says: ["bridge is a folder", "portmap is not executable"], input: causeInput({ report: report({}, [broken("bridge", { problem: "directory" }), broken("portmap", { problem: "not-executable" })]) }) },
    { name: "where a broken program hides a good one in a later folder", certainty: "named", detail: "conflist", input: causeInput({ report: report({ binDirs: ["/var/lib/cni/bin", "/opt/cni/bin"] }, [fine("bridge"), broken("bridge", { dir: "/var/lib/cni/bin", problem: "empty" })]) }) },
    {
      name: "where the conflist behind multus lacks it",
      certainty: "named",
      detail: "conflist",
      input: causeInput({
        report: {
          ...report({ effectiveFile: "00-multus.conf", pluginTypes: ["multus-shim"] }, [fine("multus-shim"), broken("bridge", { problem: "absent" })]),
          configFiles: { looked: true, reading: { dir: "/etc/cni/net.d", files: [{ name: "10-bridge.conflist", usable: true, pluginTypes: ["bridge"] }], multus: { clusterNetwork: "10-bridge.conflist", generated: true } } },
        },
      }),
    },
    { name: "for the pods alone that ask for a network attachment which needs it", certainty: "named", detail: "network-attachment", says: ["sriov", "default/sriov-a"], input: causeInput({ nads, ...asking, report: report({}, [broken("sriov", { problem: "absent", wantedBy: ["NAD"] })]) }) },
    {
      name: "where a text names one that is in no folder of the agent's list, though no attachment can be seen",
      certainty: "named",
      says: ["sriov", "/opt/cni/bin"],
      input: causeInput({ errors: [saying("plugin-binary-missing", NOT_FOUND, { facts: { pluginType: "sriov", binDirs: ["/opt/cni/bin"] } })], report: report({}, [fine("bridge"), fine("loopback", { wantedBy: [] })]) }),
    },
  ],
  almost: [
    { name: "where only a network attachment names it and no pod here asks", input: causeInput({ nads, ...waiting("web-1", 200), report: report({}, [fine("bridge"), broken("sriov", { problem: "absent", wantedBy: ["NAD"] })]) }) },
    { name: "where a folder of that name hides nothing: the next bin dir has the program", input: causeInput({ report: report({ binDirs: ["/var/lib/cni/bin", "/opt/cni/bin"] }, [broken("bridge", { dir: "/var/lib/cni/bin", problem: "directory" }), fine("bridge")]) }) },
    { name: "where a broken program is one that nobody asks for", input: causeInput({ report: report({}, [fine("bridge"), broken("dhcp", { problem: "empty", wantedBy: [] })]) }) },
    { name: "where it was put back after the pod said so", input: causeInput({ errors: [{ ...text, lastMs: secondsAgo(40) }], report: { ...report({}, [fine("bridge")]), atMs: secondsAgo(5) } }) },
    { name: "without an agent, where a sandbox became ready lately", input: causeInput({ report: null, lastFreshMs: secondsAgo(60) }) },
  ],
  missing: [
    { name: "suspects by the text of a pod where no agent is", state: "suspected", says: "bridge", input: causeInput({ report: null, errors: [text] }) },
    { name: "suspects where the text names a folder at which the agent does not look", state: "suspected", says: "bridge", input: causeInput({ errors: [saying("plugin-binary-missing", NOT_FOUND, { lastMs: secondsAgo(40), facts: { pluginType: "bridge", binDirs: ["/opt/kube/bin"] } })], report: report({}, [fine("bridge")]) }) },
    { name: "cannot tell on an idle node without an agent", state: "unknown", says: "no agent on this node", input: causeInput({ report: null }) },
    { name: "cannot tell where the agent could not look at the config", state: "unknown", says: "no folder /etc/cni/net.d", input: causeInput({ report: agentReport({ config: { looked: false, reason: "no folder /etc/cni/net.d" } }) }) },
    { name: "cannot tell of an attachment's plugin that an older agent does not look for", state: "unknown", says: "older than Sandglass", input: causeInput({ nads, ...asking, report: report({}) }) },
    { name: "cannot tell of it where a bin dir may not be listed", state: "unknown", says: "/opt/cni/bin: EACCES", input: causeInput({ nads, ...asking, report: { ...report({}), binaries: { looked: true, items: [], unread: ["/opt/cni/bin: EACCES"] } } }) },
    { name: "cannot tell of it where attachments may not be seen", state: "unknown", says: "forbidden", input: causeInput({ nads: null, ...asking, kind: (kind) => (kind === "nads" ? { seen: false, reason: "nads are forbidden" } : { seen: true }), report: report({}, [fine("bridge")]) }) },
    { name: "does not take a program that the agent may not read for a broken one", state: "unknown", says: "EACCES", input: causeInput({ report: agentReport({ config: { looked: false, reason: "EACCES" }, binaries: { looked: true, items: [broken("bridge", { problem: "unreadable" })] } }) }) },
  ],
});

describe("what the pods say beside what was measured", () => {
  it("stands in the evidence of one finding, with its pods", () => {
    const found = checked(pluginBinaryMissing, causeInput({ errors: [text], ...waiting("web-1", 100), report: report({ missingBinaries: ["bridge"] }) }));
    expect(found).toHaveLength(1);
    expect(found[0]?.evidence.map(({ source, look }) => [source, look])).toEqual([["agent", "seen"], ["api", "seen"]]);
    expect(found[0]?.pods).toEqual(["default/web-1"]);
  });

  it("is measured for one plugin and only said for another, each by itself", () => {
    const inListed = saying("plugin-binary-missing", NOT_FOUND, { facts: { pluginType: "sriov", binDirs: ["/opt/cni/bin"] } });
    const elsewhere = saying("plugin-binary-missing", NOT_FOUND, { facts: { pluginType: "ptp", binDirs: ["/opt/kube/bin"] } });
    const found = checked(pluginBinaryMissing, causeInput({ errors: [inListed, elsewhere], report: report({}, [fine("bridge")]) }));
    expect(found.map(({ detail, certainty }) => [detail, certainty])).toEqual([[undefined, "named"], ["text", "suspected"]]);
  });

  it("concerns those pods alone where all of them are held by their own request", () => {
    const own = saying("plugin-binary-missing", NOT_FOUND, { pods: ["default/db-0"], facts: { pluginType: "sriov" } });
    expect(checked(pluginBinaryMissing, causeInput({ report: null, ...asking, errors: [own] }))[0]).toMatchObject({ certainty: "suspected", severity: "notice" });
    const both = { ...own, pods: ["default/db-0", "default/web-1"] };
    expect(checked(pluginBinaryMissing, causeInput({ report: null, ...together(asking, waiting("web-1", 100)), errors: [both] }))[0]).not.toHaveProperty("severity");
  });

  it("a network attachment's plugin is a notice, the config's own is none", () => {
    const both = checked(pluginBinaryMissing, causeInput({ nads, ...asking, report: report({ missingBinaries: ["bridge"] }, [broken("sriov", { problem: "absent" })]) }));
    expect(both.map(({ detail, severity }) => [detail, severity])).toEqual([["conflist", undefined], ["network-attachment", "notice"]]);
  });
});

it("tells when the agent looked", () => {
  expect(checked(pluginBinaryMissing, causeInput({ report: report({ missingBinaries: ["bridge"] }) }))[0]?.evidence[0]).toMatchObject({ atMs: NOW_MS, value: "is not in /opt/cni/bin" });
});
