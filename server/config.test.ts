import { expect, test } from "vitest";
import { serveConfig } from "./config";

const refusal = (...args: string[]): string => {
  try {
    serveConfig(args, {});
  } catch (error) {
    if (error instanceof Error && error.name === "ConfigError") return error.message;
    throw error;
  }
  throw new Error("it was taken");
};

test.each(["data", "kubeconfig", "context", "kubelet-ca", "agent-host", "agent-name", "scenario"])("an empty --%s is refused by its name", (name) => {
  expect(refusal(`--${name}`, "")).toContain(`--${name} is empty`);
});

test("an empty data folder is refused from the environment as well: it would be the folder one stands in", () => {
  expect(() => serveConfig([], { SANDGLASS_DATA: "" })).toThrow("--data is empty");
});

test("a variable of our name that nobody knows is refused; those that Kubernetes gives a pod for Services named after us are none of ours", () => {
  expect(() => serveConfig([], { SANDGLASS_PROT: "1" })).toThrow("The environment has SANDGLASS_PROT, which Sandglass does not know");
  // As the kubelet writes them for the Services "sandglass" and "sandglass-agents", the second with a named port.
  const ofServices = {
    SANDGLASS_SERVICE_HOST: "10.96.0.7", SANDGLASS_SERVICE_PORT: "7400", SANDGLASS_PORT: "tcp://10.96.0.7:7400", SANDGLASS_PORT_7400_TCP: "tcp://10.96.0.7:7400", SANDGLASS_PORT_7400_TCP_PROTO: "tcp", SANDGLASS_PORT_7400_TCP_PORT: "7400", SANDGLASS_PORT_7400_TCP_ADDR: "10.96.0.7",
    SANDGLASS_AGENTS_SERVICE_HOST: "fd00::7", SANDGLASS_AGENTS_SERVICE_PORT: "7443", SANDGLASS_AGENTS_SERVICE_PORT_PUSH: "7443", SANDGLASS_AGENTS_PORT: "tcp://[fd00::7]:7443", SANDGLASS_AGENTS_PORT_7443_TCP_ADDR: "fd00::7",
  };
  expect(serveConfig([], ofServices)).toEqual(serveConfig([], {}));
  expect(serveConfig([], { ...ofServices, SANDGLASS_PORT: "7500" }).port).toBe(7500);
});

test.each([
  ["--port", "0"], ["--port", "65536"], ["--port", "7e3"], ["--nodes", "0"], ["--nodes", "5001"], ["--speed", "1.5"], ["--kubelet", "both"], ["--log-level", "loud"],
  ["--cni-daemon", "multus"], ["--agent-account", "nobody"], ["--agent-name", "a b;DROP"], ["--agent-name", "*.example"], ["--agent-host", "no host"], ["--scenario", "x".repeat(41)],
])("%s %s is refused with the option's name and what is allowed", (name, value) => {
  expect(refusal(name, value)).toMatch(new RegExp(`^${name} .*(must be|whole number|at most 40|is one of)`));
});

test("a value that looks like an option is one sentence", () => {
  expect(refusal("--nodes", "-1").split(/[.!?](?:\s|$)/).filter((part) => part !== "")).toHaveLength(2);
});

test.each(["node-1", "=https://a:1", "node-1=http://a:1", "node-1=a:1", "node-1=https://a:1/path", "node-1=https://user:secret@a:1", "node-1=user:secret@a:1", "node-1=https://a:1?x=y", "node-1=https://a:1#x", "node-1="])("--kubelet-address %s is refused, and no password of it is repeated", (value) => {
  const message = refusal("--kubelet-address", value);
  expect(message).toContain("--kubelet-address");
  expect(message).not.toContain("secret");
});

test("a kubelet's address is an origin", () => {
  const { kubeletAddress } = serveConfig(["--kubelet-address", "node-1=https://127.0.0.1:1234", "--kubelet-address", "node-2=https://[::1]:1234/"], {});
  expect(Object.fromEntries(kubeletAddress)).toEqual({ "node-1": "https://127.0.0.1:1234", "node-2": "https://[::1]:1234" });
});

test.each(["localhost", "sandglass.example.org", "10.0.0.1", "fe80::1", "node-7.", "XN--e1afmkfd.example"])("agents may reach it as %s", (name) => {
  expect(serveConfig(["--agent-name", name], {}).agentName).toEqual([name]);
});

test("two listeners on one port are refused before anything starts; any free port is not one port", () => {
  expect(refusal("--port", "7602", "--metrics-port", "7602")).toBe("--port and --metrics-port are both 7602: give each a port of its own.");
  expect(refusal("--agent-port", "7600", "--metrics-port", "7600")).toContain("--agent-port and --metrics-port");
  expect(serveConfig(["--agent-port", "0", "--metrics-port", "0"], {})).toMatchObject({ agentPort: 0, metricsPort: 0 });
});
