import { expect, it } from "vitest";
import { netnsGone } from "./netns-gone";
import { causeCases, checked } from "./testing/cases";
import { causeInput, errorGroup } from "./testing/input";
import { NOW_MS, saying, secondsAgo, waiting } from "./testing/texts";

const TEXT = 'Error adding kube-system_coredns-695688789-jrfn9 to network loopback/cni-loopback: failed to Statfs "/proc/11081/ns/net": no such file or directory';
const text = errorGroup(TEXT, ["default/web-1"], { waitingSinceMs: secondsAgo(120) });

causeCases(netnsGone, {
  fires: [{ name: "where a pod says so", certainty: "suspected", says: ["1 pod"], input: causeInput({ errors: [text] }) }],
  almost: [
    { name: "where a pod says so whose next try is to come", input: causeInput({ errors: [{ ...text, waitingSinceMs: NOW_MS - 10_000 }] }) },
    { name: "where the daemon looks for it under a mount of its own", input: causeInput({ errors: [errorGroup('failed to Statfs "/host/var/run/netns/cni-47e6e75f": no such file or directory')] }) },
  ],
  missing: [{ name: "cannot tell where events may not be seen", state: "unknown", says: "Events cannot be seen", input: causeInput({ kind: (kind) => (kind === "events" ? { seen: false, reason: "forbidden" } : { seen: true }) }) }],
});

it("is a notice, and a risk where a stuck pod says nothing else", () => {
  const severity = (...input: Parameters<typeof causeInput>) => checked(netnsGone, causeInput(...input))[0]?.severity;
  expect(severity({ errors: [text] })).toBeUndefined();
  expect(severity({ errors: [text], ...waiting("web-1", 80) })).toBeUndefined();
  expect(severity({ errors: [text], ...waiting("web-1", 120) })).toBe("risks");
  expect(severity({ errors: [text, saying("daemon-slow", "timed out waiting for the condition")], ...waiting("web-1", 120) })).toBeUndefined();
  expect(netnsGone.severity).toBe("notice");
});
