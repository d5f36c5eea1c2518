import { authOrRbac } from "./auth-or-rbac";
import { causeCases } from "./testing/cases";
import { causeInput, errorGroup } from "./testing/input";
import { NOW_MS, secondsAgo } from "./testing/texts";

const TEXT = 'error getting ClusterInformation: connection is unauthorized: Unauthorized';
const LOOK_ALIKE = 'Multus: [ns1/app]: error getting pod: Get "https://10.96.0.1:443/api/v1/namespaces/ns1/pods/app": dial tcp 10.96.0.1:443: i/o timeout';
const text = errorGroup(TEXT, ["default/web-1"], { waitingSinceMs: secondsAgo(120) });
const forbidden = causeInput({ kind: (kind) => (kind === "events" ? { seen: false, reason: "events are forbidden" } : { seen: true }) });
const stale = causeInput({ source: (source) => (source === "api" ? { source, freshness: "stale", reason: "nothing for 5 min" } : { source, freshness: "fresh" }) });

causeCases(authOrRbac, {
  fires: [{ name: "where pods that wait say so", certainty: "suspected", says: ["1 pod"], input: causeInput({ errors: [text] }) }],
  almost: [
    { name: "where a pod says so whose next try is to come", input: causeInput({ errors: [{ ...text, waitingSinceMs: NOW_MS - 10_000 }] }) },
    { name: "where the API server does not answer at all", input: causeInput({ errors: [errorGroup(LOOK_ALIKE)] }) },
    { name: "where nobody says anything", input: causeInput() },
  ],
  missing: [
    { name: "cannot tell where events may not be seen", state: "unknown", says: "Events cannot be seen: events are forbidden", input: forbidden },
    { name: "cannot tell where the API tells nothing current", state: "unknown", says: "nothing for 5 min", input: stale },
  ],
});
