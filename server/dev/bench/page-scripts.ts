import type { Page } from "@playwright/test";

export interface PageScripts {
  /** Bytes of all script bodies as they came over the wire, that is compressed. */
  readonly bytes: number;
  readonly files: number;
  /** Scripts worth compressing that came as they are, largest first: a server that forgot to would show here. */
  readonly uncompressed: readonly string[];
}

/** How long nothing more may come before the page counts as loaded. */
const QUIET_MS = 1_500;
/** Next leaves a smaller body as it is: compressed it would be no smaller. */
const WORTH_COMPRESSING_BYTES = 1_024;

/** Loads `url` and adds up every script that the page really asks for, those that it fetches ahead included. The page must be of a new context: what is cached weighs nothing. */
export async function scriptsOfPage(page: Page, url: string): Promise<PageScripts> {
  const found: Promise<{ readonly name: string; readonly bytes: number; readonly compressed: boolean }>[] = [];
  let lastMs = performance.now();
  page.on("response", (response) => {
    if (response.request().resourceType() !== "script" && !/javascript/.test(response.headers()["content-type"] ?? "")) return;
    lastMs = performance.now();
    found.push(
      (async () => {
        const failure = await response.finished();
        if (failure !== null || !response.ok()) throw new Error(`${response.url()} did not come whole: ${failure?.message ?? response.status()}`);
        const { responseBodySize } = await response.request().sizes();
        return { name: new URL(response.url()).pathname, bytes: responseBodySize, compressed: /gzip|br|zstd/.test((await response.allHeaders())["content-encoding"] ?? "") };
      })(),
    );
  });
  await page.goto(url, { waitUntil: "load" });
  while (performance.now() - lastMs < QUIET_MS) await page.waitForTimeout(100);
  const scripts = await Promise.all(found);
  if (scripts.length === 0) throw new Error(`${url} asked for no script`);
  return {
    bytes: scripts.reduce((sum, script) => sum + script.bytes, 0),
    files: scripts.length,
    uncompressed: scripts.filter((script) => !script.compressed && script.bytes >= WORTH_COMPRESSING_BYTES).sort((a, b) => b.bytes - a.bytes).map((script) => script.name),
  };
}
