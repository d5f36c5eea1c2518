import { describe, expect, it } from "vitest";
import { IMPOSSIBLE, WATCH_INPUTS, WATCH_STATES, WATCH_TABLE, type WatchState } from "./watch-machine";

const cells = WATCH_STATES.flatMap((state) => WATCH_INPUTS.map((input) => ({ state, input, step: WATCH_TABLE[state][input] })));
const possible = cells.flatMap(({ state, input, step }) => (step === IMPOSSIBLE ? [] : [{ state, input, ...step }]));

describe("the table of a watch", () => {
  it("ends in every state when it is stopped, and never leaves the end", () => {
    for (const state of WATCH_STATES) expect(WATCH_TABLE[state].stopped).toMatchObject({ to: "stopped" });
    expect(possible.filter(({ state, to }) => state === "stopped" && to !== "stopped")).toEqual([]);
  });

  it("begins to watch only after a whole list or a pause of the watch", () => {
    expect(possible.filter(({ to }) => to === "watching").map(({ state, input }) => `${state} ${input}`)).toEqual(["listing listed", "watch-pause due"]);
  });

  it("pauses after whatever is not progress", () => {
    expect(possible.filter(({ input, pause }) => pause === "none" && !["listed", "due", "stopped"].includes(input))).toEqual([]);
  });

  it("goes back to a list, never to the watch, where it cannot know what it missed", () => {
    for (const input of ["gone", "went-back", "silent"] as const) expect(WATCH_TABLE.watching[input]).toMatchObject({ to: "list-pause" });
  });

  it("leaves no pause but by its time or the end", () => {
    for (const state of ["list-pause", "watch-pause", "forbidden", "absent"] satisfies WatchState[]) {
      expect(possible.filter((cell) => cell.state === state).map(({ input }) => input)).toEqual(["due", "stopped"]);
    }
  });

  it("can come from the beginning to every state", () => {
    const reached = new Set<WatchState>(["listing"]);
    for (let before = 0; before !== reached.size; ) {
      before = reached.size;
      for (const { state, to } of possible) if (reached.has(state)) reached.add(to);
    }
    expect([...reached].sort()).toEqual([...WATCH_STATES].sort());
  });
});
