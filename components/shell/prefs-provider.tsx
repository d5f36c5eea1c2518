"use client";

import { createContext, useCallback, useContext, useMemo, useState, type ReactNode } from "react";
import { DEFAULT_PREFS, prefCookie, type Prefs } from "./prefs";

interface PrefsContext {
  readonly prefs: Prefs;
  setPref<K extends keyof Prefs>(name: K, value: Prefs[K]): void;
}

const Context = createContext<PrefsContext>({ prefs: DEFAULT_PREFS, setPref: () => {} });

export function PrefsProvider({ initial, children }: { readonly initial: Prefs; readonly children: ReactNode }) {
  const [prefs, setPrefs] = useState(initial);
  const setPref = useCallback(<K extends keyof Prefs>(name: K, value: Prefs[K]) => {
    document.cookie = prefCookie(name, value);
    if (name === "theme") applyTheme(value);
    setPrefs((before) => ({ ...before, [name]: value }));
  }, []);
  const value = useMemo(() => ({ prefs, setPref }), [prefs, setPref]);
  return <Context value={value}>{children}</Context>;
}

export const usePrefs = (): PrefsContext => useContext(Context);
export const useZone = (): string => useContext(Context).prefs.zone;

function applyTheme(theme: string): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}
