import { describe, expect, it } from "vitest";
import type { Status } from "@/server/contract/schemas";
import { ageSeconds, dataWrittenMs, freshness, STALE_AFTER_SECONDS, type Connection } from "./connection";
import { createLiveStore } from "./live-store";
import { createServerClock } from "./server-clock";

const AT = Date.parse("2026-03-17T03:12:40.000Z");
const status = (change: Partial<Status> = {}): Status => ({ version: "1", at: new Date(AT).toISOString(), actionsAllowed: false, ...change });

describe("the server's clock", () => {
  it("goes on by the browser's monotonic time, at the rate of a simulated cluster, whatever the reader's own clock says", () => {
    let monotonic = 1_000;
    const clock = createServerClock(AT, 10, () => monotonic);
    monotonic += 2_000;
    expect(clock.now()).toBe(AT + 20_000);
    clock.set(AT + 19_000);
    expect(clock.now()).toBe(AT + 19_000);
  });
});

describe("the age of data", () => {
  const open: Connection = { state: "open", dataAtMs: 1_000 };

  it("grows in real seconds, also where the simulated cluster runs faster", () => {
    expect(dataWrittenMs({ collectorAgeSeconds: 40 }, 10_000, 10)).toBe(6_000);
    expect(ageSeconds(open, 5_000)).toBe(4);
  });

  it("is unknown while the collector has written nothing", () => {
    expect(dataWrittenMs({}, 10_000, 1)).toBeUndefined();
  });

  it("marks old data as stale and a broken link as lost, and never calls either live", () => {
    expect(freshness(open, 3)).toBe("live");
    expect(freshness(open, STALE_AFTER_SECONDS + 1)).toBe("stale");
    expect(freshness({ ...open, state: "lost" }, 3)).toBe("lost");
    expect(freshness({ ...open, state: "connecting" }, 3)).toBe("connecting");
  });
});

describe("what pages know of the link", () => {
  it("ages from the collector's last word, not from the server's last answer", () => {
    let monotonic = 100_000;
    const store = createLiveStore(createServerClock(AT, 1, () => monotonic), status({ collectorAgeSeconds: 4 }), () => monotonic);
    expect(ageSeconds(store.connection(), monotonic)).toBe(4);
    monotonic += 10_000;
    store.heard(status({ collectorAgeSeconds: 14 }));
    expect(ageSeconds(store.connection(), monotonic)).toBe(14);
  });

  it("tells its readers once per change of state", () => {
    const store = createLiveStore(createServerClock(AT, 1), status());
    let told = 0;
    store.subscribeConnection(() => (told += 1));
    store.setState("lost");
    store.setState("lost");
    store.setState("open");
    expect(told).toBe(2);
  });
});
