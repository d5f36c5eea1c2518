import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect } from "./test";

/** Widths of windows: a desk's and a telephone's. */
export const WIDTHS = [1_440, 390] as const;

/** The rules of axe that look at colours: all else is the same in light and in dark. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

/** Nothing that axe can find, in light and in dark, and nothing wider than the window. The page is left dark. */
export async function expectClean(page: Page, what: string): Promise<void> {
  for (const [colorScheme, axe] of [["light", new AxeBuilder({ page })], ["dark", new AxeBuilder({ page }).withRules(COLOUR_RULES)]] as const) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await axe.analyze();
    expect.soft(violations.map(({ id, nodes }) => `${id}: ${nodes.map((one) => one.target.join(" ")).join(", ")}`), `${what}, ${colorScheme}`).toEqual([]);
  }
  expect.soft(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth), `how much wider ${what} is than the window`).toBeLessThanOrEqual(0);
}

/** A window of this width in which nothing moves. */
export async function sizeWindow(page: Page, width: number): Promise<void> {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.setViewportSize({ width, height: 900 });
}
