import { expect, test } from "vitest";
import { explain } from "../messages/explain";
import { MAX_EVIDENCE_TEXT_CHARS, textEvidence } from "./findings";
import { NOW_MS } from "./testing/texts";

/** As the kubelet tells of a sandbox that cannot be taken down: what says something stands at the end. */
const FAR = 'error killing pod: failed to "KillPodSandbox" for "87209191-6b66-4211-a5ed-de470436660e" with KillPodSandboxError: "rpc error: code = Unknown desc = failed to destroy network for sandbox \\"4ac741cc692319728220c58a40537ed01eee6bf2a02f859a22cb66fff4666a2f\\": plugin type=\\"multus-shim\\" name=\\"multus-cni-network\\" failed (delete): failed to find plugin \\"multus-shim\\" in path [/opt/cni/bin]"';
const NEAR = 'plugin type="bridge" failed (add): failed to find plugin "bridge" in path [/opt/cni/bin]';
const valueOf = (text: string): unknown => textEvidence([{ explanation: explain(text, { reason: "FailedKillPod" }), text, pods: ["shop/web-1"], count: 1, firstMs: NOW_MS, lastMs: NOW_MS }])[0]?.value;

test("evidence repeats of a long text the piece that says something, and a short one whole", () => {
  expect(FAR.length).toBeGreaterThan(MAX_EVIDENCE_TEXT_CHARS);
  expect(valueOf(FAR)).toMatch(/^… .*failed to find plugin \\"multus-shim\\" in path \[\/opt\/cni\/bin\]/);
  expect(String(valueOf(FAR)).length).toBeLessThanOrEqual(MAX_EVIDENCE_TEXT_CHARS);
  expect(valueOf(NEAR)).toBe(NEAR);
  expect(valueOf(`${"x".repeat(1_000)} means nothing`)).toMatch(/^x+…$/);
});
