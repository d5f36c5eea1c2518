import { describe, expect, it } from "vitest";
import { isShortcut } from "@/components/ui/shortcuts";
import { row } from "@/components/testing/summaries";
import { matchNodes } from "./match-nodes";
import { DEFAULT_PREFS, parsePrefs, prefCookie } from "./prefs";

const read = (cookies: Readonly<Record<string, string>>) => (name: string) => cookies[name];

describe("a reader's choices", () => {
  it("come back from their own cookies", () => {
    const [pair = ""] = prefCookie("zone", "America/Argentina/Buenos_Aires").split(";");
    const [name = "", value = ""] = pair.split("=");
    expect(parsePrefs(read({ [name]: decodeURIComponent(value), "sandglass-theme": "dark" }))).toEqual({ theme: "dark", zone: "America/Argentina/Buenos_Aires", density: "compact" });
  });

  it("are the defaults where a cookie holds nonsense", () => {
    expect(parsePrefs(read({ "sandglass-theme": "red\"><script>", "sandglass-zone": "Mars/Olympus", "sandglass-density": "huge" }))).toEqual(DEFAULT_PREFS);
  });

  it("never leave for another site", () => {
    expect(prefCookie("theme", "dark")).toContain("SameSite=Strict");
  });
});

describe("shortcuts", () => {
  const key = { ctrlKey: false, metaKey: false, altKey: false, isComposing: false, defaultPrevented: false };

  it("are none while someone types or holds a modifier", () => {
    expect(isShortcut(key, { tagName: "BODY" })).toBe(true);
    expect(isShortcut(key, { tagName: "INPUT" })).toBe(false);
    expect(isShortcut(key, { tagName: "DIV", isContentEditable: true })).toBe(false);
    expect(isShortcut({ ...key, ctrlKey: true }, null)).toBe(false);
    expect(isShortcut({ ...key, isComposing: true }, null)).toBe(false);
  });
});

describe("jumping to a node", () => {
  it("offers names that begin with the text first, and among those the worst answer", () => {
    const rows = [row("edge-node-1"), row("node-1"), row("node-2", { state: "no" })];
    expect(matchNodes(rows, "NODE").map((one) => one.name)).toEqual(["node-2", "node-1", "edge-node-1"]);
  });
});
