"use client";

import { Check, X } from "lucide-react";
import { useEffect, useRef, type ReactNode } from "react";
import { STEPS, type Step } from "../sheet-step";

interface SheetHeadProps {
  readonly over: ReactNode;
  readonly title: string;
  readonly step: Step;
  /** Words beside a step, such as how many checks are done. */
  readonly notes?: Partial<Record<Step, string>>;
  readonly finished?: boolean;
  readonly aside?: ReactNode;
  readonly onClose: () => void;
}

/** The name of what is being done and the five steps. It takes the focus, so that a reader hears where it begins. */
export function SheetHead({ over, title, step, notes = {}, finished = false, aside, onClose }: SheetHeadProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const now = STEPS.indexOf(step);
  return (
    <header className="sheet-head">
      <div className="sheet-title">
        <div>
          <p className="small muted">{over}</p>
          <h1 id="sheet-h" ref={heading} tabIndex={-1}>
            {title}
          </h1>
        </div>
        <span className="spacer" />
        {aside}
        <button type="button" className="icon-btn" aria-label="Close" onClick={onClose}>
          <X className="i" aria-hidden="true" />
        </button>
      </div>
      <ol className="steps" aria-label="Steps">
        {STEPS.map((name, index) => {
          const done = index < now || finished;
          return (
            <li key={name} className={done ? "done" : index === now ? "now" : undefined} {...(index === now ? { "aria-current": "step" as const } : {})}>
              <span className="b" aria-hidden="true">
                {done ? <Check className="i i-12" /> : index + 1}
              </span>
              {name}
              {notes[name] === undefined ? null : `, ${notes[name]}`}
              {done ? <span className="sr"> done</span> : null}
            </li>
          );
        })}
      </ol>
    </header>
  );
}
