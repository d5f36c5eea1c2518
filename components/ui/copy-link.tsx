"use client";

import { useEffect, useState } from "react";
import { Icon } from "./glyphs";

const SAID_FOR_MS = 2_500;

/** Copies an address of this page. Where the browser refuses the clipboard, the address is shown to be copied by hand. */
export function CopyLink({ label, address }: { readonly label: string; readonly address: () => string }) {
  const [outcome, setOutcome] = useState<{ readonly copied: boolean; readonly text: string }>();
  useEffect(() => {
    if (outcome?.copied !== true) return;
    const timer = setTimeout(() => setOutcome(undefined), SAID_FOR_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async (): Promise<void> => {
    const text = address();
    try {
      await navigator.clipboard.writeText(text);
      setOutcome({ copied: true, text });
    } catch {
      setOutcome({ copied: false, text }); // no permission or no secure context: the reader sees the address instead
    }
  };
  return (
    <span className="copy">
      <button type="button" className="btn btn-sm" onClick={() => void copy()}>
        <Icon name="link" size={14} />
        <span aria-live="polite">{outcome?.copied === true ? "Link copied" : label}</span>
      </button>
      {outcome?.copied === false ? <input className="input copy-text" aria-label="Link to copy" readOnly value={outcome.text} onFocus={(event) => event.target.select()} /> : null}
    </span>
  );
}
