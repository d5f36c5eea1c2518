"use client";

import { useEffect, useRef } from "react";

export type Shortcuts = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/** A key counts as a shortcut only where nobody is typing and no modifier is held. */
export function isShortcut(event: Pick<KeyboardEvent, "ctrlKey" | "metaKey" | "altKey" | "isComposing" | "defaultPrevented">, target: { readonly tagName: string; readonly isContentEditable?: boolean } | null): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return false;
  return target === null || !(["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName) || target.isContentEditable === true);
}

/** Keys of the whole page, by `KeyboardEvent.key`. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  useEffect(() => {
    latest.current = shortcuts;
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      const run = latest.current[event.key];
      if (run === undefined || document.querySelector("dialog[open]") !== null) return;
      if (!isShortcut(event, event.target instanceof HTMLElement ? event.target : null)) return;
      event.preventDefault();
      run(event);
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
}
