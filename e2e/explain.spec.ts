import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Page } from "@playwright/test";
import { expectClean, sizeWindow, WIDTHS } from "./setup/clean";
import { complaintsOf } from "./setup/complaints";
import { startProduct, type Product } from "./setup/product";
import { expect, test } from "./setup/test";

/** The explain page in a real browser: what one pastes, and what one reads. What a text means has its own tests beside the code. */
let product: Product;
test.beforeAll(async () => {
  product = await startProduct({ args: ["--simulate", "--scenario", "healthy", "--nodes", "3"] });
});
test.afterAll(() => product?.stop());

let complaints: readonly string[];
test.beforeEach(({ page }) => {
  complaints = complaintsOf(page);
});
const expectNoComplaint = (): void => expect(complaints, "what the browser complained of").toEqual([]);

const ROOT = path.resolve(import.meta.dirname, "..");
const LIST = readFileSync(path.resolve(import.meta.dirname, "../server/commands/fixtures/multus-missing-events.json"), "utf8");
const MISSING = 'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "5c": plugin type="bridge" failed (add): failed to find plugin "bridge" in path [/opt/cni/bin]';

const open = async (page: Page, fragment = ""): Promise<void> => {
  await page.goto(`${product.url}/explain${fragment}`);
  await expect(page.getByText("Live", { exact: true }).first()).toBeAttached();
};
const box = (page: Page) => page.getByRole("textbox", { name: "Text" });
/** The page listens a moment after it is painted: what is typed before is typed again. */
const paste = async (page: Page, text: string): Promise<void> => {
  await expect(async () => {
    await box(page).fill("");
    await box(page).fill(text);
    await expect(page.getByRole("button", { name: "Explain" })).toHaveAttribute("aria-disabled", "false", { timeout: 500 });
  }).toPass();
};

test("says of a pasted text the cause, what says so, what to look at and what to do, and leads to the cause's page", async ({ page }) => {
  await open(page);
  await expect(page.getByRole("heading", { name: "What can be explained" })).toBeVisible();
  await expect(page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Explain" })).toBeVisible();
  await paste(page, MISSING);
  await page.getByRole("button", { name: "Explain" }).click();
  await expect(page.getByRole("heading", { name: "What it says" })).toBeVisible();
  await expect(page.getByText("plugin-binary-missing", { exact: true })).toBeVisible();
  await expect(page.getByRole("list", { name: "What says so" })).toContainText('failed to find plugin "bridge" in path [/opt/cni/bin]');
  await expect(page.getByText("Told by kubelet → containerd → libcni")).toBeVisible();
  for (const part of ["Look at", "What to do"]) await expect(page.getByRole("heading", { name: part })).toBeVisible();
  await page.getByRole("link", { name: "What this cause is" }).click();
  await expect(page).toHaveURL(/\/causes\/plugin-binary-missing$/);
  expectNoComplaint();
});

test("works by keyboard alone, and keeps a short text in the address for a link", async ({ page }) => {
  await open(page);
  await paste(page, MISSING);
  await box(page).press("Control+Enter");
  await expect(page.getByRole("heading", { name: "What it says" })).toBeVisible();
  await expect(page).toHaveURL(/\/explain#text=Failed%20to%20create/);
  const address = page.url();
  await page.goto("about:blank");
  await page.goto(address);
  await expect(page.getByText("plugin-binary-missing", { exact: true })).toBeVisible();
  await expect(box(page)).toHaveValue(MISSING);
  await page.getByRole("button", { name: "Clear" }).focus();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/explain$/);
  await expect(page.getByRole("heading", { name: "What can be explained" })).toBeVisible();
  expectNoComplaint();
});

test("keeps what looks like a credential, and what is long, out of the address", async ({ page }) => {
  await open(page);
  for (const text of [`${MISSING} Authorization: Bearer eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln`, `${MISSING} ${"x".repeat(2_000)}`]) {
    await paste(page, text);
    await page.getByRole("button", { name: "Explain" }).click();
    await expect(page.getByText("plugin-binary-missing", { exact: true })).toBeVisible();
    await expect(page).toHaveURL(/\/explain$/);
    await expect(page.getByRole("button", { name: "Copy link" })).toHaveCount(0);
  }
  expectNoComplaint();
});

test("tells of a list of events each thing that is said in it, with whom it is about", async ({ page }) => {
  await open(page);
  await paste(page, LIST);
  await page.getByRole("button", { name: "Explain" }).click();
  await expect(page.getByRole("heading", { name: "What the list says" })).toBeVisible();
  const groups = page.locator("details.group > summary");
  await expect(groups.filter({ hasText: /about default\/a-no-nad/ }).first()).toBeVisible();
  await expect(groups.filter({ hasText: /about default\/a-no-binary/ }).first()).toBeVisible();
  await groups.filter({ hasText: /about default\/a-no-binary/ }).first().press("Enter");
  await expect(page.getByText("sriov-like", { exact: true }).first()).toBeVisible();
  expectNoComplaint();
});

test("shows foreign text as text, says undecided where nothing decides, and says why where it fails", async ({ page }) => {
  await open(page);
  await paste(page, 'failed to find plugin "<img src=x onerror=alert(1)>" in path [/opt/cni/bin]');
  await page.getByRole("button", { name: "Explain" }).click();
  await expect(page.getByRole("list", { name: "What says so" })).toContainText("<img src=x onerror=alert(1)>");
  await expect(page.locator("main img")).toHaveCount(0);
  await paste(page, "hello world");
  await page.getByRole("button", { name: "Explain" }).click();
  await expect(page.getByRole("heading", { name: "The text does not decide" })).toBeVisible();
  expectNoComplaint();
  await page.route("**/api/v1/explain", (route) => route.abort());
  await page.getByRole("button", { name: "Explain" }).click();
  await expect(page.getByRole("main").getByRole("alert")).toContainText("Sandglass does not answer.");
  await page.unroute("**/api/v1/explain");
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByRole("heading", { name: "The text does not decide" })).toBeVisible();
});

for (const width of WIDTHS) {
  test(`has nothing that axe finds, and no sideways scroll, in light and dark at ${width} px`, async ({ page }) => {
    await sizeWindow(page, width);
    await open(page);
    await expectClean(page, "the empty page");
    for (const [what, text] of [["a text", MISSING], ["a list", LIST], ["undecided", "context deadline exceeded"]] as const) {
      await paste(page, text);
      await page.getByRole("button", { name: "Explain" }).click();
      await expect(page.getByRole("heading", { name: what === "a list" ? "What the list says" : "What it says" })).toBeVisible();
      await expectClean(page, what);
    }
  });
}

test("the checkout's own command says the same of a text, from any folder and through a link", () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "sandglass-command-"));
  try {
    symlinkSync(path.join(ROOT, "sandglass"), path.join(folder, "linked"));
    const said = execFileSync(path.join(folder, "linked"), ["explain", "--output", "json", MISSING], { cwd: folder, encoding: "utf8" });
    expect(JSON.parse(said)).toMatchObject({ cause: "plugin-binary-missing" });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
