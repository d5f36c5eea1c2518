import type { Column, ViewState } from "./view-state";

const HEADS: readonly { readonly column?: Column; readonly label: string; readonly unit?: string; readonly className?: string }[] = [
  { column: "name", label: "Node" },
  { column: "answer", label: "Answer" },
  { column: "for", label: "For", className: "num" },
  { label: "Proof", className: "proof" },
  { column: "waiting", label: "Waiting", unit: "pods", className: "num" },
  { column: "dead", label: "Dead", unit: "sandboxes", className: "num" },
  { column: "p95", label: "p95", unit: "vs deadline", className: "num" },
  { column: "throttled", label: "Throttled", unit: "CFS periods", className: "num" },
  { column: "socket", label: "Socket" },
  { column: "kubelet", label: "kubelet / runtime", className: "hide-1280" },
];

export function SortHead({ sort, onSort }: { readonly sort: ViewState["sort"]; readonly onSort: (column: Column) => void }) {
  return (
    <thead>
      <tr>
        {HEADS.map(({ column, label, unit, className }) => {
          const sorted = column === sort.column;
          const text = (
            <>
              {label}
              {unit === undefined ? null : <span className="u"> {unit}</span>}
            </>
          );
          return (
            <th key={label} scope="col" className={className} {...(sorted ? { "aria-sort": sort.descending ? ("descending" as const) : ("ascending" as const) } : {})}>
              {column === undefined ? (
                text
              ) : (
                <button type="button" className={sorted ? "sort is-on" : "sort"} onClick={() => onSort(column)}>
                  {text}
                  <span aria-hidden="true">{sorted ? (sort.descending ? " ↓" : " ↑") : ""}</span>
                </button>
              )}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}
