import { describe, expect, it } from "vitest";
import { secondsAgo } from "../testing/builders";
import type { Source, SourceStatus } from "../sources";
import type { CauseCode } from "./codes";
import { allFiring, diagnose, marksRisk } from "./diagnose";
import { clear, cannotTell } from "./findings";
import { causeInput } from "./testing/input";
import { MAX_PODS_NAMED, NO_DIAGNOSIS, type Cause, type Diagnosis, type Finding } from "./types";

const input = causeInput();
const firing = (over: Partial<Finding> = {}): Finding => ({ state: "firing", certainty: "named", summary: "It was measured.", evidence: [], ...over });
const cause = (code: CauseCode, findings: readonly Finding[], over: Partial<Cause> = {}): Cause => ({ code, title: code, severity: "blocks", meaning: "", impact: "", checks: [], lookAlikes: [], mitigation: [], actions: [], explains: [], check: () => findings, ...over });
const roots = (diagnosis: Diagnosis): readonly string[] => diagnosis.causes.map(({ code, consequences }) => `${code}${consequences.length === 0 ? "" : ` > ${consequences.map((one) => one.code).join(" ")}`}`);

describe("one root with its consequences folded under it", () => {
  const throttled = cause("daemon-cpu-throttled", [firing()], { explains: ["daemon-slow"] });
  const slow = cause("daemon-slow", [firing()], { explains: ["retry-storm"] });
  const storm = cause("retry-storm", [firing()], { explains: [] });

  it("goes over several steps, nearest first, whatever order the checks ran in", () => {
    for (const order of [[throttled, slow, storm], [storm, slow, throttled]]) expect(roots(diagnose(input, NO_DIAGNOSIS, order))).toEqual(["daemon-cpu-throttled > daemon-slow retry-storm"]);
  });

  it("keeps apart what nothing explains, and shows a cause that two roots explain once", () => {
    const oom = cause("daemon-oom", [firing()], { explains: ["retry-storm"] });
    expect(roots(diagnose(input, NO_DIAGNOSIS, [slow, oom, storm]))).toEqual(["daemon-slow > retry-storm", "daemon-oom"]);
  });

  it("does not let what is only suspected explain what was measured", () => {
    const guess = cause("daemon-slow", [firing({ certainty: "suspected" })], { explains: ["retry-storm"] });
    expect(roots(diagnose(input, NO_DIAGNOSIS, [guess, storm]))).toEqual(["retry-storm", "daemon-slow"]);
  });

  it("lets what is only suspected explain a symptom that was measured, where the same pods say why", () => {
    const missing = (pods: readonly string[]): Cause => cause("plugin-binary-missing", [firing({ certainty: "suspected", pods })], { explains: ["teardown-failed"] });
    const teardown = (pods: readonly string[]): Cause => cause("teardown-failed", [firing({ pods })], { symptom: true });
    expect(roots(diagnose(input, NO_DIAGNOSIS, [missing(["a/1", "a/2"]), teardown(["a/2"])]))).toEqual(["plugin-binary-missing > teardown-failed"]);
    expect(roots(diagnose(input, NO_DIAGNOSIS, [missing(["a/1"]), teardown(["a/1", "a/2"])]))).toEqual(["teardown-failed", "plugin-binary-missing"]);
    expect(roots(diagnose(input, NO_DIAGNOSIS, [missing(["a/1"]), teardown([])]))).toEqual(["teardown-failed", "plugin-binary-missing"]);
    const many = Array.from({ length: MAX_PODS_NAMED }, (_, at) => `a/${at}`);
    expect(roots(diagnose(input, NO_DIAGNOSIS, [missing(many), teardown(["a/0", "a/99"])])), "lists are cut, so that one is enough").toEqual(["plugin-binary-missing > teardown-failed"]);
  });

  it("shows one root where causes explain each other in a circle", () => {
    const a = cause("daemon-down", [firing()], { explains: ["stale-socket"] });
    const b = cause("stale-socket", [firing()], { explains: ["daemon-down"] });
    expect(roots(diagnose(input, NO_DIAGNOSIS, [a, b]))).toEqual(["daemon-down > stale-socket"]);
  });

  it("gives evidence without a time of its own that of its source, and leaves what could not be looked at without one", () => {
    const heardMs = secondsAgo(7);
    const told = { ...input, source: (source: Source): SourceStatus => ({ source, freshness: "fresh", lastMs: heardMs }) };
    const limits = cause("daemon-oom", [firing({ evidence: [{ what: "Limit", look: "seen", source: "api" }, { what: "Kill", look: "seen", atMs: 5, source: "agent" }, { what: "Process", look: "not-seen", source: "api" }, { what: "PSI", look: "could-not-look", reason: "cgroup v1", source: "kubelet" }] })]);
    expect(diagnose(told, NO_DIAGNOSIS, [limits]).causes[0]?.evidence.map(({ atMs }) => atMs)).toEqual([heardMs, 5, heardMs, undefined]);
  });

  it("takes a finding's own severity where it has one", () => {
    const socket = cause("stale-socket", [firing({ detail: "consumer", severity: "risks" }), firing({ detail: "host" })]);
    expect(diagnose(input, NO_DIAGNOSIS, [socket]).causes.map(({ detail, severity }) => [detail, severity])).toEqual([["host", "blocks"], ["consumer", "risks"]]);
  });

  it("shows what blocks before what risks, and what is named before what is suspected", () => {
    const notice = cause("oom-victim-candidate", [firing()], { severity: "notice" });
    const guess = cause("ipam-leak", [firing({ certainty: "suspected" })]);
    const named = cause("nad-missing", [firing()]);
    expect(roots(diagnose(input, NO_DIAGNOSIS, [notice, guess, named]))).toEqual(["nad-missing", "ipam-leak", "oom-victim-candidate"]);
  });
});

