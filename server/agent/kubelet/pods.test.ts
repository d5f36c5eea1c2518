import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { hostFs } from "../host-fs";
import { procScanner } from "../proc/scan";
import { makeProcess, makeRecordedNode } from "../testing/recorded-node";
import { kubeletReader } from "./kubelet";
import { lookAtKubeletPods } from "./pods";

/** A port of this machine stands for the kubelet's; which port it is comes from a kubelet's own command line. */
let root: string;
let server: Server;
let asked: string[];
let answer: (response: ServerResponse) => void;

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), "sandglass-kubelet-pods-"));
  await makeRecordedNode(root, "healthy");
  asked = [];
  server = createServer((request, response) => {
    asked.push(request.url ?? "");
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(root, { recursive: true, force: true });
});

const open = () => String((server.address() as AddressInfo).port);
async function look(port = open()) {
  await rm(path.join(root, "proc/700"), { recursive: true, force: true });
  await makeProcess(root, { pid: 700, exe: "/usr/bin/kubelet" });
  await writeFile(path.join(root, "proc/700/cmdline"), `kubelet\0--read-only-port=${port}\0`);
  const proc = path.join(root, "proc");
  return lookAtKubeletPods(kubeletReader(hostFs(root), proc), await procScanner(proc).scan());
}
const pod = (name: string, over: object = {}) => ({ metadata: { uid: `uid-${name}`, namespace: "default", name, annotations: { secret: "s3cr3t" } }, spec: { containers: [] }, ...over });
const list = (items: unknown) => (response: ServerResponse) => void response.end(JSON.stringify({ kind: "PodList", items }));

test("pods are told by uid, namespace, name and phase, and nothing else of them", async () => {
  answer = list([pod("a", { status: { phase: "Running" } }), pod("b")]);
  expect(await look()).toEqual({ looked: true, truncated: false, items: [{ uid: "uid-a", namespace: "default", name: "a", phase: "Running" }, { uid: "uid-b", namespace: "default", name: "b" }] });
  expect(asked).toEqual(["/pods"]);
});

test("a node without pods has none, which is told as a look", async () => {
  answer = list(null);
  expect(await look()).toEqual({ looked: true, truncated: false, items: [] });
});

test("more pods than the report takes are cut, and said to be", async () => {
  answer = list(Array.from({ length: 1_025 }, (_, at) => pod(String(at))));
  expect(await look()).toMatchObject({ looked: true, truncated: true, items: { length: 1_024 } });
});

test("where the port is off nothing is asked", async () => {
  expect(await look("0")).toEqual({ looked: false, reason: expect.stringContaining("read-only port is off") as string });
  expect(asked).toEqual([]);
});

test.each<[string, (response: ServerResponse) => void, RegExp]>([
  ["no list", list([{ metadata: { name: "a" } }]), /no list of pods/],
  ["no JSON", (response) => void response.end("<html>"), /no list of pods/],
  ["a refusal", (response) => void response.writeHead(401).end("Unauthorized"), /answers 401/],
  ["an answer that breaks off", (response) => void response.writeHead(200, { "content-length": "100" }).write("{", () => response.destroy()), /the kubelet's read-only port: /],
  ["an answer without end", (response) => {
    const more = (): void => {
      while (!response.destroyed && response.write("x".repeat(1_048_576)));
    };
    response.on("drain", more);
    more();
  }, /too long/],
])("%s is said, and nothing is made up", async (_what, answers, reason) => {
  answer = answers;
  expect(await look()).toEqual({ looked: false, reason: expect.stringMatching(reason) as string });
});

test("a port where nobody listens, and one that is no port, are said", async () => {
  const port = open();
  server.close();
  expect(await look(port)).toEqual({ looked: false, reason: "the kubelet's read-only port: ECONNREFUSED" });
  for (const wrong of ["70000", "x", "-1", "1.5"]) expect(await look(wrong)).toEqual({ looked: false, reason: expect.stringContaining("is no port") as string });
});
