import { chmod, mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createLog } from "@/server/log";
import { ensureAgentAuthority } from "./authority";
import { agentFolder, agentTokens, issueAgentToken } from "./tokens";

const log = createLog("silent", "test");
let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), "sandglass-tokens-"));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const folder = () => agentFolder(dataDir);
const tokenOf = async (node: string) => (await readFile((await issueAgentToken(dataDir, node)).file, "utf8")).trim();

test("each token is its own node's, and anything else is nobody's", async () => {
  const [one, two] = [await tokenOf("node-1"), await tokenOf("worker.example.com")];
  const tokens = agentTokens(folder(), log);
  expect(await tokens.nodeOf(one)).toBe("node-1");
  expect(await tokens.nodeOf(two)).toBe("worker.example.com");
  for (const wrong of ["", one.slice(0, -1), `${one}x`, one.toUpperCase(), "x".repeat(43)]) expect(await tokens.nodeOf(wrong)).toBeUndefined();
});

test("a token file is readable by its owner alone, is kept when asked for again, and replaced only on demand", async () => {
  const first = await issueAgentToken(dataDir, "node-1");
  expect(first.made).toBe(true);
  expect((await stat(first.file)).mode & 0o777).toBe(0o600);
  expect((await stat(folder())).mode & 0o777).toBe(0o700);
  const text = await readFile(first.file, "utf8");
  expect(await issueAgentToken(dataDir, "node-1")).toEqual({ file: first.file, made: false });
  expect(await readFile(first.file, "utf8")).toBe(text);
  await issueAgentToken(dataDir, "node-1", { renew: true });
  expect(await readFile(first.file, "utf8")).not.toBe(text);
  expect(await readdir(folder())).toEqual(["node-1.token"]);
});

test.each(["", "..", "../../etc/passwd", "Node", "a/b", "node\0", "x".repeat(254)])("no token is made for %j, which is not a node's name", async (name) => {
  await expect(issueAgentToken(dataDir, name)).rejects.toThrow(/not a possible node name/);
});

test("a token that two nodes share is good for neither, a short one for nobody", async () => {
  const token = await tokenOf("node-1");
  await writeFile(path.join(folder(), "node-2.token"), `${token}\n`);
  await writeFile(path.join(folder(), "node-3.token"), "secret");
  await writeFile(path.join(folder(), "NOT A NODE.token"), "y".repeat(40));
  const tokens = agentTokens(folder(), log);
  expect(await tokens.nodeOf(token)).toBeUndefined();
  expect(await tokens.nodeOf("secret")).toBeUndefined();
  expect(await tokens.nodeOf("y".repeat(40))).toBeUndefined();
});

test("without a folder of tokens nobody is known, and a token made later is", async () => {
  const tokens = agentTokens(folder(), log);
  expect(await tokens.nodeOf("x".repeat(43))).toBeUndefined();
  const token = await tokenOf("node-1");
  await expect.poll(() => tokens.nodeOf(token), { timeout: 10_000 }).toBe("node-1");
});

test("the authority is made once and kept, with its key for its owner alone", async () => {
  const first = await ensureAgentAuthority(dataDir);
  expect(await ensureAgentAuthority(dataDir)).toEqual(first);
  expect((await stat(path.join(folder(), "ca.key"))).mode & 0o777).toBe(0o600);
  expect(await readFile(first.caFile, "utf8")).toBe(first.authority.certPem);
  await rm(first.caFile);
  expect(await ensureAgentAuthority(dataDir)).toEqual(first);
});

test("a damaged or lost authority is said, never replaced: agents hold its certificate", async () => {
  const { authority } = await ensureAgentAuthority(dataDir);
  const key = path.join(folder(), "ca.key");
  const other = await ensureAgentAuthority(path.join(dataDir, "other"));
  await chmod(key, 0o600);
  await writeFile(key, other.authority.keyPem + authority.certPem);
  await expect(ensureAgentAuthority(dataDir)).rejects.toThrow(/do not belong together/);
  await writeFile(key, "half of a ke");
  await expect(ensureAgentAuthority(dataDir)).rejects.toThrow(/damaged: put it back/);
  await rm(key);
  await expect(ensureAgentAuthority(dataDir)).rejects.toThrow(/without its key/);
});
