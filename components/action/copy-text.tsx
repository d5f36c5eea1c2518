"use client";

import { Copy } from "lucide-react";
import { useState } from "react";

/** Copies a text; that it was copied is said for as long as it is that text. Where the browser refuses the clipboard the text is shown, to be copied by hand. */
export function CopyText({ label, done, text, className = "btn btn-sm" }: { readonly label: string; readonly done: string; readonly text: () => string; readonly className?: string }) {
  const [outcome, setOutcome] = useState<{ readonly copied: boolean; readonly text: string }>();
  const shown = outcome !== undefined && outcome.text === text() ? outcome : undefined;
  const copy = async (): Promise<void> => {
    const made = text();
    try {
      await navigator.clipboard.writeText(made);
      setOutcome({ copied: true, text: made });
    } catch {
      setOutcome({ copied: false, text: made }); // no permission or no secure context: the reader sees the text instead
    }
  };
  return (
    <>
      <button type="button" className={className} onClick={() => void copy()}>
        <Copy className="i i-14" aria-hidden="true" />
        <span aria-live="polite">{shown?.copied === true ? done : label}</span>
      </button>
      {shown?.copied === false ? <textarea className="input copy-area" aria-label={label} readOnly rows={8} value={shown.text} onFocus={(event) => event.target.select()} /> : null}
    </>
  );
}
