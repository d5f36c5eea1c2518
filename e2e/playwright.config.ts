import { defineConfig, devices } from "@playwright/test";

/**
 * A browser of its own accord asks its maker's services for updates, accounts and suggestions. Here it can look up no
 * name but localhost; what a page asks for is seen before that, and fails the test (`setup/test.ts`).
 */
const CHROMIUM_FLAGS = [
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1, EXCLUDE [::1]",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-proxy-server",
  "--no-first-run",
  "--no-sandbox",
  "--disable-gpu",
];
const TEST_TIMEOUT_MS = 120_000;
/** A browser, a simulator and the product fill two cores. Each spec file starts its own. */
const BROWSER_WORKERS = 1;
/** A real cluster is mostly waited for: two side by side, each of one spec file. */
const REAL_WORKERS = 2;
const REAL_TEST_TIMEOUT_MS = 420_000;

export default defineConfig({
  testDir: ".",
  outputDir: "../test-results",
  workers: REAL_WORKERS,
  fullyParallel: false,
  forbidOnly: true,
  timeout: TEST_TIMEOUT_MS,
  expect: { timeout: 30_000 },
  reporter: [["list"]],
  use: {
    ...devices["Desktop Chrome"],
    viewport: { width: 1440, height: 900 },
    screenshot: "only-on-failure",
    trace: "retain-on-failure",
    launchOptions: {
      args: CHROMIUM_FLAGS,
      ...(process.env.CHROMIUM_PATH === undefined ? {} : { executablePath: process.env.CHROMIUM_PATH }),
    },
  },
  projects: [
    { name: "browser", testMatch: "*.spec.ts", testIgnore: "real/**", workers: BROWSER_WORKERS },
    { name: "real", testMatch: "real/**/*.spec.ts", timeout: REAL_TEST_TIMEOUT_MS },
  ],
});
