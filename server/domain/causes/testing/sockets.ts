import type { AgentReport, ConfigReading } from "../../agent-report";
import type { EffectiveSocket } from "../../judge-input";
import { agentReport, secondsAgo } from "../../testing/builders";

export const MULTUS_SOCKET = "/run/multus/multus.sock";

/** The config in force of thick multus. */
export const MULTUS_CONFIG: ConfigReading = { dir: "/etc/cni/net.d", effectiveFile: "00-multus.conf", pluginTypes: ["multus-shim"], sockets: [], missingBinaries: [], binDirs: ["/opt/cni/bin"] };

/** A socket that the config in force calls, in its state for a minute. */
export const socket = (over: Partial<EffectiveSocket> = {}): EffectiveSocket => ({ name: "multus", path: MULTUS_SOCKET, state: "answers", latencySeconds: 0.002, effective: true, sinceMs: secondsAgo(60), ...over });

/** Such sockets with a report that tells of them and of the config. */
export function socketsSeen(sockets: readonly EffectiveSocket[], config: Partial<ConfigReading> = {}, report: Partial<AgentReport> = {}): { readonly sockets: readonly EffectiveSocket[]; readonly report: AgentReport } {
  return { sockets, report: agentReport({ sockets: { looked: true, items: sockets }, config: { looked: true, reading: { ...MULTUS_CONFIG, ...config } }, ...report }) };
}
