import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { freePort } from "../server/dev/free-port";
import { NODE_FLAGS } from "../server/dev/paths.mjs";
import { until } from "./setup/product";
import { expect, test } from "./setup/test";

const ROOT = path.resolve(import.meta.dirname, "..");
const dockerfile = readFileSync(path.join(ROOT, "Dockerfile"), "utf8");
const NOBODY = 65_532;

/** What the last stage of the Dockerfile puts together, in a folder: its COPY lines, carried out on this build. */
function layOutImage(): string {
  const image = mkdtempSync(path.join(os.tmpdir(), "sandglass-image-"));
  const copies = [...dockerfile.matchAll(/^COPY --from=build \/src\/(\S+) \.\/(\S+)$/gm)];
  expect(copies.length).toBeGreaterThan(3);
  for (const [, from = "", to = ""] of copies) cpSync(path.join(ROOT, from), path.join(image, to), { recursive: true, verbatimSymlinks: true });
  const link = /ln -s (\S+) (\S+)/.exec(dockerfile);
  symlinkSync(link?.[1] ?? "", path.join(image, link?.[2] ?? ""));
  return image;
}

test("what the image copies is all that the product needs, with nothing written beside its data", async ({ page }) => {
  const image = layOutImage();
  const data = mkdtempSync(path.join(os.tmpdir(), "sandglass-image-data-"));
  const asRoot = process.getuid?.() === 0;
  // The temporary folder may be closed to other users; what lies in it is named by its full path all the same.
  const node = path.join(ROOT, "node_modules/node/bin/node");
  execFileSync("chmod", ["-R", "a-w,a+rX", image]);
  if (asRoot) execFileSync("chown", ["-R", `${NOBODY}:${NOBODY}`, data]);
  chmodSync(data, 0o700);
  const port = await freePort();
  const before = execFileSync("find", [image, "-newermt", "@0", "-printf", "%p %T@\n"], { encoding: "utf8" });
  const [program, ...given] = JSON.parse(/^ENTRYPOINT (\[.*\])$/m.exec(dockerfile)?.[1] ?? "[]") as string[]; // a list of words, as the Dockerfile writes it
  expect([program, ...given]).toEqual(["node", ...NODE_FLAGS, "/app/dist/main.mjs"]);
  const product = spawn(node, [...NODE_FLAGS, path.join(image, "dist/main.mjs"), "serve", "--simulate", "--port", String(port)], {
    cwd: image,
    env: { PATH: process.env.PATH, NODE_ENV: "production", SANDGLASS_DATA: data, TMPDIR: data },
    stdio: ["ignore", "inherit", "inherit"],
    ...(asRoot ? { uid: NOBODY, gid: NOBODY } : {}),
  });
  const ended = once(product, "exit");
  try {
    await until("the pages", 60_000, async () => ((await fetch(`http://localhost:${port}/healthz`)).ok ? true : undefined));
    const codings: (string | undefined)[] = [];
    page.on("response", (response) => {
      if (response.request().resourceType() === "script") codings.push(response.headers()["content-encoding"]);
    });
    expect((await page.goto(`http://localhost:${port}/`))?.status()).toBe(200);
    expect([...new Set(codings)], "as what the scripts came").toEqual(["br"]);
  } finally {
    product.kill("SIGTERM");
    const [code] = (await ended) as [number | null];
    expect.soft(code).toBe(0);
    expect.soft(execFileSync("find", [image, "-newermt", "@0", "-printf", "%p %T@\n"], { encoding: "utf8" })).toBe(before);
    execFileSync("chmod", ["-R", "u+w", image]);
    for (const folder of [image, data]) rmSync(folder, { recursive: true, force: true });
  }
});

test("the image runs as nobody, on the Node that the project is built with", () => {
  expect(dockerfile).toMatch(/^USER 65532:65532$/m);
  const lock = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as { devDependencies: { node: string } };
  expect(dockerfile).toContain(`NODE_IMAGE=node:${lock.devDependencies.node}-`);
  expect(dockerfile.match(/^FROM .*/gm)).toEqual(["FROM ${NODE_IMAGE} AS build", "FROM ${NODE_IMAGE}"]);
});
