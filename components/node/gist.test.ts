import { describe, expect, test } from "vitest";
import { gistOf } from "./gist";

describe("the gist of a kubelet's text", () => {
  test.each([
    ['Failed to create pod sandbox: rpc error: code = Unknown desc = failed to reserve sandbox name "a_b_0": name "a_b_0" is reserved for "a53a"', '… failed to reserve sandbox name "a_b_0": name "a_b_0" is reserved for "a53a"'],
    [`Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "${"0f".repeat(32)}": plugin type="multus-shim" failed (add): no`, '… plugin type="multus-shim" failed (add): no'],
    ["Failed to create pod sandbox: rpc error: code = DeadlineExceeded desc = context deadline exceeded", "… context deadline exceeded"],
    ["rpc error: code = DeadlineExceeded", "rpc error: code = DeadlineExceeded"],
    ["Pod sandbox changed, it will be killed and re-created.", "Pod sandbox changed, it will be killed and re-created."],
    ["Failed to create pod sandbox: ", "Failed to create pod sandbox: "],
    ["", ""],
  ])("of %j is %j", (text, gist) => {
    expect(gistOf(text)).toBe(gist);
  });
});
