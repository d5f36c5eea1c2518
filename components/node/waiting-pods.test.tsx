import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { LiveProvider } from "@/components/live/live-provider";
import { WaitingPods } from "./waiting-pods";

const shown = (counts: { readonly seen: boolean; readonly waiting: number; readonly stuck: number }): string =>
  renderToStaticMarkup(
    <LiveProvider status={{ version: "1", at: "2026-03-17T03:12:40.000Z", actionsAllowed: false }} rate={1}>
      <WaitingPods detail={{ counts: { pods: 0, waitingSystem: 0, ownRequest: 0, other: 0, ...counts }, waitingPods: [] }} />
    </LiveProvider>,
  ).replace(/<!-- -->/g, "");

it("says that no pod waits only where the node's pods are seen", () => {
  expect(shown({ seen: true, waiting: 0, stuck: 0 })).toContain("No pod is waiting.");
  const blind = shown({ seen: false, waiting: 0, stuck: 0 });
  expect(blind).not.toContain("No pod is waiting.");
  expect(blind).toContain("Pods on this node cannot be seen now.");
});

it("tells a count of before as one, and none of them as stuck now", () => {
  const blind = shown({ seen: false, waiting: 12, stuck: 9 });
  expect(blind).toContain("12 pods waited when they last could");
  expect(blind).not.toContain("9 stuck");
  expect(shown({ seen: true, waiting: 12, stuck: 9 })).toContain("9 stuck");
});
