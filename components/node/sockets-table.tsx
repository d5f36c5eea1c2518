"use client";

import type { NodeDetail } from "@/server/contract/schemas";
import { formatSeconds } from "@/components/format/numbers";
import { Icon } from "@/components/ui/glyphs";
import { Table } from "@/components/ui/table";

const TONES: Readonly<Record<string, string>> = { answers: "ok-t", silent: "warn-t", refuses: "bad-t" };

export function SocketsTable({ detail }: { readonly detail: NodeDetail }) {
  const { sockets } = detail;
  const sorted = [...sockets].sort((a, b) => Number(b.effective) - Number(a.effective) || Number(a.state === "absent") - Number(b.state === "absent"));
  const reason = detail.sources.find((source) => source.source === "agent")?.reason;
  return (
    <section id="sockets" aria-labelledby="sockets-h">
      <div className="sec-head">
        <h2 id="sockets-h">
          Sockets<span className="count">of CNI daemons</span>
        </h2>
      </div>
      {sorted.length === 0 ? (
        <p className="pad quiet unknown-t">
          <Icon name="blind" size={14} /> Sockets cannot be looked at: {reason ?? "the agent told of none"}.
        </p>
      ) : (
        <Table label="Sockets" columns={["Socket", "Of", "State", { head: "Answers in", num: true }, "Said"]}>
          {sorted.map((socket) => (
            <tr key={`${socket.name} ${socket.path}`}>
              <td className="mono">{socket.path}</td>
              <td>
                {socket.name}
                {socket.effective ? <span className="chip mini">in use</span> : null}
              </td>
              <td className={socket.state === "absent" ? (socket.effective ? "bad-t" : "faint") : TONES[socket.state]}>{socket.state}</td>
              <td className="num">{socket.latencySeconds === undefined ? <span className="faint">none</span> : formatSeconds(socket.latencySeconds)}</td>
              <td className="muted said">{socket.detail}</td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}
