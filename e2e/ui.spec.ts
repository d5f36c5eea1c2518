import type { Page } from "@playwright/test";
import type { Fleet, Status } from "@/server/contract/schemas";
import { freePort } from "../server/dev/free-port";
import { pressUntil } from "./setup/alive";
import { expectClean, sizeWindow, WIDTHS } from "./setup/clean";
import { complaintsOf } from "./setup/complaints";
import { startProduct, until, type Product } from "./setup/product";
import { expect, test } from "./setup/test";

/**
 * The pages on the simulated cluster: 24 nodes in three pools, two of them sick. What a person sees and does, in a real
 * browser; drawings and words have their own tests beside the code.
 */
let product: Product;
let sick: string;

test.beforeAll(async () => {
  product = await startProduct({ args: ["--simulate"] });
  const fleet = await until("24 nodes, two no", 60_000, async () => {
    const found = await product.api<Fleet>("/api/v1/fleet");
    return found.nodes.length === 24 && found.counts.no === 2 ? found : undefined;
  });
  sick = [...fleet.nodes].filter((node) => node.answer.state === "no").sort((a, b) => b.counts.waiting - a.counts.waiting)[0]?.name ?? "";
});
test.afterAll(() => product?.stop());

let complaints: readonly string[];
test.beforeEach(({ page }) => {
  complaints = complaintsOf(page);
});

/** Every test ends with it but those that take the server away. */
const expectNoComplaint = (): void => expect(complaints, "what the browser complained of").toEqual([]);

const open = async (page: Page, path: string): Promise<void> => {
  await page.goto(`${product.url}${path}`);
  await expect(page.getByText("Live", { exact: true }).first()).toBeAttached();
};

test.describe("the fleet page", () => {
  test("shows three counts that add up, the sick nodes first, and every node on the map and in the table", async ({ page }) => {
    await open(page, "/");
    const counts = await page.getByRole("region", { name: "Answers" }).locator(".cnt").allInnerTexts();
    const [no = 0, unknown = 0, yes = 0] = counts.map((text) => Number.parseInt(text, 10));
    expect(no).toBe(2);
    expect(no + unknown + yes).toBe(24);
    await expect(page.getByRole("region", { name: "Needs you now" }).getByRole("listitem").first()).toContainText(sick);
    await expect(page.getByRole("listbox", { name: /24 nodes by pool/ })).toBeVisible();
    await expect(page.getByRole("region", { name: "Nodes, scrolls sideways" }).locator("tbody tr")).toHaveCount(24);
    await expect(page.getByText("Simulated", { exact: true })).toBeVisible();
    expectNoComplaint();
  });

  test("keeps how it is looked at in the URL, so that a link shows what its sender saw", async ({ page }) => {
    await open(page, "/");
    await pressUntil(page.getByRole("status").filter({ hasText: "2 of 24 match" }), (bound) => page.getByRole("group", { name: "Answer" }).getByRole("button", { name: /^No/ }).click(bound));
    await page.getByRole("button", { name: /^Waiting/ }).first().click();
    await page.getByRole("button", { name: "Group by pool" }).click();
    await page.getByRole("group", { name: "Colour by" }).getByRole("button", { name: "Throttled" }).click();
    await expect(page).toHaveURL(/answer=no/);
    await expect(page).toHaveURL(/group=pool/);
    await expect(page).toHaveURL(/colour=throttled/);
    const address = page.url();
    await page.goto("about:blank");
    await page.goto(address);
    await expect(page.getByRole("status").filter({ hasText: "2 of 24 match" })).toBeVisible();
    await expect(page.getByRole("button", { name: "Group by pool" })).toHaveAttribute("aria-pressed", "true");
    expectNoComplaint();
  });

  test("is walked by keyboard alone: the map by arrows and Enter, the table by J and Enter", async ({ page }) => {
    await open(page, "/");
    const map = page.getByRole("listbox", { name: /nodes by pool/ });
    await map.focus();
    const named = async (): Promise<string> => (await map.getByRole("option").innerText()).split(",")[0] ?? "";
    const first = await named();
    // The frame of a page listens before its parts do; a key that came too early is pressed again.
    await expect(async () => {
      await page.keyboard.press("End");
      expect(await named()).not.toBe(first);
    }).toPass();
    await page.keyboard.press("Home");
    expect(await named()).toBe(first);
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(new RegExp(`/nodes/${first}$`));
    await page.goBack();
    await expect(page.locator("[data-line='0']")).toBeVisible();
    await page.locator("h1").click();
    await expect(async () => {
      await page.keyboard.press("j");
      await page.keyboard.press("k");
      await expect(page.locator("[data-line='0'] a")).toBeFocused({ timeout: 500 });
    }).toPass();
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(new RegExp(`/nodes/${sick}`));
    expectNoComplaint();
  });
});

