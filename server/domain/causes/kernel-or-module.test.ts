import { kernelOrModule } from "./kernel-or-module";
import { causeCases } from "./testing/cases";
import { causeInput, errorGroup } from "./testing/input";
import { NOW_MS, secondsAgo } from "./testing/texts";

const TEXT = 'failed to list chains: running [/usr/sbin/iptables -t nat -S --wait]: exit status 3: iptables v1.8.3 (legacy): can\'t initialize iptables table `nat\': Table does not exist (do you need to insmod?)';
const LOOK_ALIKE = 'running [/sbin/iptables -t nat -A X --wait 5]: Another app is currently holding the xtables lock. Stopped waiting after 5s.';
const text = errorGroup(TEXT, ["default/web-1"], { waitingSinceMs: secondsAgo(120) });
const forbidden = causeInput({ kind: (kind) => (kind === "events" ? { seen: false, reason: "events are forbidden" } : { seen: true }) });
const stale = causeInput({ source: (source) => (source === "api" ? { source, freshness: "stale", reason: "nothing for 5 min" } : { source, freshness: "fresh" }) });

causeCases(kernelOrModule, {
  fires: [{ name: "where pods that wait say so", certainty: "suspected", says: ["1 pod"], input: causeInput({ errors: [text] }) }],
  almost: [
    { name: "where a pod says so whose next try is to come", input: causeInput({ errors: [{ ...text, waitingSinceMs: NOW_MS - 10_000 }] }) },
    { name: "where another process holds the lock of iptables", input: causeInput({ errors: [errorGroup(LOOK_ALIKE)] }) },
    { name: "where nobody says anything", input: causeInput() },
  ],
  missing: [
    { name: "cannot tell where events may not be seen", state: "unknown", says: "Events cannot be seen: events are forbidden", input: forbidden },
    { name: "cannot tell where the API tells nothing current", state: "unknown", says: "nothing for 5 min", input: stale },
  ],
});
