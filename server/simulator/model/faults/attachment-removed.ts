import type { Fault } from "./fault";

/** The object that pods name is deleted. */
export const attachmentRemoved = (key: string, config: string): Fault => ({
  what: `Network attachment ${key} is deleted.`,
  break: ({ model }) => model.attachments.remove(key),
  mend: ({ model }) => model.attachments.put(key, config),
});
