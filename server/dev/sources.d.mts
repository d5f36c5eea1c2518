/** Modification time, size and hash of the content, by the file's path below the checkout. */
export type Manifest = Readonly<Record<string, readonly [mtimeMs: number, bytes: number, sha256: string]>>;

export function manifest(before?: Manifest, inputs?: readonly string[]): Manifest;
export function sameContent(a: Manifest, b: Manifest): boolean;
