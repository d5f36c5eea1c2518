import { describe, expect, test } from "vitest";
import { MAX_LINK_CHARS, fragmentOf, looksSecret, textOfFragment } from "./link";

describe("a link to a text", () => {
  test.each(['failed to find plugin "bridge" in path [/opt/cni/bin]', "a#b?c&d=e%20f", "línea\nотказ 網路", "</script><img src=x>", "5c".repeat(32)])("brings %j back", (text) => {
    expect(textOfFragment(fragmentOf(text) ?? "")).toBe(text);
  });

  test("is not made of a text that is too long or blank", () => {
    expect(fragmentOf("x".repeat(MAX_LINK_CHARS + 1))).toBeUndefined();
    expect(fragmentOf(" \n")).toBeUndefined();
  });

  test.each(["Authorization: Bearer abc", "token=abc", '{"token":"x"}', "eyJhbGciOiJSUzI1NiIsImtpZCI6Ing.eyJpc3MiOiJrIn0.c2ln", "-----BEGIN RSA PRIVATE KEY-----", "client-key-data: LS0t", "password: x"])("is not made of what looks like a credential: %s", (text) => {
    expect(looksSecret(text)).toBe(true);
    expect(fragmentOf(text)).toBeUndefined();
  });

  test.each(["", "#", "#text=", "#text=%", "#text=%ff", "#other=x", `#text=${"x".repeat(MAX_LINK_CHARS + 1)}`])("that says nothing readable (%s) opens the empty page", (fragment) => {
    expect(textOfFragment(fragment)).toBeUndefined();
  });
});
