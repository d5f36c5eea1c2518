import { describe, expect, it } from "vitest";
import type { SandboxReading } from "./agent-report";
import type { EventObject, PodObject } from "./model";
import { trailOf } from "./pod-trail";
import { DEFAULT_THRESHOLDS } from "./thresholds";
import { NOW_MS, event, nodeName, pod, secondsAgo, startedPod, waitingSince } from "./testing/builders";
import { holdOf, waitingPodOf, type WaitContext } from "./waiting";

const noContext: WaitContext = { nadPluginTypes: new Set() };
const hold = (one: PodObject, events: readonly EventObject[] = [], context: WaitContext = noContext) => holdOf(one, trailOf(events), context, NOW_MS, DEFAULT_THRESHOLDS);
const sandbox = (createdMs?: number): SandboxReading => ({ id: "s", namespace: "default", name: "pod-uid-1", uid: "uid-1", attempt: 0, ready: false, ...(createdMs === undefined ? {} : { createdMs }) });
const missingNad = 'cannot find a network-attachment-definition (a) in namespace (b): "a" not found';

const { node: _, ...unbound } = waitingSince(secondsAgo(500));

describe("a waiting pod", () => {
  it.each<[string, PodObject]>([
    ["is not one that is not bound", unbound],
    ["is not one on the host's network", waitingSince(secondsAgo(500), { hostNetwork: true })],
    ["is not one that succeeded", waitingSince(secondsAgo(500), { phase: "Succeeded" })],
    ["is not one that failed", waitingSince(secondsAgo(500), { phase: "Failed" })],
    ["is not one that is being deleted", waitingSince(secondsAgo(500), { deleting: true })],
    ["is not one with a ready sandbox", startedPod(secondsAgo(500))],
    ["before 1.29, is not one with an IP", pod({ scheduledMs: secondsAgo(500), hasIp: true })],
    ["before 1.29, is not one with a started container", pod({ scheduledMs: secondsAgo(500), containerStartedMs: secondsAgo(400) })],
  ])("%s", (_, one) => {
    expect(hold(one)).toBeUndefined();
  });

  it("is one that is bound and has no ready sandbox, from the second at which it was bound", () => {
    expect(hold(waitingSince(secondsAgo(89)))).toEqual({ kind: "waiting", sinceMs: secondsAgo(89), stuck: false });
    expect(hold(waitingSince(secondsAgo(90)))).toEqual({ kind: "waiting", sinceMs: secondsAgo(90), stuck: true });
  });

  it("dwells since its sandbox was lost, not since it was first bound", () => {
    const lost = pod({ phase: "Running", hasIp: true, containerStartedMs: secondsAgo(8_000), scheduledMs: secondsAgo(9_000), readyToStart: { status: false, sinceMs: secondsAgo(30) } });
    expect(hold(lost)).toEqual({ kind: "waiting", sinceMs: secondsAgo(30), stuck: false });
  });

  it("dwells since it was bound where the condition is older", () => {
    expect(hold(pod({ scheduledMs: secondsAgo(100), readyToStart: { status: false, sinceMs: secondsAgo(400) } }))).toMatchObject({ sinceMs: secondsAgo(100) });
  });

  it("before 1.29, dwells since it was bound", () => {
    expect(hold(pod({ scheduledMs: secondsAgo(120) }))).toEqual({ kind: "waiting", sinceMs: secondsAgo(120), stuck: true });
  });

  it("dwells since it was made where it was made with its node, and no condition tells", () => {
    expect(hold(pod({ createdMs: secondsAgo(130) }))).toEqual({ kind: "waiting", sinceMs: secondsAgo(130), stuck: true });
  });

  it("has no negative dwell where the clocks differ, and none at all where no time is told", () => {
    expect(hold(waitingSince(NOW_MS + 60_000))).toEqual({ kind: "waiting", sinceMs: NOW_MS, stuck: false });
    expect(hold(pod())).toEqual({ kind: "waiting", sinceMs: NOW_MS, stuck: false });
  });

  it("is stuck by the threshold that is given", () => {
    expect(holdOf(waitingSince(secondsAgo(89)), undefined, noContext, NOW_MS, { stuckAfterSeconds: 30, windowSeconds: 600 })).toMatchObject({ stuck: true });
  });

  it("before 1.29, is not one whose image is being pulled, until its sandbox is in trouble again", () => {
    const one = pod({ scheduledMs: secondsAgo(300) });
    expect(hold(one, [event("Pulling", secondsAgo(200))])).toBeUndefined();
    expect(hold(one, [event("Pulling", secondsAgo(200)), event("SandboxChanged", secondsAgo(100))])).toMatchObject({ kind: "waiting" });
    expect(hold(one, [event("Pulling", secondsAgo(400))]), "of an earlier life").toMatchObject({ kind: "waiting" });
    expect(hold(waitingSince(secondsAgo(100)), [event("Pulling", secondsAgo(50))]), "the condition says better").toMatchObject({ kind: "waiting" });
  });
});

