import type { ReactNode } from "react";

/** A column's head; numbers stand to the right. */
export type Column = string | { readonly head: string; readonly num?: boolean; readonly title?: string };

interface TableProps {
  /** What it is, for those who do not see it: the table scrolls sideways by itself where it does not fit. */
  readonly label: string;
  readonly columns: readonly Column[];
  readonly className?: string;
  /** Stands below the rows and scrolls with them. */
  readonly foot?: ReactNode;
  /** The rows. */
  readonly children: ReactNode;
}

/** A table with a head, in a region that scrolls sideways and can be reached by keyboard. */
export function Table({ label, columns, className, foot, children }: TableProps) {
  return (
    <div className="tbl-wrap" tabIndex={0} role="region" aria-label={label}>
      <table className={className === undefined ? "tbl" : `tbl ${className}`}>
        <thead>
          <tr>
            {columns.map((column) => {
              const { head, num = false, title } = typeof column === "string" ? { head: column } : column;
              return (
                <th key={head} scope="col" {...(num ? { className: "num" } : {})} {...(title === undefined ? {} : { title })}>
                  {head}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
      {foot}
    </div>
  );
}
