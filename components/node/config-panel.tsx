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
          CNI config<span className="count">{config === undefined ? undefined : `${config.dir}, in load order`}</span>
        </h2>
      </div>
      {config === undefined ? (
        <p className="pad small unknown-t">
          <Icon name="blind" size={14} /> Cannot be read: {reason ?? "the agent told nothing of it"}.
        </p>
      ) : (
        <ol className="flow plain">
          {detail.host?.configLoaded === false ? <li className="bad-t small med">The runtime has not loaded it: it still says that it has no network config</li> : null}
          {detail.host?.configLoadedOther === undefined ? null : <li className="warn-t small med">The runtime still works by a config that it loaded before, network {detail.host.configLoadedOther}, and not by this file</li>}
          {config.effectiveFile === undefined ? <li className="bad-t med">No usable file</li> : null}
          {filesOf(detail).map((file) => (
            <li key={file.name} className={file.name === config.effectiveFile || !file.usable ? "" : "off"}>
              <code className={file.name === config.effectiveFile ? "strong" : ""}>{file.name}</code>
              {file.name === config.effectiveFile ? (
                <span className="chip ok">
                  <Icon name="seen" size={12} />
                  effective
                </span>
              ) : (
                <span className={file.usable ? "small faint" : "small warn-t"}>{file.usable ? "not used" : "unusable"}</span>
              )}
              <span className="two">{file.problem ?? (file.pluginTypes.length === 0 ? "Names no plugin" : `Plugins: ${file.pluginTypes.join(", ")}`)}</span>
            </li>
          ))}
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

/** In load order; the one in force alone where the agent told of no other. */
function filesOf({ config, host }: NodeDetail): NonNullable<NonNullable<NodeDetail["host"]>["configFiles"]> {
  if (host?.configFiles !== undefined) return host.configFiles;
  return config?.effectiveFile === undefined ? [] : [{ name: config.effectiveFile, usable: true, pluginTypes: config.pluginTypes }];
}
