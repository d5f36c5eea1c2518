import type { Fleet } from "@/server/contract/schemas";
import { scriptsOfPage } from "@/server/dev/bench/page-scripts";
import { startProduct, until, type Product } from "./setup/product";
import { expect, test } from "./setup/test";

/** Compressed, as browsers get it: the fleet page must come fast over a poor line, and charts belong to a node's page alone. */
const KB = 1_000;
const BUDGETS = { fleet: 150 * KB, node: 300 * KB } as const; // docs/decisions/0055-the-fleet-pages-javascript.md

let product: Product;
let node: string;
test.beforeAll(async () => {
  product = await startProduct({ args: ["--simulate", "--scenario", "healthy", "--nodes", "3"] });
  node = await until("three nodes", 60_000, async () => {
    const { nodes } = await product.api<Fleet>("/api/v1/fleet");
    return nodes.length === 3 ? nodes[0]?.name : undefined;
  });
});
test.afterAll(() => product?.stop());

test("the fleet page's JavaScript is at most 150 KB, compressed, with all that it fetches ahead", async ({ page }) => {
  const { bytes, coding, uncompressed } = await scriptsOfPage(page, `${product.url}/`);
  expect.soft(uncompressed, "scripts that were sent uncompressed").toEqual([]);
  expect.soft(coding, "what they were packed with").toBe("br");
  expect(bytes).toBeLessThanOrEqual(BUDGETS.fleet);
});

test("a node page's JavaScript is at most 300 KB, compressed", async ({ page }) => {
  const { bytes, uncompressed } = await scriptsOfPage(page, `${product.url}/nodes/${node}`);
  expect.soft(uncompressed, "scripts that were sent uncompressed").toEqual([]);
  expect(bytes).toBeLessThanOrEqual(BUDGETS.node);
});
