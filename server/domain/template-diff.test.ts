import { describe, expect, it } from "vitest";
import { diffTemplates, MAX_DIFF_LINES, MAX_OTHERS, type PodTemplate, type TemplateContainer } from "./template-diff";

const container = (over: Partial<TemplateContainer> = {}): TemplateContainer => ({ name: "kube-multus", init: false, image: "multus:v4", command: ["/multus-daemon"], args: ["--v=2"], env: [], resources: { name: "kube-multus", init: false, cpuLimitCores: 0.1 }, ...over });
const template = (containers: readonly TemplateContainer[] = [container()], others: Readonly<Record<string, string>> = {}): PodTemplate => ({ containers, others: new Map(Object.entries(others)) });
const lines = (before: Partial<TemplateContainer>, after: Partial<TemplateContainer>) => diffTemplates(template([container(before)]), template([container(after)])).lines;

describe("what differs between two templates", () => {
  it("is nothing between equal ones", () => {
    expect(diffTemplates(template(), template())).toEqual({ lines: [], others: [] });
  });

  it("is shown by container: image, arguments, environment, resources", () => {
    expect(lines({}, { image: "multus:v5", args: ["--v=2", "--metrics"], env: [{ name: "LOG", value: "debug" }], resources: { name: "kube-multus", init: false, cpuLimitCores: 2 } })).toEqual([
      "- kube-multus: image multus:v4",
      "- kube-multus: CPU limit 100m CPU, request none; memory limit none, request none",
      "+ kube-multus: image multus:v5",
      "+ kube-multus: argument --metrics",
      "+ kube-multus: env LOG = debug",
      "+ kube-multus: CPU limit 2 CPU, request none; memory limit none, request none",
    ]);
  });

  it("tells an init container that came, and one that went", () => {
    const init = container({ name: "install", init: true, image: "installer:1", args: [] });
    expect(diffTemplates(template(), template([init, container()])).lines).toContain("+ init container install: image installer:1");
    expect(diffTemplates(template([init, container()]), template()).lines).toContain("- init container install: image installer:1");
  });

  it("names what differs elsewhere by its path, without its value", () => {
    expect(diffTemplates(template([container()], { "spec.tolerations": "a", "metadata.annotations": "x" }), template([container()], { "spec.tolerations": "b", "metadata.annotations": "x", "spec.hostPID": "true" }))).toEqual({ lines: [], others: ["spec.hostPID", "spec.tolerations"] });
  });

  it("shows where a value comes from, and never the value", () => {
    expect(lines({ env: [{ name: "TOKEN", from: "secret a, key token" }] }, { env: [{ name: "TOKEN", from: "secret b, key token" }] })).toEqual(["- kube-multus: env TOKEN from secret a, key token", "+ kube-multus: env TOKEN from secret b, key token"]);
  });

  it.each<[string, Partial<TemplateContainer>, Partial<TemplateContainer>]>([
    ["an environment by its name", { env: [{ name: "DB_PASSWORD", value: "hunter2" }] }, { env: [{ name: "DB_PASSWORD", value: "hunter3" }] }],
    ["an argument by its flag", { args: ["--api-token=hunter2"] }, { args: ["--api-token=hunter3"] }],
    ["the word behind a flag", { args: ["--password", "hunter2"] }, { args: ["--password", "hunter3"] }],
    ["an address with a password in it", { env: [{ name: "ETCD", value: "https://root:hunter2@etcd:2379" }] }, { env: [{ name: "ETCD", value: "https://root:hunter3@etcd:2379" }] }],
    ["a web token in the command", { command: ["run", "eyJhbGciOiJIUzI1NiJ9.hunter2"] }, { command: ["run", "eyJhbGciOiJIUzI1NiJ9.hunter3"] }],
  ])("removes %s, and tells that it is another", (_, before, after) => {
    const told = lines(before, after);
    expect(told.join("\n")).not.toContain("hunter");
    expect(told).toHaveLength(2);
    expect(told[1]).toMatch(/\(removed\), another value$/);
  });

  it("has bounds, and stays one line each", () => {
    const env = (from: number) => Array.from({ length: 500 }, (_, index) => ({ name: `N${index + from}`, value: "a\nb".repeat(200) }));
    const { lines: told } = diffTemplates(template([container({ env: env(0) })]), template([container({ env: env(1_000) })], Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`spec.f${index}`, "1"]))));
    expect(told).toHaveLength(MAX_DIFF_LINES);
    for (const line of told) expect(line).not.toContain("\n");
    for (const line of told) expect(line.length).toBeLessThan(400);
    expect(diffTemplates(template(), template([container()], Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`spec.f${index}`, "1"])))).others).toHaveLength(MAX_OTHERS);
  });
});