test.describe("the node page", () => {
  test("answers in a sentence with its proof, and draws what led there on one axis", async ({ page }) => {
    await open(page, `/nodes/${sick}`);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(`No. ${sick} cannot start a pod now.`);
    for (const chart of ["Backlog", "RunPodSandbox latency"]) await expect(page.getByRole("group", { name: chart }).locator("svg.recharts-surface path").first()).toBeAttached();
    await expect(page.getByRole("group", { name: "Answer" }).getByText(/^No/).first()).toBeVisible();
    await expect(page.getByRole("region", { name: "Pods waiting for a sandbox" }).locator("tbody tr").first()).toBeVisible();
    await expect(page.getByRole("complementary", { name: "Proof and sources" })).toContainText("What the answer rests on");
    expectNoComplaint();
  });

  test("zooms into what is dragged over, holds the range in the URL, and goes back by Escape", async ({ page }) => {
    await open(page, `/nodes/${sick}`);
    const plot = page.getByRole("group", { name: "Backlog" }).locator(".wb-p");
    await expect(plot.locator("svg.recharts-surface path").first()).toBeAttached();
    const box = await plot.boundingBox();
    if (box === null) throw new Error("the chart has no box");
    await page.mouse.move(box.x + box.width * 0.4, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.7, box.y + 40, { steps: 5 });
    await page.mouse.up();
    await expect(page).toHaveURL(/from=\d{4}-.*&to=\d{4}-/);
    const query = new URL(page.url()).searchParams;
    const minutes = (Date.parse(query.get("to") ?? "") - Date.parse(query.get("from") ?? "")) / 60_000;
    expect(minutes).toBeGreaterThan(15);
    expect(minutes).toBeLessThan(21);
    await expect(page.getByRole("button", { name: "Follow now" })).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page).not.toHaveURL(/from=/);
    await page.getByRole("button", { name: "6 h", exact: true }).click();
    await expect(page).toHaveURL(/from=now-6h&to=now/);
    expectNoComplaint();
  });

  test("reads every chart at one cursor, which the arrow keys move", async ({ page }) => {
    await open(page, `/nodes/${sick}`);
    await expect(page.getByRole("group", { name: "Backlog" }).locator("svg.recharts-surface path").first()).toBeAttached();
    const cursor = page.getByRole("slider", { name: "Cursor of the timeline" });
    await cursor.focus();
    for (let presses = 0; presses < 6; presses += 1) await page.keyboard.press("ArrowLeft");
    await expect(cursor).toHaveAttribute("aria-valuetext", /\d{2}:\d{2}:\d{2} UTC$/);
    for (const chart of ["Backlog", "RunPodSandbox latency"]) await expect(page.getByRole("group", { name: chart }).locator("td.cur").first()).not.toBeEmpty();
    expectNoComplaint();
  });

  test("follows now: its end moves on without being asked to", async ({ page }) => {
    await open(page, `/nodes/${sick}`);
    const cursor = page.getByRole("slider", { name: "Cursor of the timeline" });
    const before = Number(await cursor.getAttribute("aria-valuemax"));
    await expect.poll(async () => Number(await cursor.getAttribute("aria-valuemax")) > before, { timeout: 45_000 }).toBe(true);
    expectNoComplaint();
  });

  test("leads to its neighbours by J and K", async ({ page }) => {
    await open(page, `/nodes/${sick}`);
    const next = await page.getByRole("link", { name: /Next node|Previous node/ }).first().getAttribute("title");
    const key = (await page.getByRole("link", { name: "Next node" }).count()) > 0 ? "j" : "k";
    await expect(async () => {
      await page.keyboard.press(key);
      await expect(page).not.toHaveURL(new RegExp(`/nodes/${sick}$`), { timeout: 3_000 });
    }).toPass();
    expect(next).not.toBeNull();
    expectNoComplaint();
  });
});

