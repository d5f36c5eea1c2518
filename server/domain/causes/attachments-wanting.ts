import { couldNotLook } from "./evidence";
import { cannotTell, clear } from "./findings";
import type { CauseInput, Finding } from "./types";
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

/** The finding of a check that needs network attachments, where they cannot be seen; a cluster without the kind has none that could be wrong. */
export function attachmentsUnseen(input: CauseInput): Finding {
  const kind = input.kind("nads");
  if (kind.seen || kind.absent === true) return clear("The cluster has no network attachments.");
  const reason = `Network attachments cannot be seen: ${kind.reason}`;
  return cannotTell(reason, [couldNotLook("Network attachments that pods here ask for", "api", reason)]);
}
