import { expect, it } from "vitest";
import { agentReport } from "../testing/builders";
import { cniVersionMismatch } from "./cni-version-mismatch";
import { causeCases, checked } from "./testing/cases";
import { causeInput } from "./testing/input";
import { ownRequest, saying, waiting } from "./testing/texts";

const text = saying("cni-version-mismatch", 'failed to setup network for sandbox "5ed545ae": incompatible CNI versions; config is "1.0.0", plugin supports ["0.1.0" "0.2.0" "0.3.0" "0.3.1" "0.4.0"]');
const escaped = saying("cni-version-mismatch", 'err="incompatible CNI versions; config is \\"1.0.0\\", plugin supports [\\"0.4.0\\"]"');
const empty = saying("cni-version-mismatch", 'failed to destroy network for sandbox "bbc85f89": invalid version "": the version is empty');
const report = (cniVersion: string | undefined) =>
  agentReport({
    config: { looked: true, reading: { dir: "/etc/cni/net.d", effectiveFile: "10-bridge.conflist", pluginTypes: ["bridge"], sockets: [], missingBinaries: [], binDirs: ["/opt/cni/bin"] } },
    configFiles: { looked: true, reading: { dir: "/etc/cni/net.d", files: [{ name: "10-bridge.conflist", usable: true, pluginTypes: ["bridge"], ...(cniVersion === undefined ? {} : { cniVersion }) }] } },
  });

causeCases(cniVersionMismatch, {
  fires: [
    { name: "where the file in force has the version that the text names", certainty: "named", says: ["10-bridge.conflist", "1.0.0"], input: causeInput({ errors: [text], report: report("1.0.0") }) },
    { name: "the same where the text's quotes are escaped", certainty: "named", says: ["1.0.0"], input: causeInput({ errors: [escaped], report: report("1.0.0") }) },
    { name: "where the file in force names no version, and the runtime says that it is empty", certainty: "named", says: ["no CNI version"], input: causeInput({ errors: [empty], report: report(undefined) }) },
    { name: "where the text means another config than the one in force", certainty: "suspected", says: ["1 pod"], input: causeInput({ errors: [text], report: report("0.3.1") }) },
  ],
  almost: [
    { name: "where a config names a new version and nobody complains", input: causeInput({ report: report("1.1.0") }) },
    { name: "where a config names none and nobody complains", input: causeInput({ report: report(undefined) }) },
  ],
  missing: [
    { name: "suspects by the text where no agent is", state: "suspected", says: "1 pod", input: causeInput({ errors: [text], report: null }) },
    { name: "cannot tell where events may not be seen", state: "unknown", says: "Events cannot be seen: forbidden", input: causeInput({ kind: (kind) => (kind === "events" ? { seen: false, reason: "forbidden" } : { seen: true }) }) },
  ],
});

it("does not take 1.0.0 for a part of another number", () => {
  expect(checked(cniVersionMismatch, causeInput({ errors: [saying("cni-version-mismatch", 'incompatible CNI versions; config is "0.4.0", plugin supports ["1.0.0"]')], report: report("1.0.0") }))[0]?.certainty).toBe("suspected");
});

it("is a notice where only pods with a network of their own say so", () => {
  expect(checked(cniVersionMismatch, causeInput({ errors: [text], ...waiting("web-1", 100, { networks: "a" }, ownRequest(100)), report: null }))[0]?.severity).toBe("notice");
});