describe("what one finding of a cause may say of itself", () => {
  it("that it is milder or graver than its cause", () => {
    const own = cause("plugin-binary-missing", [firing({ detail: "conflist" }), firing({ detail: "network-attachment", severity: "notice" })]);
    const { causes } = diagnose(input, NO_DIAGNOSIS, [own]);
    expect(causes.map(({ detail, severity }) => [detail, severity])).toEqual([["conflist", "blocks"], ["network-attachment", "notice"]]);
    expect(marksRisk({ causes: causes.slice(1) })).toBeUndefined();
  });

  it("that it brings about less than its cause may", () => {
    const down = cause("daemon-down", [firing()]);
    const invalid = (over: Partial<Finding>): Cause => cause("cni-config-invalid", [firing(over)], { explains: ["daemon-down"] });
    expect(roots(diagnose(input, NO_DIAGNOSIS, [invalid({}), down]))).toEqual(["cni-config-invalid > daemon-down"]);
    expect(roots(diagnose(input, NO_DIAGNOSIS, [invalid({ explains: [] }), down]))).toEqual(["cni-config-invalid", "daemon-down"]);
  });
});

it("what cannot be explained is shown only where nothing else concerns the node", () => {
  const unknown = cause("unknown", [firing({ certainty: "suspected" })]);
  const guess = cause("daemon-slow", [firing({ certainty: "suspected" })]);
  const notice = cause("nad-missing", [firing()], { severity: "notice" });
  expect(roots(diagnose(input, NO_DIAGNOSIS, [unknown]))).toEqual(["unknown"]);
  expect(roots(diagnose(input, NO_DIAGNOSIS, [unknown, notice]))).toEqual(["unknown", "nad-missing"]);
  expect(roots(diagnose(input, NO_DIAGNOSIS, [unknown, guess]))).toEqual(["daemon-slow"]);
});

describe("since when", () => {
  const before: Diagnosis = diagnose({ ...input, nowMs: secondsAgo(600) }, NO_DIAGNOSIS, [cause("stale-socket", [firing({ detail: "host" })])]);

  it("a cause keeps its beginning while it fires, each detail its own", () => {
    const now = diagnose(input, before, [cause("stale-socket", [firing({ detail: "host" }), firing({ detail: "consumer" })])]);
    expect(allFiring(now).map(({ detail, sinceMs }) => [detail, sinceMs])).toEqual([["host", secondsAgo(600)], ["consumer", input.nowMs]]);
  });

  it("a cause that cannot be looked for any more is suspended with its beginning, and goes on from there", () => {
    const blind = diagnose(input, before, [cause("stale-socket", [cannotTell("The node's agent is not heard")])]);
    expect(blind).toMatchObject({ causes: [], unknownCauses: [{ reason: "The node's agent is not heard", codes: ["stale-socket"] }], suspendedCauses: [{ code: "stale-socket", detail: "host", sinceMs: secondsAgo(600) }] });
    const again = diagnose(input, blind, [cause("stale-socket", [firing({ detail: "host" })])]);
    expect(again.causes[0]?.sinceMs).toBe(secondsAgo(600));
  });

  it("one detail is suspended while another fires, and only where it is the one that cannot be looked for", () => {
    const consumer = firing({ detail: "consumer" });
    const blind = (detail: string) => diagnose(input, before, [cause("stale-socket", [consumer, { ...cannotTell("The API tells nothing"), detail }])]);
    expect(blind("host")).toMatchObject({ causes: [{ detail: "consumer" }], unknownCauses: [], suspendedCauses: [{ code: "stale-socket", detail: "host", sinceMs: secondsAgo(600), reason: "The API tells nothing" }] });
    expect(blind("other").suspendedCauses).toEqual([]);
  });

  it("a cause that is clear is gone, and begins anew", () => {
    const mended = diagnose(input, before, [cause("stale-socket", [clear("The socket answers.")])]);
    expect(mended).toEqual(NO_DIAGNOSIS);
  });
});

it("only what was measured and is more than a notice marks a node at risk", () => {
  const of = (finding: Partial<Finding>, severity: Cause["severity"]) => marksRisk(diagnose(input, NO_DIAGNOSIS, [cause("ipam-leak", [firing(finding)], { severity })]));
  expect(of({}, "risks")?.code).toBe("ipam-leak");
  expect(of({ certainty: "suspected" }, "blocks")).toBeUndefined();
  expect(of({}, "notice")).toBeUndefined();
});
