import type { EvidenceOut } from "../contract/evidence";
import type { Evidence } from "../domain/answer";
import { isoOr } from "./iso";

/** One observation in the shape of the API. */
export const evidenceOut = (evidence: Evidence): EvidenceOut => ({
  what: evidence.what,
  look: evidence.look,
  ...(evidence.value === undefined ? {} : { value: evidence.value }),
  ...(evidence.unit === undefined ? {} : { unit: evidence.unit }),
  ...isoOr("at", evidence.atMs),
  source: evidence.source,
  ...(evidence.reason === undefined ? {} : { reason: evidence.reason }),
});
