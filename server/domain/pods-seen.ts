import type { NodeView } from "./node-view";

/** How the blind spots of a node name its pods. */
export const PODS_WORDS = "Pods";

/**
 * Whether the counts of a view tell of now: the API is fresh for the node, and pods may be listed and were. Where it is false the counts are
 * those of before, or 0 where there never were any, and no 0 among them is one.
 */
export const podsSeen = ({ sources, blind }: Pick<NodeView, "sources" | "blind">): boolean => sources.some(({ source, freshness }) => source === "api" && freshness === "fresh") && !blind.some(({ what }) => what === PODS_WORDS);
