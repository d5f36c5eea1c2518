"use client";

import { useEffect, useId, useRef, type ReactNode } from "react";
import { Icon } from "./glyphs";

/** A modal sheet of paper over the page: the browser's own dialog keeps the focus inside and gives it back. */
export function Dialog({ title, open, onClose, children }: { readonly title: string; readonly open: boolean; readonly onClose: () => void; readonly children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const element = dialog.current;
    if (open && element?.open === false) {
      element.showModal();
      element.querySelector<HTMLElement>("[data-autofocus]")?.focus();
    }
    if (!open && element?.open === true) element.close();
  }, [open]);
  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby={heading}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div className="dialog-in">
        <header>
          <h2 id={heading}>{title}</h2>
          <button type="button" className="icon-btn" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
