import { chromium, type Browser, type Page } from "@playwright/test";
import { openIngest } from "../../store/ingest";
import type { Figure } from "./figures";
import { batchOf, nodeNames, PERIOD_MS, PERIODS_PER_BATCH, randomFrom, samplesAt, upkeep } from "./fill";
import { startFleet, wait, type Fleet } from "./fleet";
import { benchLive } from "./live";
import { scriptsOfPage } from "./page-scripts";
import type { BenchOptions } from "./run-options";
import { KB, largest, percentile } from "./statistics";

const SMALL_FLEET = 24;
const PROMISED_FLEET = 5_000;
const LOADS = 7;
const CLICKS = 11;
const LIVE_MS = 20_000;
/** A live fleet moves on: the first loads after the start would measure caches that nobody has warmed. */
const SETTLE_MS = 5_000;
const CHART_TIMEOUT_MS = 30_000;
const HOUR_MS = 3_600_000;
/** As the tests start it: no name but localhost can be looked up, and nothing of the browser's own is asked for. */
const FLAGS = ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-proxy-server", "--no-first-run", "--disable-gpu"];
const VIEWPORT = { width: 1_440, height: 900 };

/** A line or an area that recharts has drawn. */
const DRAWN = "#timeline path.recharts-curve[d]";

/** What the pages weigh and how soon they show something, in a real browser. */
export async function benchUi(options: BenchOptions, say: (line: string) => void): Promise<readonly Figure[] | string> {
  if (options.chromium === undefined) return "no Chromium was found: install one, or set CHROMIUM_PATH to it";
  const browser = await chromium.launch({ executablePath: options.chromium, args: FLAGS });
  try {
    const figures: Figure[] = [];
    for (const nodes of new Set([SMALL_FLEET, options.nodes])) {
      const small = nodes === SMALL_FLEET;
      const fleet = await startFleet({ ...options, nodes, say, ...(small ? { prepare: (file, names) => fillPast(file, names, options.hours) } : {}) });
      try {
        await wait(SETTLE_MS);
        say(`loading the pages of ${nodes} nodes`);
        if (small) figures.push(...(await weights(browser, fleet)));
        figures.push(...(await firstPaint(browser, fleet, nodes)));
        if (nodes === options.nodes) figures.push(await longTasks(browser, fleet, nodes), ...(await benchLive(browser, fleet, nodes)));
        if (small) figures.push(...(await clickToChart(browser, fleet, options.hours)));
      } finally {
        await fleet.stop();
      }
    }
    return figures;
  } finally {
    await browser.close();
  }
}

/** So that a node's timeline is as long as it is after hours of running. */
function fillPast(file: string, texts: readonly string[], hours: number): void {
  const names = nodeNames(texts);
  const endMs = Math.floor(Date.now() / PERIOD_MS) * PERIOD_MS;
  const startMs = endMs - hours * HOUR_MS;
  const random = randomFrom(3);
  const ingest = openIngest({ file, nowMs: endMs });
  try {
    for (let batchMs = startMs; batchMs < endMs; batchMs += PERIODS_PER_BATCH * PERIOD_MS) {
      const periods = Array.from({ length: PERIODS_PER_BATCH }, (_, index) => batchMs + index * PERIOD_MS).filter((atMs) => atMs < endMs);
      const began = batchMs === startMs;
      ingest.write(
        batchOf(periods.at(-1) ?? batchMs, periods.flatMap((atMs) => samplesAt(names, atMs, random)), {
          answers: began ? names.map((node) => ({ node, atMs: startMs, state: "yes", atRisk: false, idle: false, summary: "filled in by the benchmark" })) : [],
        }),
      );
      upkeep(ingest, batchMs);
    }
  } finally {
    ingest.close();
  }
}

/** Each call is a visitor who was never here: nothing is cached. */
async function visit<T>(browser: Browser, look: (page: Page) => Promise<T>): Promise<T> {
  const context = await browser.newContext({ viewport: VIEWPORT });
  try {
    return await look(await context.newPage());
  } finally {
    await context.close();
  }
}

async function weights(browser: Browser, { url, names }: Fleet): Promise<readonly Figure[]> {
  const node = `/nodes/${names[0] ?? ""}`;
  const figures: Figure[] = [];
  for (const { what, route, budget } of [
    { what: "the fleet page", route: "/", budget: 150 },
    { what: "a node's page", route: node, budget: 300 },
    { what: "the visibility page", route: "/visibility", budget: undefined },
  ]) {
    const { bytes, files, coding, gzipBytes, uncompressed } = await visit(browser, (page) => scriptsOfPage(page, `${url}${route}`));
    if (uncompressed.length > 0) throw new Error(`${route} got scripts that were not compressed: ${uncompressed.join(", ")}`);
    figures.push({ part: "ui", what: `JavaScript of ${what}, compressed (${coding}), ${files} files`, value: bytes / KB, unit: "KB", ...(budget === undefined ? {} : { target: { most: budget, words: `≤ ${budget} KB` } }) });
    figures.push({ part: "ui", what: "the same for a browser that takes gzip alone", value: gzipBytes / KB, unit: "KB" });
  }
  return figures;
}

