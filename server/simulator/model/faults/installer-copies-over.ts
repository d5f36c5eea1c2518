import { NOTHING_TO_MEND, type Fault } from "./fault";

/** What mends a cluster whose installer copies over a file that waiting calls run. */
export const installerCopiesOver: Fault = {
  what: "The daemon's init container copies the shim over the old one, which waiting calls run.",
  break: NOTHING_TO_MEND, // it is in the template from the beginning
  mend: ({ model }) => model.daemonSet.setTemplate({ installer: "cp -f" }),
};
