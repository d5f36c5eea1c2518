import type { Status } from "@/server/contract/schemas";
import { cannotMount, tinyDisk } from "@/server/store/testing/mounts";
import { startProduct, until } from "./setup/product";
import { expect, test } from "./setup/test";

const DISK_MEGABYTES = 64;
const noMount = cannotMount();

test("a disk that fills up is told of on an open page, in the status and by /readyz with its folder, and is over once there is room", async ({ page }) => {
  test.skip(noMount !== undefined, noMount);
  const disk = tinyDisk(DISK_MEGABYTES);
  const product = await startProduct({ args: ["--simulate", "--scenario", "idle", "--nodes", "3"], dataDir: disk.dir });
  const ready = async (): Promise<string> => `${(await fetch(`${product.url}/readyz`)).status}`;
  try {
    await until("a status with nothing to fill in", 60_000, async () => ((await product.api<Status>("/api/v1/status")).backfill === undefined ? true : undefined));
    await page.goto(product.url);
    const banner = page.locator(".banner").filter({ hasText: "Nothing can be written to the data file" });
    await expect(banner).toBeHidden();
    expect(await ready()).toBe("200");

    disk.fillUp();
    await expect(banner).toContainText(`The disk under ${disk.dir}`, { timeout: 60_000 });
    await expect(banner).toContainText("is full: make room");
    expect((await product.api<Status>("/api/v1/status")).store).toMatchObject({ writable: false });
    const answer = await fetch(`${product.url}/readyz`);
    expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining(`The disk under ${disk.dir}`)]);

    disk.makeRoom();
    await expect(banner).toBeHidden({ timeout: 60_000 });
    await expect.poll(ready).toBe("200");
  } finally {
    await product.stop();
    disk.remove();
  }
});
