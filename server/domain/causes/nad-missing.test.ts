import { expect, it } from "vitest";
import type { EventObject } from "../model";
import { nadMissing } from "./nad-missing";
import { causeCases, checked } from "./testing/cases";
import { causeInput, errorGroup, type InputParts } from "./testing/input";
import { ownRequest, saying, secondsAgo, together, waiting } from "./testing/texts";

/** As real multus said it. */
const TEXT = 'cannot find a network-attachment-definition (not-there) in namespace (default): networkattachmentdefinition.k8s.cni.cncf.io "not-there" not found';
const text = errorGroup(TEXT, ["default/db-0"]);
const asking = (networks: string, dwellSeconds = 120) => waiting("db-0", dwellSeconds, { networks }, ownRequest(dwellSeconds));
const nads = new Map([["default/there", { pluginTypes: ["macvlan"] }], ["shared/net", { pluginTypes: ["bridge"] }]]);
const forbidden: InputParts["kind"] = (kind) => (kind === "nads" ? { seen: false, reason: "nads are forbidden" } : { seen: true });

causeCases(nadMissing, {
  fires: [
    { name: "where a pod asks for one that is not there, by the API alone", certainty: "named", says: ["default/not-there"], input: causeInput({ report: null, nads, errors: [text], ...asking("there,not-there@net2") }) },
    { name: "at once where multus says so, and after 30 s where nobody does", certainty: "named", input: causeInput({ nads, errors: [text], ...asking("not-there", 5) }) },
    { name: "where the name is right and the namespace is not", certainty: "named", says: ["default/net"], input: causeInput({ nads, ...asking('[{"name":"net"}]') }) },
    { name: "where the cluster has no such kind", certainty: "named", says: ["no network attachments at all"], input: causeInput({ nads: null, kind: (kind) => (kind === "nads" ? { seen: false, reason: "nads are absent", absent: true } : { seen: true }), ...asking("there") }) },
    { name: "where multus misses one that no annotation names", certainty: "suspected", says: ["no annotation names"], input: causeInput({ nads, errors: [saying("nad-missing", "getDefaultNetDelegateCRD: failed to get network resource", { pods: ["default/web-1"] })], ...waiting("web-1", 100) }) },
  ],
  almost: [
    { name: "where it is there now, whatever multus said before", input: causeInput({ nads: new Map([...nads, ["default/not-there", { pluginTypes: ["bridge"] }]]), errors: [text], ...asking("not-there") }) },
    { name: "in the first half minute, since pod and attachment may come together", input: causeInput({ nads, ...asking("not-there", 29) }) },
    { name: "where it lies in the namespace that the pod names", input: causeInput({ nads, ...asking("shared/net@eth1") }) },
    { name: "where a pod that runs asks for one that is gone since", input: causeInput({ nads, ...waiting("web-1", 100) }) },
    { name: "where attachments may not be seen and nobody asks for any", input: causeInput({ nads: null, kind: forbidden, ...waiting("web-1", 100) }) },
  ],
  missing: [
    { name: "suspects by the text of multus where attachments may not be seen", state: "suspected", says: "Texts of 1 pod", input: causeInput({ nads: null, kind: forbidden, errors: [text], ...asking("not-there") }) },
    { name: "cannot tell where attachments may not be seen and a pod asks for one", state: "unknown", says: "nads are forbidden", input: causeInput({ nads: null, kind: forbidden, ...asking("not-there") }) },
  ],
});

it("is named where multus itself looked for one and found none, though attachments may not be seen here", () => {
  const looked = (over: Partial<EventObject>): EventObject => ({ uid: "e", namespace: "default", reason: "NoNetworkFound", type: "Warning", message: TEXT, count: 3, firstMs: secondsAgo(100), lastMs: secondsAgo(10), about: { kind: "Pod", namespace: "default", name: "db-0", uid: "db-0" }, component: "multus", ...over });
  const found = (over: Partial<EventObject>) => checked(nadMissing, causeInput({ nads: null, kind: forbidden, errors: [text], ...asking("not-there"), eventsAbout: () => [looked(over)] }))[0];
  expect(found({})).toMatchObject({ certainty: "named", pods: ["default/db-0"], evidence: [{ look: "seen", value: expect.stringContaining("not-there") as string }, { look: "could-not-look" }] });
  expect(found({ component: "somebody" }), "of another reporter").toMatchObject({ certainty: "suspected" });
  expect(found({ lastMs: secondsAgo(900) }), "of before the pod waited").toMatchObject({ certainty: "suspected" });
});

it("lists the pods that ask, each once, and says nothing of the node", () => {
  const [found] = checked(nadMissing, causeInput({ nads, ...together(asking("not-there,also-not"), waiting("web-1", 120)) }));
  expect(found?.pods).toEqual(["default/db-0"]);
  expect(nadMissing.severity).toBe("notice");
});
