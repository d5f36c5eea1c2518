"use client";

import { useEffect, useState } from "react";

/** Longer than the second click of a double click takes to come. */
const CALM_MS = 800;

/**
 * True once what uses it has been on the page for a moment. A button that takes the place of the one just clicked must
 * not take its second click: after "Dry run" comes "Run".
 */
export function useCalm(): boolean {
  const [calm, setCalm] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setCalm(true), CALM_MS);
    return () => clearTimeout(timer);
  }, []);
  return calm;
}
