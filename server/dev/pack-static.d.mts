export function packStatic(from: string, to: string): Promise<void>;