test.describe("every page", () => {
  const paths = (): string[] => ["/", `/nodes/${sick}`, "/visibility", `/visibility?node=${sick}`, "/causes", "/causes/daemon-cpu-throttled", "/nodes/there-is-no-such-node"];

  for (const width of WIDTHS) {
    test(`has nothing that axe finds, and no sideways scroll, in light and dark at ${width} px`, async ({ page }) => {
      await sizeWindow(page, width);
      for (const path of paths()) {
        await open(page, path);
        if (path === `/nodes/${sick}`) await expect(page.locator("svg.recharts-surface path").first()).toBeAttached();
        await expectClean(page, path);
      }
    });
  }

  test("shows where the focus is, in forced colours too", async ({ page }) => {
    await page.emulateMedia({ forcedColors: "active" });
    await open(page, "/");
    await page.keyboard.press("Tab");
    const focused = page.locator(":focus-visible");
    await expect(focused).toHaveCSS("outline-style", "solid");
    await expect(focused).not.toHaveCSS("outline-color", "rgba(0, 0, 0, 0)");
  });

  test("is no wider than its window between a telephone and a desk", async ({ page }) => {
    await open(page, "/");
    for (const width of [1_280, 1_217, 1_216, 1_100, 1_081, 1_080, 768, 721]) {
      await page.setViewportSize({ width, height: 900 });
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth), { message: `at ${width} px` }).toBeLessThanOrEqual(width);
    }
    expectNoComplaint();
  });

  test("shows and keeps the theme that was chosen, from its first byte on", async ({ page }) => {
    await page.emulateMedia({ colorScheme: "light" });
    await open(page, "/");
    await page.getByRole("button", { name: "Switch theme" }).click();
    await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
    const answer = await page.reload();
    expect(await answer?.text()).toContain('data-theme="dark"');
    expectNoComplaint();
  });

  test("shows times in the reader's zone when asked to, and says which", async ({ browser }) => {
    const context = await browser.newContext({ timezoneId: "Asia/Tokyo" });
    const page = await context.newPage();
    await open(page, "/");
    const asOf = page.locator(".q");
    await expect(asOf).toContainText("UTC");
    await page.getByRole("group", { name: "Time zone" }).getByRole("button", { name: "Local" }).click();
    await expect(asOf).toContainText("Tokyo");
    await page.reload();
    await expect(asOf).toContainText("Tokyo");
    await context.close();
  });

  test("opens a node by a part of its name, and its keys by a question mark", async ({ page }) => {
    await open(page, "/visibility");
    await page.keyboard.press("/");
    const name = page.getByRole("combobox", { name: "Part of a node's name" });
    await expect(name).toBeFocused();
    await name.fill(sick);
    await expect(page.getByRole("option", { selected: true })).toContainText(sick);
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(new RegExp(`/nodes/${sick}$`));
    await page.keyboard.press("?");
    await expect(page.getByRole("dialog", { name: "Keyboard" })).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog", { name: "Keyboard" })).toBeHidden();
    expectNoComplaint();
  });

  test("has its icon also where a browser asks for it by itself", async ({ request }) => {
    const answer = await request.get(`${product.url}/favicon.ico`);
    expect([answer.status(), answer.headers()["content-type"]]).toEqual([200, "image/svg+xml"]);
  });

  test("answers 404 for names that no node can have or has", async ({ request }) => {
    for (const name of ["there-is-no-such-node", "..%2f..%2fapi", "a%00b", "a%0d%0ab", "n".repeat(300)]) {
      expect.soft((await request.get(`${product.url}/nodes/${name}`)).status(), name).toBe(404);
    }
    for (const route of ["nodes", "api/v1/nodes"]) expect.soft((await request.get(`${product.url}/${route}/%E0%A4%A`)).status(), route).toBe(400);
  });
});

test("a page moves by its one stream; a server that goes away shows as lost, with the age of the data that stays; the page resumes alone", async ({ page }) => {
  test.setTimeout(240_000);
  const port = await freePort();
  let other = await startProduct({ args: ["--simulate", "--scenario", "healthy", "--nodes", "3"], port });
  try {
    await until("three nodes", 60_000, async () => ((await other.api<Fleet>("/api/v1/fleet")).nodes.length === 3 ? true : undefined));
    // While the past is being filled in the page reads it anew; that is not what is looked at here.
    await until("the past filled in", 100_000, async () => ((await other.api<Status>("/api/v1/status")).backfill === undefined ? true : undefined));
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(other.url);
    await expect(page.locator(".live")).toContainText("Live");
    const asOf = page.locator(".q time");
    const before = Date.parse((await asOf.getAttribute("datetime")) ?? "");
    await expect.poll(async () => Date.parse((await asOf.getAttribute("datetime")) ?? ""), { timeout: 60_000 }).toBeGreaterThan(before);
    expect(asked.filter((path) => path === "/api/v1/fleet")).toEqual([]);
    expect(asked.filter((path) => path === "/api/v1/stream")).toHaveLength(1);
    await other.stop();
    await expect(page.locator(".live")).toContainText("Connection lost", { timeout: 30_000 });
    await expect(page.locator(".banner").filter({ hasText: "Connection lost" })).toContainText("old");
    await expect(page.getByRole("region", { name: "Nodes, scrolls sideways" }).locator("tbody tr")).toHaveCount(3);
    other = await startProduct({ args: ["--simulate", "--scenario", "healthy", "--nodes", "3"], port });
    await expect(page.locator(".live")).toContainText("Live", { timeout: 60_000 });
  } finally {
    await other.stop();
  }
});
