import type { Page } from "@playwright/test";

/** What a page's browser complains of from now on: errors in its console, with the address that they are about, and those that nobody caught. */
export function complaintsOf(page: Page): readonly string[] {
  const complaints: string[] = [];
  page.on("console", (message) => void (message.type() === "error" && complaints.push(`${message.text()} (${message.location().url})`)));
  page.on("pageerror", (error) => complaints.push(error.message));
  return complaints;
}