async function firstPaint(browser: Browser, { url }: Fleet, nodes: number): Promise<readonly Figure[]> {
  const paints: number[] = [];
  for (let load = 0; load < LOADS; load++) {
    paints.push(
      await visit(browser, async (page) => {
        await page.goto(`${url}/`, { waitUntil: "load" });
        return page.evaluate(
          (timeoutMs) =>
            new Promise<number>((resolve, reject) => {
              setTimeout(() => reject(new Error("the browser told no first contentful paint")), timeoutMs);
              new PerformanceObserver((list) => {
                const entry = list.getEntriesByName("first-contentful-paint")[0];
                if (entry !== undefined) resolve(entry.startTime);
              }).observe({ type: "paint", buffered: true });
            }),
          CHART_TIMEOUT_MS,
        );
      }),
    );
  }
  const part = "ui";
  return [
    { part, nodes, what: `first contentful paint of the fleet page, ${nodes} nodes: median of ${LOADS}`, value: percentile(paints, 0.5), unit: "ms", target: { most: 1_500, words: "≤ 1.5 s at 5,000 nodes", nodes: PROMISED_FLEET } },
    { part, what: "the same: slowest", value: largest(paints), unit: "ms" },
  ];
}

/** Tasks that keep the page from drawing or answering while it is open and the fleet moves. */
async function longTasks(browser: Browser, { url }: Fleet, nodes: number): Promise<Figure> {
  const tasks = await visit(browser, async (page) => {
    await page.goto(`${url}/`, { waitUntil: "load" });
    await page.waitForTimeout(SETTLE_MS);
    return page.evaluate(
      (liveMs) =>
        new Promise<number[]>((resolve) => {
          const long: number[] = [];
          new PerformanceObserver((list) => long.push(...list.getEntries().map((entry) => entry.duration))).observe({ type: "longtask" });
          setTimeout(() => resolve(long), liveMs);
        }),
      LIVE_MS,
    );
  });
  return { part: "ui", nodes, what: `tasks over 50 ms in ${LIVE_MS / 1_000} s of live updates of ${nodes} nodes`, value: tasks.length, unit: "count", ...(tasks.length === 0 ? {} : { note: `(longest ${Math.round(largest(tasks))} ms)` }), target: { most: 0, words: "none at 5,000 nodes", nodes: PROMISED_FLEET } };
}

/** From the click on a node in the fleet's table to the frame that shows its chart, by the page's own clock. */
async function clickToChart(browser: Browser, fleet: Fleet, hours: number): Promise<readonly Figure[]> {
  const took = await visit(browser, async (page) => {
    const times: number[] = [];
    for (let click = 0; click < CLICKS; click++) {
      if (click === 0) await page.goto(`${fleet.url}/`, { waitUntil: "load" });
      else await page.getByRole("link", { name: "Fleet", exact: true }).first().click();
      const link = page.locator("#nodes tbody a").nth(click);
      await link.waitFor({ timeout: CHART_TIMEOUT_MS });
      await page.waitForTimeout(SETTLE_MS / 5); // the page that was gone to is at rest
      times.push(await timedClick(page, () => link.click()));
    }
    return times;
  });
  const [first = NaN, ...others] = took;
  const part = "ui";
  return [
    { part, what: `click on a node → its chart is on screen, ${hours} h stored: median of ${others.length}`, value: percentile(others, 0.5), unit: "ms", target: { most: 200, words: "≤ 200 ms" } },
    { part, what: "the same: slowest", value: largest(others), unit: "ms" },
    { part, what: "the same, first node that a visitor opens (the chart's code is fetched)", value: first, unit: "ms" },
  ];
}

async function timedClick(page: Page, click: () => Promise<void>): Promise<number> {
  await page.evaluate((drawn) => {
    document.addEventListener(
      "click",
      (event) => {
        const look = (): void => {
          if (document.querySelector(drawn) === null) requestAnimationFrame(look);
          // The frame in which it was found is drawn after this callback; a task after it is after the drawing.
          else setTimeout(() => document.documentElement.setAttribute("data-bench-ms", String(performance.now() - event.timeStamp)), 0);
        };
        requestAnimationFrame(look);
      },
      { capture: true, once: true },
    );
  }, DRAWN);
  await click();
  const html = page.locator("html[data-bench-ms]");
  await html.waitFor({ state: "attached", timeout: CHART_TIMEOUT_MS });
  const ms = Number(await html.getAttribute("data-bench-ms"));
  await page.evaluate(() => document.documentElement.removeAttribute("data-bench-ms"));
  if (!(ms > 0)) throw new Error("the click was not timed");
  return ms;
}
