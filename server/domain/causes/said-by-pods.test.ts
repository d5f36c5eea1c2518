import { describe, expect, it } from "vitest";
import { apiserverUnreachable } from "./apiserver-unreachable";
import { authOrRbac } from "./auth-or-rbac";
import { deviceUnavailable } from "./device-unavailable";
import { hostLinkConflict } from "./host-link-conflict";
import { NEXT_TRY_MS, saidByPods } from "./said-by-pods";
import { checked } from "./testing/cases";
import { causeInput } from "./testing/input";
import { NOW_MS, ownRequest, saying, secondsAgo, waiting } from "./testing/texts";

const text = saying("host-link-conflict", "failed to set bridge addr", { waitingSinceMs: secondsAgo(60) });

describe("what pods say", () => {
  it("counts once a pod has had its next try, and of pods that are torn down at once", () => {
    const state = (waitingSinceMs: number | undefined) => {
      const { waitingSinceMs: _, ...rest } = text;
      return checked(hostLinkConflict, causeInput({ errors: [waitingSinceMs === undefined ? rest : { ...rest, waitingSinceMs }] })).map((finding) => finding.state);
    };
    expect(state(NOW_MS - NEXT_TRY_MS + 1)).toEqual(["clear"]);
    expect(state(NOW_MS - NEXT_TRY_MS)).toEqual(["firing"]);
    expect(state(undefined)).toEqual(["firing"]);
  });

  it("has a detail only where all agree on it, so that a cause does not change with whatever is said last", () => {
    const detailOf = (...details: readonly (string | undefined)[]) => saidByPods(causeInput({ errors: details.map((detail) => ({ ...saying("daemon-down", "x", detail === undefined ? {} : { detail }) })) }), "daemon-down", { says: "say so." })[0]?.detail;
    expect([detailOf("a", "a"), detailOf("a", "b"), detailOf("a", undefined)]).toEqual(["a", undefined, undefined]);
  });

  it("is a notice where only pods say so that are held by their own request", () => {
    const own = saying("device-unavailable", "VF pci addr is required", { pods: ["default/db-0"] });
    expect(checked(deviceUnavailable, causeInput({ errors: [own], ...waiting("db-0", 100, { networks: "sriov" }, ownRequest(100)) }))[0]?.severity).toBe("notice");
    expect(checked(deviceUnavailable, causeInput({ errors: [own], ...waiting("db-0", 100) }))[0]).not.toHaveProperty("severity");
  });

  it("where texts cannot be read, the causes that rest on them give one and the same reason", () => {
    const input = causeInput({ kind: (kind) => (kind === "events" ? { seen: false, reason: "events are forbidden" } : { seen: true }) });
    const reasons = [hostLinkConflict, authOrRbac, apiserverUnreachable].flatMap((cause) => checked(cause, input).map(({ summary }) => summary));
    expect(new Set(reasons)).toEqual(new Set(["Events cannot be seen: events are forbidden"]));
  });
});
