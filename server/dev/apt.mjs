import { existsSync } from "node:fs";
import { run, step } from "./steps.mjs";

/** Installs Debian packages. Returns why it could not, or undefined where it did. */
export async function aptInstall(packages) {
  if (process.getuid?.() !== 0) return "that needs root";
  if (!existsSync("/usr/bin/apt-get")) return "this is no Debian";
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const install = () => run("apt-get", ["install", "--yes", "--no-install-recommends", ...packages], { env });
  return step(`Installing ${packages.join(", ")} by apt-get`, async () => {
    if ((await install()).code === 0) return undefined;
    await run("apt-get", ["update"], { env }); // a new machine has no list yet, and an old one names versions that are gone
    const { code, output } = await install();
    return code === 0 ? undefined : output.trim().split("\n").at(-1);
  });
}
