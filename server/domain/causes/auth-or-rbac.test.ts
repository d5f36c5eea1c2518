import { expect, it } from "vitest";
import { MAX_END_UNIX_SECONDS, type CredentialReading } from "../agent-readings";
import { agentReport } from "../testing/builders";
import { authOrRbac, EXPIRED_SECONDS } from "./auth-or-rbac";
import { causeCases, checked } from "./testing/cases";
import { causeInput, errorGroup } from "./testing/input";
import { NOW_MS, secondsAgo, waiting } from "./testing/texts";

const TEXT = "error getting ClusterInformation: connection is unauthorized: Unauthorized";
const text = errorGroup(TEXT, ["default/web-1"], { waitingSinceMs: secondsAgo(120) });
const UNREACHABLE = 'Multus: [ns1/app]: error getting pod: Get "https://10.96.0.1:443/api/v1/namespaces/ns1/pods/app": dial tcp 10.96.0.1:443: i/o timeout';
const credential = (over: Partial<CredentialReading> = {}): CredentialReading => ({ path: "/etc/cni/net.d/multus.d/multus.kubeconfig", wantedBy: ["00-multus.conf"], kind: "token", ...over });
const endsIn = (seconds: number, over: Partial<CredentialReading> = {}): CredentialReading => credential({ expiresUnixSeconds: NOW_MS / 1_000 + seconds, ...over });
const report = (...items: readonly CredentialReading[]) => agentReport({ credentials: { looked: true, items }, config: { looked: true, reading: { dir: "/etc/cni/net.d", effectiveFile: "00-multus.conf", pluginTypes: ["multus"], sockets: [], missingBinaries: [], binDirs: [] } } });

causeCases(authOrRbac, {
  fires: [
    { name: "where the token that the config in force names has ended, before a pod comes", certainty: "named", says: ["multus.kubeconfig", "00-multus.conf", "3 h"], input: causeInput({ report: report(endsIn(-3 * 3_600)) }) },
    { name: "where pods that wait say so, and the credentials have not ended: a role or an authority", certainty: "suspected", says: ["1 pod"], input: causeInput({ errors: [text], report: report(endsIn(3_600)) }) },
  ],
  almost: [
    { name: "where the token ended just now", input: causeInput({ report: report(endsIn(1 - EXPIRED_SECONDS)) }) },
    { name: "where a file that is not in force names what has ended", input: causeInput({ report: report(endsIn(-3_600, { wantedBy: ["10-calico.conflist"] })) }) },
    { name: "where a token does not end", input: causeInput({ report: report(credential()) }) },
    { name: "where a pod says so whose next try is to come", input: causeInput({ errors: [{ ...text, waitingSinceMs: NOW_MS - 10_000 }] }) },
    { name: "where the API server does not answer at all", input: causeInput({ errors: [errorGroup(UNREACHABLE)] }) },
  ],
  missing: [
    { name: "suspects by the text where no agent is", state: "suspected", says: "1 pod", input: causeInput({ report: null, errors: [text] }) },
    { name: "cannot tell where events may not be seen", state: "unknown", says: "Events cannot be seen: events are forbidden", input: causeInput({ kind: (kind) => (kind === "events" ? { seen: false, reason: "events are forbidden" } : { seen: true }) }) },
  ],
});

it("shows the last end that a report may tell", () => {
  const [finding] = checked(authOrRbac, causeInput({ errors: [text], ...waiting("web-1", 120), report: report(credential({ expiresUnixSeconds: MAX_END_UNIX_SECONDS })) }));
  expect(finding?.evidence.at(-1)?.value).toBe("+275760-09-13T00:00:00.000Z");
});

it("shows beside the texts until when the credentials are good, or why that is not known", () => {
  const looks = (input: Parameters<typeof causeInput>[0]) => checked(authOrRbac, causeInput({ errors: [text], ...waiting("web-1", 120), ...input }))[0]?.evidence.map(({ look }) => look);
  expect(looks({ report: report(endsIn(3_600)) })).toEqual(["seen", "seen"]);
  expect(looks({ report: report(credential({ problem: "absent" })) })).toEqual(["seen", "could-not-look"]);
  expect(looks({ report: null })).toEqual(["seen", "could-not-look"]);
});
