"use client";

import { Copy } from "lucide-react";
import { useState } from "react";

/** Copies a text. Where the browser refuses the clipboard the text is shown, to be copied by hand. */
export function CopyText({ label, done, text, className = "btn btn-sm" }: { readonly label: string; readonly done: string; readonly text: () => string; readonly className?: string }) {
  const [outcome, setOutcome] = useState<{ readonly copied: boolean; readonly text: string }>();
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
        <span aria-live="polite">{outcome?.copied === true ? done : label}</span>
      </button>
      {outcome?.copied === false ? <textarea className="input copy-area" aria-label={label} readOnly rows={8} value={outcome.text} onFocus={(event) => event.target.select()} /> : null}
    </>
  );
}
