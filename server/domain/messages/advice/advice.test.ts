import { describe, expect, test } from "vitest";
import { MESSAGE_CODES } from "../../causes/codes";
import { explain } from "../explain";
import { adviceFor } from "./index";

const HOSTILE = "/run/x;reboot;$(id)`id`|sh";
const commandsOf = (lines: readonly string[]): readonly string[] => lines.flatMap((line) => line.split("`").filter((_, index) => index % 2 === 1));

describe.each(MESSAGE_CODES)("advice for %s", (cause) => {
  test("says what to look at, and what to do unless nothing is decided", () => {
    const { lookAt, fix } = adviceFor({ cause, plugin: "generic", facts: {} });
    expect(lookAt.length).toBeGreaterThan(0);
    expect(fix.length > 0).toBe(cause !== "unknown");
    for (const line of [...lookAt, ...fix]) expect(line.split("`").length % 2, line).toBe(1);
  });

  test("puts no name of a foreign text into a command that a shell could read as more than a name", () => {
    const facts = { pluginType: HOSTILE, binDirs: [HOSTILE], socketPath: HOSTILE, file: HOSTILE, reservedFor: HOSTILE, network: "default/net" };
    for (const detail of ["host", "consumer", "deadline", "cache-broken"]) {
      const { lookAt, fix } = adviceFor({ cause, detail, plugin: "multus", facts });
      for (const command of commandsOf([...lookAt, ...fix])) expect(command).not.toContain("reboot");
    }
  });
});

describe("advice for a text", () => {
  test("names its daemon by the labels of its own manifests, and its socket", () => {
    const { lookAt } = explain('unable to connect to Cilium agent: Get "http://localhost/v1/config": dial unix /var/run/cilium/cilium.sock: connect: connection refused');
    expect(lookAt).toContain("`kubectl get pods -A -l k8s-app=cilium -o wide --field-selector spec.nodeName=NODE` (ready, restarts)");
    expect(lookAt.join("\n")).toContain("ls -li /var/run/cilium/cilium.sock");
  });

  test("lists the program in every folder that was searched", () => {
    expect(explain('failed to find plugin "bridge" in path [/opt/cni/bin /usr/libexec/cni]').lookAt[0]).toBe("On the node: `ls -l /opt/cni/bin/bridge /usr/libexec/cni/bridge` (absent, zero bytes, not executable)");
  });
});
