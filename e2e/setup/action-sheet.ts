import type { Locator, Page } from "@playwright/test";

/** Fast enough that a check after ten minutes comes after two, slow enough that a busy machine keeps every source fresh. */
export const SPEED = 5;
export const VERDICT_TIMEOUT_MS = 180_000;
/** A page of a machine that carries a whole cluster besides may be slow to come alive. */
export const PAGE_TIMEOUT_MS = 60_000;

/** What a node's page offers to do, the sheet that a button there opens, and how its run is going. */
export const panel = (page: Page): Locator => page.getByRole("region", { name: "What can be done" });
export const sheet = (page: Page): Locator => page.getByRole("dialog");
export const outcome = (page: Page): Locator => sheet(page).getByRole("status", { name: "Outcome so far" });
