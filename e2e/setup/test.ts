import { expect, test as base } from "@playwright/test";

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Playwright's `test`, whose pages may ask loopback alone: anything else that they ask for fails the test by its address. */
export const test = base.extend({
  context: async ({ context }, use) => {
    const outside: string[] = [];
    context.on("request", (request) => {
      const url = new URL(request.url());
      if (/^(https?|wss?):$/.test(url.protocol) && !LOOPBACK.has(url.hostname)) outside.push(request.url());
    });
    await use(context);
    expect(outside, "addresses outside loopback that a page asked for").toEqual([]);
  },
});

export { expect };
