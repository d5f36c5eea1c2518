import { readFileSync } from "node:fs";
import path from "node:path";
import { PassThrough, Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { ExplainedTextSchema } from "../contract/explain";
import type { CommandIo } from "../main";
import { explainCommand } from "./explain";

const FIXTURE = path.join(import.meta.dirname, "fixtures/multus-missing-events.json");
const MISSING = 'plugin type="bridge" failed (add): failed to find plugin "bridge" in path [/opt/cni/bin]';

async function run(args: readonly string[], input?: string): Promise<{ readonly code: number; readonly out: string }> {
  const stdout = new PassThrough();
  const stdin = input === undefined ? Object.assign(Readable.from([]), { isTTY: true }) : Readable.from([input]);
  const io: CommandIo = { env: {}, stdin: stdin as NodeJS.ReadStream, stdout, stderr: new PassThrough(), root: ".", signal: new AbortController().signal };
  const code = await explainCommand(args, io);
  stdout.end();
  return { code, out: Buffer.concat(await stdout.toArray()).toString("utf8") };
}

describe("sandglass explain", () => {
  test("takes a text of several arguments and says cause, reason and what to do", async () => {
    const { code, out } = await run(MISSING.split(" "));
    expect(code).toBe(0);
    expect(out).toContain("plugin-binary-missing");
    expect(out).toContain(`"failed to find plugin "bridge" in path [/opt/cni/bin]"`);
    expect(out).toMatch(/^Look at\n {2}- /mu);
    expect(out).toMatch(/^Do\n {2}- /mu);
    expect(out).toContain("More: docs/use/causes/plugin-binary-missing.md");
  });

  test("prints the document of the API with --output json", async () => {
    const { out } = await run([MISSING, "--output", "json"]);
    expect(ExplainedTextSchema.strict().parse(JSON.parse(out))).toMatchObject({ cause: "plugin-binary-missing", kind: "text" });
  });

  test("reads a list of kubectl from standard input, and the same from a file", async () => {
    const piped = await run(["--output", "json"], readFileSync(FIXTURE, "utf8"));
    const read = await run(["--output", "json", "--file", FIXTURE]);
    expect(read.out).toBe(piped.out);
    const { messages } = ExplainedTextSchema.parse(JSON.parse(piped.out));
    expect(messages.map(({ cause, facts }) => [cause, facts.pluginType ?? facts.network]).filter(([cause]) => cause !== "unknown")).toEqual(
      expect.arrayContaining([["plugin-binary-missing", "sriov-like"], ["nad-missing", "default/not-there"], ["nad-missing", "kube-system/second-bridge"], ["cni-config-invalid", "multus-shim"]]),
    );
    const { out } = await run([], readFileSync(FIXTURE, "utf8"));
    expect(out).toMatch(/^\d+ times in \d+ texts? of FailedCreatePodSandBox:$/mu);
    expect(out).toContain("about  default/a-no-binary");
  });

  test("says undecided and ends well where the text decides nothing", async () => {
    const { code, out } = await run(["hello"]);
    expect([code, out.split("\n")[0]]).toEqual([0, "Undecided: the text does not decide."]);
  });

  test("lets nothing of a foreign text reach the terminal but text", async () => {
    const escape = String.fromCharCode(27);
    const hostile = `${escape}]0;x\u0007${escape}[2J failed to find plugin "br${escape}[31midge" in path [/opt/cni/bin]`;
    const list = JSON.stringify({ kind: "List", items: [{ kind: "Event", message: hostile, reason: `${escape}[2J`, involvedObject: { name: `${escape}[2J` } }] });
    for (const { out } of [await run([hostile]), await run([], list)]) {
      expect(out).toContain('failed to find plugin "bridge" in path');
      expect(out).not.toContain(escape);
    }
    const turned = await run([`cni plugin not initialized \u202e${MISSING}`]);
    expect(turned.out).not.toContain("\u202e");
  });

  test("counts what is said in a log, and says how many records beyond the bound it did not tell apart", async () => {
    const { out } = await run(["--output", "json"], Array.from({ length: 5_000 }, (_, index) => `E0101 00:00:${String(index % 60).padStart(2, "0")}.000000 1 x.go:1] ${MISSING}`).join("\n"));
    const { cause, messages, leftOut } = ExplainedTextSchema.parse(JSON.parse(out));
    expect(cause).toBe("plugin-binary-missing");
    expect((messages[0]?.count ?? 0) + leftOut).toBe(5_000);
    expect(leftOut).toBeGreaterThan(0);
  });

  test.each([
    ["no text", [], undefined, "There is no text to explain"],
    ["blank input", [], " \n", "There is no text to explain"],
    ["another output", ["x", "--output", "yaml"], undefined, '--output is "yaml": it must be text or json.'],
    ["a text and a file", ["x", "--file", "y"], undefined, "not both"],
    ["a file that is not there", ["--file", "/nowhere/at/all"], undefined, "The file /nowhere/at/all cannot be read"],
    ["an unknown option", ["--nope"], undefined, "Try --help"],
  ])("refuses %s with one sentence", async (_what, args, input, message) => {
    await expect(run(args, input)).rejects.toThrow(message);
  });
});
