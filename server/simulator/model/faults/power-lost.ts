import { NOTHING_TO_MEND, type Fault } from "./fault";

/** The machine loses its power for as long as it takes to boot again, and with that every sandbox. */
export const powerLost: Fault = {
  what: "The machine loses its power, and boots.",
  break: ({ node }) => {
    node.powerOff();
    node.powerOn();
  },
  mend: NOTHING_TO_MEND,
};
