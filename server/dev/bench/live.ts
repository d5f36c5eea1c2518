import type { Browser, Page } from "@playwright/test";
import { loadConnection, type Connection } from "../../sources/kube-api/connect";
import { request } from "../../sources/kube-api/request";
import type { Figure } from "./figures";
import { wait, type Fleet } from "./fleet";
import { largest, percentile } from "./statistics";

const CHANGES = 10;
/** Changes come at any moment of the collector's second. */
const PAUSE_MS = 1_500;
const SPREAD_MS = 1_000;
const SETTLE_MS = 5_000;
const SEEN_TIMEOUT_MS = 60_000;
/** The API is watched, and what it told is judged once a second. */
const PERIOD_MS = 1_000;

/**
 * From the moment in which a node's change is sent to the API server until a page that was open all the while has drawn it: a
 * node is cordoned and uncordoned, on the fleet page and on the node's own. All clocks are this machine's.
 */
export async function benchLive(browser: Browser, fleet: Fleet, nodes: number): Promise<readonly Figure[]> {
  const [name = ""] = fleet.names;
  const connection = await loadConnection({ kubeconfig: fleet.kubeconfig, environment: { home: fleet.home } });
  if (connection === undefined) throw new Error("the simulated cluster's kubeconfig gave no connection");
  try {
    const figures: Figure[] = [];
    for (const { what, route } of [
      { what: "the fleet page", route: `/?q=${name}` },
      { what: "the node's page", route: `/nodes/${name}` },
    ]) {
      const took = await changesSeen(browser, `${fleet.url}${route}`, (cordoned) => cordon(connection, name, cordoned));
      figures.push(
        { part: "ui", nodes, what: `a node's change sent to the API server → drawn on ${what}, ${nodes} nodes: median of ${took.length}`, value: percentile(took, 0.5), unit: "ms" },
        { part: "ui", nodes, what: "the same: slowest", value: largest(took), unit: "ms", target: { most: PERIOD_MS + 1_000, words: "≤ 1 period (1 s) + 1 s" } },
      );
    }
    return figures;
  } finally {
    await connection.close();
  }
}

async function changesSeen(browser: Browser, url: string, change: (cordoned: boolean) => Promise<void>): Promise<readonly number[]> {
  const page = await browser.newPage();
  try {
    await page.goto(url, { waitUntil: "load" });
    await seen(page, false);
    await wait(SETTLE_MS);
    const took: number[] = [];
    for (let at = 0; at < CHANGES; at++) {
      await wait(PAUSE_MS + (SPREAD_MS * at) / CHANGES);
      const cordoned = at % 2 === 0;
      const startedMs = Date.now();
      const [seenMs] = await Promise.all([seen(page, cordoned), change(cordoned)]);
      took.push(seenMs - startedMs);
    }
    return took;
  } finally {
    await page.close();
  }
}

const cordon = async (connection: Connection, name: string, cordoned: boolean): Promise<void> =>
  void (await request(connection, { method: "PATCH", segments: ["api", "v1", "nodes", name], body: { spec: { unschedulable: cordoned ? true : null } }, contentType: "application/merge-patch+json" }));

/** When the page has drawn that the node is cordoned, or that it is not, by this machine's clock. */
async function seen(page: Page, cordoned: boolean): Promise<number> {
  return page.evaluate(
    ({ wanted, timeoutMs }) =>
      new Promise<number>((resolve, reject) => {
        const shows = (): boolean => [...document.querySelectorAll("main .chip, main .warn-t")].some((element) => element.textContent.includes("cordoned"));
        const late = setTimeout(() => reject(new Error(`the page did not show within ${timeoutMs} ms that the node is ${wanted ? "" : "not "}cordoned`)), timeoutMs);
        const look = (): void => {
          if (shows() !== wanted) return;
          observer.disconnect();
          clearTimeout(late);
          // The next frame holds it; a task after that frame's callbacks is after the drawing.
          requestAnimationFrame(() => setTimeout(() => resolve(Date.now()), 0));
        };
        const observer = new MutationObserver(look);
        observer.observe(document.body, { subtree: true, childList: true, characterData: true });
        look();
      }),
    { wanted: cordoned, timeoutMs: SEEN_TIMEOUT_MS },
  );
}
