import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { loadAll } from "js-yaml";
import { expect, test } from "vitest";
import { z } from "zod";
import { DISTRIBUTIONS } from "../agent/distributions";
import { KUBELET_ROOTS } from "../agent/conf/multus";
import { agentOptions } from "../agent/options";
import { DEFAULT_AGENT_ACCOUNT, serveConfig } from "../config";
import { AGENT_AUDIENCE } from "../domain/agent-report";
import { KNOWN_SOCKETS, canonicalSocketPath } from "../domain/known-sockets";

/** deploy/agent.yaml against what the agent's code reads and takes. */
const ROOT = path.join(import.meta.dirname, "../..");
const Mount = z.object({ name: z.string(), mountPath: z.string(), readOnly: z.boolean().default(false), mountPropagation: z.string().optional() }).strict();
const Volume = z.object({
  name: z.string(),
  hostPath: z.object({ path: z.string(), type: z.string() }).optional(),
  projected: z.object({ sources: z.array(z.object({ serviceAccountToken: z.object({ audience: z.string(), expirationSeconds: z.number(), path: z.string() }) }).strict()) }).loose().optional(),
  configMap: z.object({}).loose().optional(),
}).strict();
const Container = z.object({
  command: z.array(z.string()),
  args: z.array(z.string()),
  securityContext: z.object({ privileged: z.boolean(), allowPrivilegeEscalation: z.boolean(), readOnlyRootFilesystem: z.boolean(), capabilities: z.object({ drop: z.array(z.string()), add: z.array(z.string()) }), appArmorProfile: z.object({ type: z.string() }), seLinuxOptions: z.object({ type: z.string() }) }).loose(),
  resources: z.object({ requests: z.record(z.string(), z.string()), limits: z.record(z.string(), z.string()) }),
  livenessProbe: z.object({ httpGet: z.object({ host: z.string(), port: z.number(), path: z.string() }) }).loose(),
  volumeMounts: z.array(Mount),
}).loose();
const Spec = z.object({ serviceAccountName: z.string(), automountServiceAccountToken: z.boolean(), hostNetwork: z.boolean(), hostPID: z.boolean(), hostIPC: z.boolean().default(false), dnsPolicy: z.string(), tolerations: z.array(z.unknown()), initContainers: z.array(z.unknown()).default([]), containers: z.array(Container).length(1), volumes: z.array(Volume) }).loose();
const DaemonSet = z.object({ kind: z.literal("DaemonSet"), metadata: z.object({ namespace: z.string() }).loose(), spec: z.object({ updateStrategy: z.object({ type: z.string() }).loose(), template: z.object({ spec: Spec }).loose() }).loose() }).loose();

const documents = loadAll(readFileSync(path.join(ROOT, "deploy/agent.yaml"), "utf8")) as { kind?: string }[]; // each kind is parsed below
const daemonSet = DaemonSet.parse(documents.find(({ kind }) => kind === "DaemonSet"));
const { spec } = daemonSet.spec.template;
const container = Container.parse(spec.containers[0]);
const hostPaths = spec.volumes.flatMap(({ hostPath }) => (hostPath === undefined ? [] : [hostPath.path]));
const isBelow = (one: string, folder: string): boolean => one === folder || one.startsWith(`${folder}/`);
const isMounted = (one: string): boolean => hostPaths.some((folder) => isBelow(one, folder));

/** Absolute paths that stand as texts in the agent's own code. What belongs to the kubelet is read through its process's own root where it is not mounted. */
function pathsInCode(): readonly string[] {
  const folder = path.join(ROOT, "server/agent");
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !/^(testing|fixtures|kubelet)\//.test(file));
  const found = sources.flatMap((file) => [...readFileSync(path.join(folder, file), "utf8").matchAll(/["`](\/(?:etc|var|run|opt|usr|home|lib|sys|proc|dev|boot)\/[^"`$\s]*)["`]/g)].map(([, text]) => text ?? ""));
  return [...new Set([...found, ...KNOWN_SOCKETS.map(({ path: socket }) => canonicalSocketPath(socket))])];
}
/** The last row is the plain layout that the manifest is for; the other rows need more mounts, which the page for operators lists. */
const plain = DISTRIBUTIONS.at(-1);
const elsewhere = [...DISTRIBUTIONS.slice(0, -1).flatMap(({ criSocket, confDirs, binDirs }) => [criSocket, ...confDirs, ...binDirs]), ...(plain?.binDirs.slice(1) ?? []), ...KUBELET_ROOTS.slice(1)].filter((one) => !isMounted(one));
/** Written only by an agent that takes orders: mounted by a line that the manifest has ready. */
const OF_ORDERS = ["/var/lib/sandglass-agent"];
/** Shown by hostPID and hostNetwork; no mount of it is needed. */
const isOwnProc = (one: string): boolean => isBelow(one, "/proc");

