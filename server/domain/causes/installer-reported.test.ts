import { describe, expect, it } from "vitest";
import type { ContainerTermination } from "../model";
import { installerReported } from "./installer-reported";
import { causeCases, checked } from "./testing/cases";
import { detail, ended, multus } from "./testing/daemons";
import { causeInput } from "./testing/input";
import { secondsAgo } from "./testing/texts";

/** As an installer of plugins of a real chart writes it before it ends with 0. */
const installer = (over: Partial<ContainerTermination> = {}): ContainerTermination => ended({ container: "install-cni-plugins", init: true, reason: "Completed", exitCode: 0, finishedMs: secondsAgo(3_601), message: "failed to install: bridge macvlan\n", ...over });
const silent: ContainerTermination = { container: "install-cni-plugins", init: true, reason: "Completed", exitCode: 0, finishedMs: secondsAgo(60) };

causeCases(installerReported, {
  fires: [
    { name: "where it ended with 0 and lists what it could not install", certainty: "named", says: ["install-cni-plugins", "exit code 0", "failed to install: bridge macvlan"], input: causeInput({ ...multus(detail({ terminations: [installer()] })), report: null }) },
    { name: "for each installer that says so", certainty: "named", says: ["install-cni-plugins", "install-multus-binary"], input: causeInput(multus(detail({ terminations: [installer(), installer({ container: "install-multus-binary", message: "could not replace multus-shim" })] }))) },
  ],
  almost: [
    { name: "where the message tells of success", input: causeInput(multus(detail({ terminations: [installer({ message: "installed 12 plugins" })] }))) },
    { name: "where it ended with an error: that is no secret", input: causeInput(multus(detail({ terminations: [installer({ exitCode: 1, reason: "Error" })] }))) },
    { name: "where its successor says nothing", input: causeInput(multus(detail({ terminations: [installer(), silent] }))) },
    { name: "where the container that complains is not an init container", input: causeInput(multus(detail({ terminations: [ended({ exitCode: 0, message: "failed to renew" })] }))) },
  ],
  missing: [{ name: "cannot tell while the API says nothing current", state: "unknown", says: "The Kubernetes API tells nothing current", input: causeInput({ ...multus(detail({ terminations: [installer()] })), source: (source) => ({ source, freshness: source === "api" ? "stale" : "fresh", reason: "the watch is gone" }) }) }],
});

describe("what an installer reports", () => {
  it("is quoted on one line and cut", () => {
    const [finding] = checked(installerReported, causeInput(multus(detail({ terminations: [installer({ message: `failed\u0007\n${"x".repeat(4_000)}` })] }))));
    expect(finding?.summary.length).toBeLessThan(500);
    expect(finding?.evidence[0]?.value).not.toContain("\u0007");
  });
});
