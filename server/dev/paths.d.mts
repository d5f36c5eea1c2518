export const ROOT: string;
export const inRoot: (...parts: string[]) => string;
export const PROJECT_NODE: string;
export const BUNDLE: string;
export const STANDALONE: string;
export const NODE_FLAGS: readonly string[];
