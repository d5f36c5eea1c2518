import { defineConfig, devices } from "@playwright/test";

/** Browsers find neither a proxy nor a service of their maker: what a page asks for outside loopback fails the test (`setup/test.ts`). */
const CHROMIUM_FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-domain-reliability", "--no-pings", "--no-proxy-server"];
const TEST_TIMEOUT_MS = 120_000;
const REAL_TEST_TIMEOUT_MS = 420_000;

export default defineConfig({
  testDir: ".",
  outputDir: "../test-results",
  // Each spec file starts servers or clusters of its own; two cores carry one at a time.
  workers: 1,
  fullyParallel: false,
  forbidOnly: true,
  timeout: TEST_TIMEOUT_MS,
  expect: { timeout: 15_000 },
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
    { name: "browser", testMatch: "*.spec.ts", testIgnore: "real/**" },
    { name: "real", testMatch: "real/**/*.spec.ts", timeout: REAL_TEST_TIMEOUT_MS },
  ],
});
