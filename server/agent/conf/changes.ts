import { MAX_CONFIG_CHANGES, MAX_DIFF_CHARS, type ConfigChange } from "../../domain/agent-readings";
import { capText } from "../../domain/agent-report";
import { nameText, timeMs } from "../bounds";
import { lineDiff } from "./line-diff";
import { redact } from "../../domain/redact";
import type { ConfFileRead } from "./read-dir";

export interface ConfigChanges {
  /** What changed in the dir since the look before; nothing at the first look, or when another dir is looked at. */
  since(dir: string, files: readonly ConfFileRead[], nowMs: number): readonly ConfigChange[];
}

/** Lines of one file that are kept to compare with; a config has a few dozen. */
const MAX_LINES_KEPT = 500;

interface Seen {
  readonly key: string;
  readonly lines: readonly string[];
}

export function configChanges(): ConfigChanges {
  let last: { readonly dir: string; readonly atMs: number; readonly files: ReadonlyMap<string, Seen> } | undefined;
  return {
    since: (dir, files, nowMs) => {
      const before = last?.dir === dir ? last : undefined;
      const now = new Map(files.map((file) => [file.name, seen(file, before?.files.get(file.name))]));
      last = { dir, atMs: nowMs, files: now };
      if (before === undefined) return [];
      const changes: ConfigChange[] = [];
      for (const file of files) {
        const [old, fresh] = [before.files.get(file.name), now.get(file.name)];
        if (fresh === undefined || old?.key === fresh.key) continue;
        const atMs = timeBetween(before.atMs, file.stamp?.changedMs, nowMs);
        changes.push({ file: nameText(file.name), atMs, change: old === undefined ? "added" : "changed", diff: diffText(old?.lines ?? [], fresh.lines) });
      }
      for (const [name, old] of before.files) if (!now.has(name)) changes.push({ file: nameText(name), atMs: timeMs(nowMs) ?? 0, change: "removed", diff: diffText(old.lines, []) });
      return changes.slice(0, MAX_CONFIG_CHANGES);
    },
  };
}

/** The file's own time where it lies between the two looks: a moved or restored file brings an old one along. */
const timeBetween = (fromMs: number, changedMs: number | undefined, nowMs: number): number => timeMs(changedMs !== undefined && changedMs > fromMs && changedMs < nowMs ? changedMs : nowMs) ?? 0;

function seen(file: ConfFileRead, before: Seen | undefined): Seen {
  const key = file.unread ? "unread" : (file.stamp?.key ?? "nowhere");
  return before?.key === key ? before : { key, lines: linesOf(file) };
}

/** The file as it may be shown: its JSON in one and the same form, without secrets; else only why it cannot be. */
function linesOf({ config, json }: ConfFileRead): readonly string[] {
  if (json === undefined) return [`(${config.usable ? "not shown" : config.problem}; not shown)`];
  const lines = JSON.stringify(redact(json), null, 2).split("\n");
  return lines.length > MAX_LINES_KEPT ? [...lines.slice(0, MAX_LINES_KEPT), `(${String(lines.length - MAX_LINES_KEPT)} more lines, not shown)`] : lines;
}

function diffText(before: readonly string[], after: readonly string[]): string {
  const lines = lineDiff(before, after);
  return lines.length === 0 ? "(written; nothing that may be shown has changed)" : capText(lines.join("\n"), MAX_DIFF_CHARS);
}
