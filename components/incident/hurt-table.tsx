import type { HurtOut } from "@/server/contract/incidents";
import { Instant } from "@/components/ui/instant";
import { Table } from "@/components/ui/table";
import { replicaWords } from "./incident-words";

/** Workloads with fewer ready replicas because of it, what others need first. */
export function HurtTable({ hurt, nowMs }: { readonly hurt: readonly HurtOut[]; readonly nowMs: number }) {
  if (hurt.length === 0) return <p className="muted">No workload was seen waiting because of it.</p>;
  return (
    <Table label="Hurt workloads" columns={["Workload", "Role", { head: "Waiting here", num: true }, { head: "At most", num: true }, { head: "With a sandbox", num: true }, "Since", "Until"]} className="inc-hurt">
      {hurt.map((one) => (
        <tr key={`${one.namespace}/${one.kind}/${one.name}`}>
          <td className="wide">
            <span className="med">{one.name}</span>
            <span className="two">
              {one.kind} in {one.namespace}
            </span>
          </td>
          <td>{one.role === undefined ? <span className="faint">none known</span> : <span className="chip warn">{one.role}</span>}</td>
          <td className="num">{one.waiting}</td>
          <td className="num">{one.mostWaiting}</td>
          <td className="num muted">{replicaWords(one)}</td>
          <td className="num-left">
            <Instant at={Date.parse(one.since)} nowMs={nowMs} />
          </td>
          <td className="num-left">{one.until === undefined ? <span className="bad-t">still</span> : <Instant at={Date.parse(one.until)} nowMs={nowMs} />}</td>
        </tr>
      ))}
    </Table>
  );
}
