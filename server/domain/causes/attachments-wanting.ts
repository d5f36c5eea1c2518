import type { CauseInput } from "./types";
import { askingPods, podKey } from "./waiting-pods";

/** A pod without a sandbox whose network attachment names a plugin. */
export interface Wanting {
  readonly pod: string;
  readonly attachment: string;
  readonly type: string;
}

/** Of the pods without a sandbox those whose network attachments name a plugin for which `picks` holds; none where attachments cannot be seen. */
export function attachmentsWanting(input: CauseInput, picks: (pluginType: string) => boolean): readonly Wanting[] {
  const { nads } = input;
  if (nads === undefined) return [];
  return askingPods(input).flatMap(({ pod, attachments }) =>
    attachments.flatMap((attachment) => (nads.get(attachment)?.pluginTypes ?? []).filter(picks).map((type) => ({ pod: podKey(pod), attachment, type }))),
  );
}
