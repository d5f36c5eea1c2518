/** UTC milliseconds as ISO 8601, the form in which every time leaves the product. */
export const iso = (ms: number): string => new Date(ms).toISOString();

/** `{key: iso}` where the time is known, else nothing: an unknown time is left out, never made up. */
export const isoOr = <K extends string>(key: K, ms: number | undefined): { [P in K]?: string } => (ms === undefined ? {} : ({ [key]: iso(ms) } as { [P in K]?: string }));
