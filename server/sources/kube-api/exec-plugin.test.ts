import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConnectError } from "./errors";
import { execPlugin, type ExecConfig } from "./exec-plugin";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), "sandglass-exec-"));
});
afterEach(() => rm(dir, { recursive: true }));

const cluster = { server: "https://a.example:6443", caData: "Y2E=" };
const variables = { PATH: process.env.PATH, HOME: "/nonexistent" };
/** A plugin that is a shell script; each run adds a line to `runs`. */
const plugin = (script: string, more: Partial<ExecConfig> = {}, timeoutMs?: number) =>
  execPlugin({ command: "/bin/sh", args: ["-c", `echo run >> "${dir}/runs"; ${script}`], ...more }, cluster, { variables, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
const runs = async () => (await readFile(path.join(dir, "runs"), "utf8")).trim().split("\n").length;
const answer = (status: Record<string, unknown>) => `echo '${JSON.stringify({ kind: "ExecCredential", status })}'`;
const failure = async (work: Promise<unknown>): Promise<ConnectError> => {
  const error = await work.catch((reason: unknown) => reason);
  if (!(error instanceof ConnectError)) throw new Error(`no ConnectError: ${String(error)}`);
  return error;
};

describe("a credential plugin", () => {
  it("gives a token or a certificate, is asked once for many requests, and again once it was refused", async () => {
    const made = plugin(answer({ token: "t1" }));
    expect(await Promise.all([made.get(), made.get(), made.get()])).toEqual(Array(3).fill({ token: "t1" }));
    await made.get();
    expect(await runs()).toBe(1);
    expect(made.refused("t1")).toBe(true);
    await made.get();
    expect(await runs()).toBe(2);
    expect(await plugin(answer({ clientCertificateData: "C", clientKeyData: "K" })).get()).toEqual({ cert: "C", key: "K" });
  });

  it("that gives what is refused again is not run again for a while; one that was refused with an older token need not be", async () => {
    const made = plugin(`n=$(wc -l < "${dir}/runs"); ${answer({ token: "t'$n'" })}`);
    expect(await made.get()).toEqual({ token: "t1" });
    expect(made.refused("t0")).toBe(true);
    expect(await made.get()).toEqual({ token: "t1" });
    expect(made.refused("t1")).toBe(true);
    expect(await made.get()).toEqual({ token: "t2" });
    expect(made.refused("t2")).toBe(false);
    expect(await made.get()).toEqual({ token: "t2" });
    expect(await runs()).toBe(2);
  });

  it("is asked again when what it gave has ended or is about to", async () => {
    const ended = plugin(answer({ token: "t", expirationTimestamp: new Date(Date.now() + 1_000).toISOString() }));
    await ended.get();
    await ended.get();
    expect(await runs()).toBe(2);
    const lasting = plugin(answer({ token: "t", expirationTimestamp: new Date(Date.now() + 3_600_000).toISOString() }));
    await lasting.get();
    await lasting.get();
    expect(await runs()).toBe(3);
  });

  it("is told the cluster where the kubeconfig says so, gets its own variables, and never a terminal", async () => {
    const made = plugin('printf "%s" "$KUBERNETES_EXEC_INFO" > "$OUT"; test -t 0 && exit 3; cat >/dev/null; ' + answer({ token: "t" }), { apiVersion: "client.authentication.k8s.io/v1beta1", provideClusterInfo: true, env: [{ name: "OUT", value: path.join(dir, "info") }] });
    await made.get();
    expect(JSON.parse(await readFile(path.join(dir, "info"), "utf8"))).toEqual({
      apiVersion: "client.authentication.k8s.io/v1beta1",
      kind: "ExecCredential",
      spec: { interactive: false, cluster: { server: "https://a.example:6443", "certificate-authority-data": "Y2E=" } },
    });
  });

  it("that is not there is named, with its own hint", async () => {
    const error = await failure(execPlugin({ command: "no-such-plugin-here", installHint: "Get it from\nsomewhere" }, cluster, { variables }).get());
    expect(error).toMatchObject({ code: "exec-missing" });
    expect(error.message).toBe('The credential plugin "no-such-plugin-here" that the kubeconfig names cannot be run: install it or put it on the PATH (Get it from).');
    await writeFile(path.join(dir, "plain"), "");
    expect(await failure(execPlugin({ command: path.join(dir, "plain") }, cluster, { variables }).get())).toMatchObject({ code: "exec-missing" });
  });

  it("that fails is told with its code and the first line of what it said, cleaned and cut", async () => {
    const error = await failure(plugin(`printf '\\n\\033[31mtoken has expired, run login%s\\nmore\\n' "$(head -c 5000 /dev/zero | tr '\\0' x)" >&2; exit 7`).get());
    expect(error.code).toBe("exec-failed");
    expect(error.message).toMatch(/^The credential plugin "\/bin\/sh" failed with code 7: ␛\[31mtoken has expired, run loginx+…; run it by hand/);
    expect(error.message.length).toBeLessThan(400);
  });

  it("that hangs is killed in time", async () => {
    const error = await failure(plugin("sleep 60", {}, 300).get());
    expect(error.message).toContain("did not end within 0.3 s");
  });

  it("that never stops talking is killed at the bound", async () => {
    const error = await failure(plugin("yes").get());
    expect(error.message).toContain("wrote more than 1048576 bytes");
  });

  it.each([["hello"], [""], ["[]"], ['{"status":{}}'], ['{"status":{"clientCertificateData":"C"}}'], ['{"status":{"token":7}}']])("that answers %j has given nothing", async (text) => {
    expect(await failure(plugin(`printf '%s' '${text}'`).get())).toMatchObject({ code: "exec-failed" });
  });

  it("that failed is left alone for a while, however many ask", async () => {
    const made = plugin("exit 1");
    await failure(made.get());
    await failure(made.get());
    await failure(made.get());
    expect(await runs()).toBe(1);
  });
});
