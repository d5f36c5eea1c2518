/** Keys of the query cache, one place so that the stream and the pages mean the same entry. */
export const QUERY_KEYS = {
  status: ["status"],
  fleet: ["fleet"],
  visibility: ["visibility"],
  offeredKeys: ["offered-keys"],
  /** What all nodes' pages begin with. */
  nodes: ["node"],
  exceptions: (code: string) => ["exceptions", code] as const,
  node: (name: string) => ["node", name] as const,
  timeline: (name: string, range: string, points: number) => ["timeline", name, range, points] as const,
  spark: (name: string) => ["spark", name] as const,
} as const;
