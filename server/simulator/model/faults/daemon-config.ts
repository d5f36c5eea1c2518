import { DAEMON_CONFIG } from "../daemon-config";
import type { Fault } from "./fault";

/** The daemon's ConfigMap is changed, and this node's daemon restarted, which is when it reads it. */
export const daemonConfig = (what: string, text: string): Fault => ({
  what,
  break: ({ model, node }) => {
    model.daemonConfig.set(text, model.nowMs);
    const pod = model.daemonSet.podOn(node.parameters.name);
    if (pod !== undefined) node.deletePod(pod, model.nowMs);
  },
  mend: ({ model, node }) => {
    model.daemonConfig.set(JSON.stringify(DAEMON_CONFIG, null, 2), model.nowMs);
    const pod = model.daemonSet.podOn(node.parameters.name);
    if (pod !== undefined) node.deletePod(pod, model.nowMs);
  },
});

/** The usual config with other keys beside it. */
export const daemonConfigWith = (change: Readonly<Record<string, unknown>>): string => JSON.stringify({ ...DAEMON_CONFIG, ...change }, null, 2);
/** The usual config, cut short. */
export const daemonConfigCutShort = (): string => JSON.stringify(DAEMON_CONFIG, null, 2).slice(0, CUT_AT_CHARS);
const CUT_AT_CHARS = 80;
