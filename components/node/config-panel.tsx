"use client";

import type { NodeDetail } from "@/server/contract/schemas";
import { Icon } from "@/components/ui/glyphs";

/** The network config as the runtime loads it, as far as an agent could read it. */
export function ConfigPanel({ detail }: { readonly detail: NodeDetail }) {
  const { config } = detail;
  const reason = detail.sources.find((source) => source.source === "agent")?.reason;
  return (
    <section aria-labelledby="config-h">
      <div className="sec-head">
        <h2 id="config-h">
          CNI config<span className="count">{config?.dir}</span>
        </h2>
      </div>
      {config === undefined ? (
        <p className="pad small unknown-t">
          <Icon name="blind" size={14} /> Cannot be read: {reason ?? "the agent told nothing of it"}.
        </p>
      ) : (
        <ol className="flow plain">
          <li>
            {config.effectiveFile === undefined ? <span className="bad-t med">No usable file</span> : <code className="strong">{config.effectiveFile}</code>}
            {config.effectiveFile === undefined ? null : (
              <span className="chip ok">
                <Icon name="seen" size={12} />
                effective
              </span>
            )}
            <span className="two">{config.pluginTypes.length === 0 ? "Names no plugin" : `Plugins: ${config.pluginTypes.join(", ")}`}</span>
          </li>
          {config.missingBinaries.map((binary) => (
            <li key={binary}>
              <code>{binary}</code>
              <span className="small bad-t">missing</span>
              <span className="two">The effective config names it; no binary of that name is there</span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
