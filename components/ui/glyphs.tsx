import type { Look } from "@/components/fleet/model";

/** The four answers: disc with a tick, square with a cross, broken diamond, triangle. The shape says it, the colour repeats it. */
export function AnswerGlyph({ look, size = 16 }: { readonly look: Look; readonly size?: number }) {
  return (
    <svg className="g" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      {GLYPHS[look]}
    </svg>
  );
}

const GLYPHS: Readonly<Record<Look, React.ReactNode>> = {
  yes: (
    <>
      <circle cx="8" cy="8" r="7" fill="var(--ok-fill)" />
      <path d="M4.9 8.3l2.2 2.1 4-4.6" fill="none" stroke="var(--on-fill)" strokeWidth="1.7" strokeLinecap="round" strokeLinejoin="round" />
    </>
  ),
  no: (
    <>
      <rect x=".8" y=".8" width="14.4" height="14.4" rx="2" fill="var(--bad-fill)" />
      <path d="M5.2 5.2l5.6 5.6M10.8 5.2l-5.6 5.6" stroke="var(--on-fill)" strokeWidth="1.8" strokeLinecap="round" />
    </>
  ),
  unknown: (
    <>
      <path d="M8 .9L15.1 8 8 15.1.9 8z" fill="var(--unknown-soft)" stroke="var(--unknown)" strokeWidth="1.3" strokeDasharray="2.1 1.6" />
      <path d="M6.5 6.6c0-2 3.1-1.9 3.1 0 0 1.2-1.6 1.2-1.6 2.4" fill="none" stroke="var(--unknown)" strokeWidth="1.3" strokeLinecap="round" />
      <circle cx="8" cy="11" r=".85" fill="var(--unknown)" />
    </>
  ),
  risk: (
    <>
      <path d="M8 1.6l7 12.6H1z" fill="var(--warn-soft)" stroke="var(--warn-fill)" strokeWidth="1.4" strokeLinejoin="round" />
      <path d="M8 6.2v3.6" stroke="var(--warn)" strokeWidth="1.6" strokeLinecap="round" />
      <circle cx="8" cy="12" r=".95" fill="var(--warn)" />
    </>
  ),
};

export type IconName = keyof typeof ICONS;

/** Line icons on a 16 px grid, drawn to the weight of the type; one path each. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: 12 | 14 | 16 }) {
  return (
    <svg className={size === 16 ? "i" : `i i-${size}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={ICONS[name]} />
    </svg>
  );
}

const ICONS = {
  seen: "M3 8.4l3.2 3.2L13 4.6",
  "not-seen": "M8 2.5a5.5 5.5 0 0 1 2.9.8M12.7 5.1a5.5 5.5 0 0 1 .7 3.6M12.4 11.3a5.5 5.5 0 0 1-2.6 2M6.9 13.4a5.5 5.5 0 0 1-3-1.8M2.6 9.2a5.5 5.5 0 0 1 .4-3.4M4.6 3.7a5.5 5.5 0 0 1 1.2-.8M5.5 8h5",
  blind: "M2 8s2.2-4 6-4c1 0 1.9.3 2.6.7M14 8s-2.2 4-6 4c-1 0-1.9-.3-2.6-.7M2.5 13.5l11-11",
  arrow: "M3 8h10M9 4l4 4-4 4",
  search: "M7 2.8a4.2 4.2 0 1 0 0 8.4 4.2 4.2 0 0 0 0-8.4zM10.3 10.3l3.3 3.3",
  help: "M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2zM6.3 6.4c0-2.1 3.4-2 3.4 0 0 1.3-1.7 1.3-1.7 2.4M8 11v.1",
  theme: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 2.5v11M9.8 3v10M11.6 4v8",
  close: "M4.5 4.5l7 7M11.5 4.5l-7 7",
  link: "M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2.2-2.2A2.6 2.6 0 0 0 9 3.3l-.8.8M9.2 6.8a2.6 2.6 0 0 0-3.7 0L3.3 9A2.6 2.6 0 0 0 7 12.7l.8-.8",
  chevron: "M4.5 6.5L8 10l3.5-3.5",
  clock: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 5v3.2l2 1.3",
} as const;

export function SandglassMark() {
  return (
    <svg viewBox="0 0 16 20" width="16" height="20" aria-hidden="true">
      <path d="M2 1.2h12M2 18.8h12" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" />
      <path d="M3.6 3.4h8.8L8 10z" fill="none" stroke="currentColor" strokeWidth="1.4" strokeLinejoin="round" />
      <path d="M5.7 5.9h4.6L8 9.6z" fill="currentColor" />
      <path d="M8 10.2l4.4 6.6H3.6z" fill="currentColor" stroke="currentColor" strokeWidth="1.2" strokeLinejoin="round" />
    </svg>
  );
}
