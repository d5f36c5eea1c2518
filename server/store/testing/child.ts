import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";

const PROJECT = path.resolve(import.meta.dirname, "../../..");

/** The child program as one file that plain node runs; inside node_modules, so that it finds its packages. */
export async function bundleChild(entry = path.join(import.meta.dirname, "store.child.ts")): Promise<string> {
  const outfile = path.join(PROJECT, "node_modules/.cache/sandglass-tests", `child-${randomUUID()}.mjs`);
  await build({ entryPoints: [entry], bundle: true, platform: "node", format: "esm", packages: "external", outfile, logLevel: "error" });
  return outfile;
}

export interface Child {
  readonly pid: number;
  readonly lines: readonly string[];
  /** The next line that is not waited for yet. Rejects where the child ends first. */
  line(): Promise<string>;
  /** SIGKILL, and waits until it is gone and its last line is read. */
  kill(): Promise<void>;
  readonly ended: Promise<number | null>;
}

export function startChild(program: string, args: readonly string[], user?: number): Child {
  const child: ChildProcess = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "pipe"], ...(user === undefined ? {} : { uid: user, gid: user }) });
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null || child.pid === undefined) throw new Error("the child did not start");
  const lines: string[] = [];
  let errors = "";
  let taken = 0;
  const wakes = new Set<() => void>();
  const wake = (): void => {
    for (const run of wakes) run();
  };
  const reader = createInterface({ input: stdout });
  reader.on("line", (text) => {
    lines.push(text);
    wake();
  });
  stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  let over = false;
  const ended = Promise.all([once(child, "close"), once(reader, "close")]).then(([[code]]) => {
    over = true;
    wake();
    return typeof code === "number" ? code : null;
  });
  return {
    pid: child.pid,
    lines,
    ended,
    line: async () => {
      while (lines[taken] === undefined) {
        if (over) throw new Error(`the child ended: ${errors}`);
        await new Promise<void>((resolve) => {
          const once = (): void => {
            wakes.delete(once);
            resolve();
          };
          wakes.add(once);
        });
      }
      taken += 1;
      return lines[taken - 1] ?? "";
    },
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
