import { expect, it } from "vitest";
import type { NodeCondition } from "../model";
import { node } from "../testing/builders";
import { nodeResourceExhausted } from "./node-resource-exhausted";
import { causeCases, checked } from "./testing/cases";
import { causeInput, errorGroup } from "./testing/input";
import { NOW_MS, secondsAgo, waiting } from "./testing/texts";

const FORK = "Failed create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox: fork/exec /home/containerd/opt/cni/bin/ptp: resource temporarily unavailable";
const DISK = "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to create containerd container: failed to create prepare snapshot dir: mkdir /var/lib/containerd/x/fs: no space left on device";
const text = (message: string) => errorGroup(message, ["default/web-1"], { waitingSinceMs: secondsAgo(120) });
const pressure = (type: string, status: NodeCondition["status"] = "True") => node({ conditions: [{ type: "Ready", status: "True" }, { type, status, message: "kubelet has disk pressure", sinceMs: secondsAgo(60) }] });

causeCases(nodeResourceExhausted, {
  fires: [
    { name: "where no process can be made", certainty: "suspected", says: ["1 pod"], input: causeInput({ errors: [text(FORK)] }) },
    { name: "where the kubelet sees the disk run out", certainty: "named", says: ["disk space"], input: causeInput({ node: pressure("DiskPressure") }) },
    { name: "where pods fail on what the kubelet sees", certainty: "named", says: ["disk space"], input: causeInput({ node: pressure("DiskPressure"), errors: [text(DISK)], ...waiting("web-1", 120) }) },
  ],
  almost: [
    { name: "where the pressure is over", input: causeInput({ node: pressure("DiskPressure", "False") }) },
    { name: "for conditions that others set", input: causeInput({ node: pressure("FrequentKubeletRestart") }) },
    { name: "where a pod says so whose next try is to come", input: causeInput({ errors: [{ ...text(FORK), waitingSinceMs: NOW_MS - 10_000 }] }) },
    { name: "where addresses are used up, not the disk", input: causeInput({ errors: [text("failed to allocate for range 0: no IP addresses available in range set: 10.244.9.1-10.244.9.2")] }) },
  ],
  missing: [
    { name: "cannot tell where the API tells nothing current: old conditions count no more", state: "unknown", says: "nothing for 5 min", input: causeInput({ node: pressure("DiskPressure"), source: (source) => (source === "api" ? { source, freshness: "stale", reason: "nothing for 5 min" } : { source, freshness: "fresh" }) }) },
    { name: "cannot tell where events may not be seen and no condition says so", state: "unknown", says: "Events cannot be seen", input: causeInput({ kind: (kind) => (kind === "events" ? { seen: false, reason: "forbidden" } : { seen: true }) }) },
  ],
});

it("is a risk that explains nothing until a pod fails on it", () => {
  const [early] = checked(nodeResourceExhausted, causeInput({ node: pressure("PIDPressure") }));
  expect([early?.severity, early?.explains]).toEqual(["risks", []]);
  const [late] = checked(nodeResourceExhausted, causeInput({ node: pressure("PIDPressure"), errors: [text(FORK)], ...waiting("web-1", 120) }));
  expect([late?.severity, late?.explains, late?.pods]).toEqual([undefined, undefined, ["default/web-1"]]);
});