test("every path that the code looks at is mounted, or is another distribution's and on the page for operators", () => {
  const paths = pathsInCode();
  expect(paths.length).toBeGreaterThan(15);
  expect(paths.filter((one) => !isMounted(one) && !isOwnProc(one) && !elsewhere.includes(one) && !OF_ORDERS.includes(one))).toEqual([]);
  const page = readFileSync(path.join(ROOT, "docs/operate/agent.md"), "utf8");
  expect([...elsewhere, ...OF_ORDERS].filter((one) => !page.includes(one))).toEqual([]);
  const manifest = readFileSync(path.join(ROOT, "deploy/agent.yaml"), "utf8");
  for (const one of OF_ORDERS) expect(manifest).toContain(`# - {name: state, mountPath: ${one}}`);
});

test("nothing is mounted that the code does not look at", () => {
  const read = [...pathsInCode(), "/sys/fs/cgroup"];
  expect(hostPaths.filter((folder) => !read.some((one) => isBelow(one, folder)))).toEqual([]);
  expect(readFileSync(path.join(ROOT, "server/agent/later.ts"), "utf8")).toContain("/sys/fs/cgroup");
});

test("every folder of the node lies read-only at its own path below the host root, and no other mount can be written", () => {
  for (const { name, mountPath, readOnly } of container.volumeMounts) {
    expect(readOnly, name).toBe(true);
    const hostPath = spec.volumes.find((volume) => volume.name === name)?.hostPath;
    if (hostPath !== undefined) expect(mountPath).toBe(`/host${hostPath.path}`);
  }
  expect(container.volumeMounts.map(({ name }) => name).sort()).toEqual(spec.volumes.map(({ name }) => name).sort());
});

test("two capabilities and no more, not privileged, a read-only root, the node's processes and network", () => {
  const { securityContext: context } = container;
  expect(context.capabilities).toEqual({ drop: ["ALL"], add: ["SYS_PTRACE", "DAC_READ_SEARCH"] });
  expect(context).toMatchObject({ privileged: false, allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, appArmorProfile: { type: "Unconfined" }, seLinuxOptions: { type: "spc_t" } });
  expect(spec).toMatchObject({ hostNetwork: true, hostPID: true, hostIPC: false, initContainers: [], dnsPolicy: "Default", tolerations: [{ operator: "Exists" }] });
  expect(Object.keys(container.resources.limits).sort()).toEqual(["cpu", "memory"]);
});

test("no token of the Kubernetes API, but one of the audience, account and namespace that the server takes", () => {
  expect(spec.automountServiceAccountToken).toBe(false);
  expect(spec.volumes.flatMap(({ projected }) => projected?.sources ?? [])).toEqual([{ serviceAccountToken: { audience: AGENT_AUDIENCE, expirationSeconds: 3_600, path: "token" } }]);
  expect(`${daemonSet.metadata.namespace}/${spec.serviceAccountName}`).toBe(DEFAULT_AGENT_ACCOUNT);
  expect(serveConfig([], {}).agentAccount).toEqual({ namespace: daemonSet.metadata.namespace, name: spec.serviceAccountName });
  expect(documents.map(({ kind }) => kind)).toEqual(["Namespace", "ServiceAccount", "DaemonSet"]);
});

test("its arguments are ones that the agent takes, and the probe asks the port that they open, on loopback", () => {
  const args = container.args.map((text) => text.replace("$(NODE_NAME)", "node-1").replace("$(SERVER)", "https://10.0.0.5:7443"));
  const options = agentOptions(args);
  expect(options).toMatchObject({ ok: true, value: { mode: "push", hostRoot: "/host", healthPort: container.livenessProbe.httpGet.port } });
  expect(container.livenessProbe.httpGet).toMatchObject({ host: "127.0.0.1", path: "/healthz" });
});
