import type { SharedOut } from "@/server/contract/incidents";
import { Table } from "@/components/ui/table";

/** What the sick nodes have in common that the well ones have not. */
export function Shared({ shared }: { readonly shared: SharedOut }) {
  return (
    <>
      <p className="inc-lead">{shared.words}</p>
      {shared.traits.length === 0 ? null : (
        <Table label="Traits compared" columns={["Trait", "Value", { head: "Sick", num: true }, { head: "Well", num: true }, { head: "By chance", num: true }]}>
          {shared.traits.map((trait) => (
            <tr key={`${trait.trait} ${trait.value}`}>
              <td>{trait.trait}</td>
              <td className="wide mono">{trait.value}</td>
              <td className="num">
                {trait.sick} of {trait.sickKnown}
              </td>
              <td className="num">
                {trait.well} of {trait.wellKnown}
              </td>
              <td className="num muted">{chanceWords(trait.chance)}</td>
            </tr>
          ))}
        </Table>
      )}
      <p className="small muted">Compared: {shared.compared.join(", ")}. Traits that always come together are all listed; the figures cannot say which of them it is.</p>
    </>
  );
}

function chanceWords(chance: number): string {
  if (chance <= 0 || chance < 1e-9) return "less than 1 in 10^9";
  return `1 in ${Math.round(1 / chance).toLocaleString("en-GB")}`;
}
