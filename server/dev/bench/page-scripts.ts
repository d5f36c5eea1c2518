import type { Page } from "@playwright/test";
import { request } from "undici";

export interface PageScripts {
  /** Bytes of all script bodies as they came over the wire, that is compressed. */
  readonly bytes: number;
  readonly files: number;
  /** How they came: "br", or several codings with commas. */
  readonly coding: string;
  /** The same scripts for a browser that takes gzip and nothing else, as over plain HTTP to another machine. */
  readonly gzipBytes: number;
  /** Scripts worth compressing that came as they are, largest first: a server that forgot to would show here. */
  readonly uncompressed: readonly string[];
}

/** How long nothing more may come before the page counts as loaded. */
const QUIET_MS = 1_500;
/** A smaller body is left as it is where it would be no smaller. */
const WORTH_COMPRESSING_BYTES = 1_024;

/** Loads `url` and adds up every script that the page really asks for, those that it fetches ahead included. The page must be of a new context: what is cached weighs nothing. */
export async function scriptsOfPage(page: Page, url: string): Promise<PageScripts> {
  const found: Promise<{ readonly url: string; readonly bytes: number; readonly coding: string | undefined }>[] = [];
  let lastMs = performance.now();
  page.on("response", (response) => {
    if (response.request().resourceType() !== "script" && !/javascript/.test(response.headers()["content-type"] ?? "")) return;
    lastMs = performance.now();
    found.push(
      (async () => {
        const failure = await response.finished();
        if (failure !== null || !response.ok()) throw new Error(`${response.url()} did not come whole: ${failure?.message ?? response.status()}`);
        const { responseBodySize } = await response.request().sizes();
        return { url: response.url(), bytes: responseBodySize, coding: (await response.allHeaders())["content-encoding"] };
      })(),
    );
  });
  await page.goto(url, { waitUntil: "load" });
  while (performance.now() - lastMs < QUIET_MS) await page.waitForTimeout(100);
  const scripts = await Promise.all(found);
  if (scripts.length === 0) throw new Error(`${url} asked for no script`);
  return {
    bytes: sum(scripts.map((script) => script.bytes)),
    files: scripts.length,
    coding: [...new Set(scripts.flatMap(({ coding }) => coding ?? []))].sort().join(", "),
    gzipBytes: sum(await Promise.all(scripts.map((script) => bytesInGzip(script.url)))),
    uncompressed: scripts.filter(({ coding, bytes }) => coding === undefined && bytes >= WORTH_COMPRESSING_BYTES).sort((a, b) => b.bytes - a.bytes).map((script) => new URL(script.url).pathname),
  };
}

/** A browser cannot be told to take less than it does, so this asks without one. */
async function bytesInGzip(url: string): Promise<number> {
  const { statusCode, body } = await request(url, { headers: { "accept-encoding": "gzip" } });
  const { byteLength } = await body.arrayBuffer();
  if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}`);
  return byteLength;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
