import type { Fault } from "./fault";

/** The controller of a network is down: nobody writes onto pods what they get. */
export const controllerAway = (network: string): Fault => ({
  what: `The controller of network ${network} is down.`,
  break: ({ model }) => model.attachments.setController(network, false),
  mend: ({ model }) => model.attachments.setController(network, true),
});
