import type { Locator } from "@playwright/test";
import { expect } from "./test";

const AGAIN_AFTER_MS = 3_000;

/**
 * A page is painted a moment before it listens: what was pressed too early is pressed again, until what comes of it is seen. `press` has to
 * hand on the bound that it is given, for what it presses may go with what comes of it.
 */
export async function pressUntil(seen: Locator, press: (bound: { readonly timeout: number }) => Promise<void>): Promise<void> {
  await expect(async () => {
    if (!(await seen.isVisible())) await press({ timeout: AGAIN_AFTER_MS });
    await expect(seen).toBeVisible({ timeout: AGAIN_AFTER_MS });
  }).toPass();
}
