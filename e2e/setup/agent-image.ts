import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Cluster } from "./cluster";

const ROOT = path.resolve(import.meta.dirname, "../..");
const NODE = realpathSync(path.join(ROOT, "node_modules/node/bin/node"));
export const AGENT_IMAGE = "localhost/sandglass:test";

/** Packs the built product with the Node that runs it, and hands it to the node's containerd: what the Dockerfile makes, without a registry. */
export async function importAgentImage(cluster: Cluster): Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "sandglass-image-"));
  try {
    const root = path.join(folder, "root");
    for (const one of ["usr/bin", "app/dist", "tmp", "proc", "host"]) mkdirSync(path.join(root, one), { recursive: true });
    copyFileSync(NODE, path.join(root, "usr/bin/node"));
    cpSync(path.join(ROOT, "dist"), path.join(root, "app/dist"), { recursive: true, filter: (file) => !file.endsWith(".map") });
    for (const library of librariesOf(NODE)) {
      const target = path.join(root, library);
      mkdirSync(path.dirname(target), { recursive: true });
      copyFileSync(realpathSync(library), target);
    }
    mkdirSync(path.join(root, "etc"));
    symlinkSync("../proc/self/mounts", path.join(root, "etc/mtab"));
    const tar = path.join(folder, "image.tar");
    execFileSync(process.execPath, [path.join(ROOT, "e2e/cluster/make-image.mjs"), AGENT_IMAGE, tar, root, "node"]);
    await cluster.enter(["ctr", "-n", "k8s.io", "images", "import", tar]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** "libm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x…)", and the loader itself. */
const librariesOf = (program: string): readonly string[] =>
  [...execFileSync("ldd", [program], { encoding: "utf8" }).matchAll(/(\/\S+) \(0x/g)].map(([, library]) => library ?? "");
