import { describe, expect, it } from "vitest";
import { FORGOTTEN, IMPOSSIBLE, INCIDENT_INPUTS, INCIDENT_STATES, INCIDENT_TABLE, type IncidentState } from "./machine";

const cells = INCIDENT_STATES.flatMap((state) => INCIDENT_INPUTS.map((input) => ({ state, input, to: INCIDENT_TABLE[state][input] })));
const possible = cells.filter(({ to }) => to !== IMPOSSIBLE);

describe("the table of an incident", () => {
  it("opens only by a sign that held, was seen again, or came back while it recovered", () => {
    const opens = possible.filter(({ state, to }) => to === "open" && state !== "open").map(({ state, input }) => `${state} ${input}`);
    expect(opens).toEqual(["watched sick-held", "unknown sick", "unknown sick-held", "unknown mixed", "recovering sick", "recovering sick-held", "recovering mixed", "closed sick-held"]);
  });

  it("closes only by recovery that held, or with its node", () => {
    expect(possible.filter(({ state, to }) => to === "closed" && state !== "closed").map(({ state, input }) => `${state} ${input}`)).toEqual(["open gone", "unknown gone", "recovering well-held", "recovering gone"]);
  });

  it("never leaves unknown for less than a look that shows something", () => {
    expect(INCIDENT_TABLE.unknown.blind).toBe("unknown");
    for (const state of ["open", "recovering"] satisfies IncidentState[]) expect(INCIDENT_TABLE[state].blind).toBe("unknown");
  });

  it("forgets nothing but what was only watched", () => {
    expect(possible.filter(({ to }) => to === FORGOTTEN).map(({ state, input }) => `${state} ${input}`)).toEqual(["watched well-held", "watched gone"]);
  });

  it("latches nowhere: from every state a node that is well for long enough comes to closed or forgotten", () => {
    for (const start of INCIDENT_STATES) {
      let state: IncidentState | typeof FORGOTTEN = start;
      for (let steps = 0; steps < 4 && state !== FORGOTTEN; steps += 1) {
        const held: IncidentState | typeof FORGOTTEN | typeof IMPOSSIBLE = INCIDENT_TABLE[state]["well-held"];
        const well: IncidentState | typeof FORGOTTEN | typeof IMPOSSIBLE = held === IMPOSSIBLE ? INCIDENT_TABLE[state].well : held;
        if (well === IMPOSSIBLE) throw new Error(`${state} knows no well node`);
        state = well;
      }
      expect(["closed", FORGOTTEN], start).toContain(state);
    }
  });

  it("can come from the beginning to every state", () => {
    const reached = new Set<string>(["watched"]);
    for (let before = 0; before !== reached.size; ) {
      before = reached.size;
      for (const { state, to } of possible) if (reached.has(state) && to !== FORGOTTEN) reached.add(to);
    }
    expect([...reached].sort()).toEqual([...INCIDENT_STATES].sort());
  });
});