describe("a pod that waits for something else", () => {
  it.each(["FailedMount", "FailedAttachVolume", "FailedMapVolume", "FailedPrepareDynamicResources", "FailedResourceClaimCreation"])("is one with a %s newer than its last sandbox event", (reason) => {
    const one = waitingSince(secondsAgo(500));
    expect(hold(one, [event("FailedCreatePodSandBox", secondsAgo(300)), event(reason, secondsAgo(200))])).toMatchObject({ kind: "other", because: `${reason}: ${reason} happened` });
    expect(hold(one, [event(reason, secondsAgo(200))])).toMatchObject({ kind: "other" });
  });

  it.each(["FailedCreatePodSandBox", "SandboxChanged", "FailedPodSandBoxStatus", "NetworkNotReady", "AddedInterface", "NoNetworkFound"])("is not one whose %s is as new as the failed mount", (reason) => {
    expect(hold(waitingSince(secondsAgo(500)), [event("FailedMount", secondsAgo(200)), event(reason, secondsAgo(200))])).toMatchObject({ kind: "waiting", stuck: true });
  });

  it("is not one of which the agent lists a sandbox made after the failed mount", () => {
    const one = waitingSince(secondsAgo(500));
    const events = [event("FailedMount", secondsAgo(200))];
    expect(hold(one, events, { ...noContext, sandboxes: [sandbox(secondsAgo(150))] })).toMatchObject({ kind: "waiting" });
    expect(hold(one, events, { ...noContext, sandboxes: [sandbox(secondsAgo(250))] })).toMatchObject({ kind: "other" });
  });

  it("is not one whose volume was attached", () => {
    expect(hold(waitingSince(secondsAgo(500)), [event("SuccessfulAttachVolume", secondsAgo(100))])).toMatchObject({ kind: "waiting" });
  });

  it.each<[string, Partial<PodObject>]>([
    ["volumes to attach", { hasAttachableVolumes: true }],
    ["resource claims", { hasResourceClaims: true }],
  ])("is one with %s until a sandbox attempt is seen by event or in the agent's list", (_, over) => {
    const one = waitingSince(secondsAgo(500), over);
    expect(hold(one)).toMatchObject({ kind: "other" });
    expect(hold(one, [event("NetworkNotReady", secondsAgo(100))]), "no attempt").toMatchObject({ kind: "other" });
    expect(hold(one, [event("FailedCreatePodSandBox", secondsAgo(100))])).toMatchObject({ kind: "waiting" });
    expect(hold(one, [event("SandboxChanged", secondsAgo(100))])).toMatchObject({ kind: "waiting" });
    expect(hold(one, [], { ...noContext, sandboxes: [sandbox()] })).toMatchObject({ kind: "waiting" });
    expect(hold(one, [], { ...noContext, sandboxes: [] })).toMatchObject({ kind: "other" });
  });
});

describe("a pod held by its own request", () => {
  it("is one whose newest sandbox error names it", () => {
    const one = waitingSince(secondsAgo(500));
    const own = event("FailedCreatePodSandBox", secondsAgo(100), { message: missingNad });
    expect(hold(one, [own])).toEqual({ kind: "own-request", sinceMs: secondsAgo(500), because: 'Network attachment "a" does not exist' });
    expect(hold(one, [event("FailedCreatePodSandBox", secondsAgo(300), { message: "context deadline exceeded" }), own])).toMatchObject({ kind: "own-request" });
    expect(hold(one, [own, event("SandboxChanged", secondsAgo(50))]), "no newer error").toMatchObject({ kind: "own-request" });
  });

  it("is not one with a newer error that says something else", () => {
    expect(hold(waitingSince(secondsAgo(500)), [event("FailedCreatePodSandBox", secondsAgo(100), { message: missingNad }), event("FailedCreatePodSandBox", secondsAgo(50), { message: "context deadline exceeded" })])).toMatchObject({ kind: "waiting", stuck: true });
  });

  it("is not one whose mount fails after that error", () => {
    expect(hold(waitingSince(secondsAgo(500)), [event("FailedCreatePodSandBox", secondsAgo(100), { message: missingNad }), event("FailedMount", secondsAgo(50))])).toMatchObject({ kind: "other" });
  });
});

describe("what a page shows of a pod", () => {
  it("counts attempts by the counts of their events, and takes the newest error in whatever order events come", () => {
    const events = [
      event("FailedCreatePodSandBox", secondsAgo(20), { message: "the newer" }),
      event("SandboxChanged", secondsAgo(10), { count: 20 }),
      event("FailedCreatePodSandBox", secondsAgo(400), { message: "the older", count: 3 }),
      event("Scheduled", secondsAgo(500)),
      event("SandboxChanged", secondsAgo(5), { about: { kind: "Node", name: "node-07" } }),
    ];
    for (const told of [events, events.toReversed()]) {
      expect(waitingPodOf(waitingSince(secondsAgo(500), { node: nodeName("node-07"), system: true }), trailOf(told), noContext, NOW_MS, DEFAULT_THRESHOLDS)).toMatchObject({
        uid: "uid-1",
        system: true,
        attemptsSeen: 24,
        lastError: { text: "the newer", atMs: secondsAgo(20) },
      });
    }
  });

  it("has no error and no attempts where no event told of any", () => {
    const shown = waitingPodOf(waitingSince(secondsAgo(5)), undefined, noContext, NOW_MS, DEFAULT_THRESHOLDS);
    expect(shown).toMatchObject({ attemptsSeen: 0 });
    expect(shown).not.toHaveProperty("lastError");
  });
});
