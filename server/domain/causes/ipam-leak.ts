import { countWords, listWords } from "../words";
import { textsOr } from "./by-texts";
import { couldNotLook } from "./evidence";
import { cannotTell, clear, textEvidence, textsFor, textsUnseen } from "./findings";
import { isLeak, LEAKED_LEASES, poolEvidence, poolsOf, type Pool } from "./pools";
import type { Cause, CauseInput, Finding } from "./types";
import { namesOf, waitsForNode } from "./waiting-pods";

const WHAT = "Address ranges of this node and their leases";

export const ipamLeak: Cause = {
  code: "ipam-leak",
  title: "Addresses are held by sandboxes that are gone",
  severity: "blocks",
  meaning:
    "Leases of addresses stay behind when a sandbox goes without a successful CNI DEL: after a hard reboot, when the teardown fails or never reaches the plugin, or when a plugin reports success for a DEL that it did not do. Nobody gives them back. In the end the range is full although few pods run.",
  impact: "Once the range is full, no pod gets an address, and waiting does not help: the leases of dead sandboxes do not end.",
  checks: [
    "The agent: leases of each host-local range whose sandbox the runtime does not list any more, without those that may belong to sandboxes in the making; or more leases than pods.",
    `Full and at least a tenth of the leases leaked: blocks. Not full, with at least ${LEAKED_LEASES} leaked that are a tenth or more of the leases: a risk.`,
    "Texts of waiting or ending pods that an address is held by somebody else.",
  ],
  lookAlikes: [
    { code: "ipam-exhausted", tells: "There the leases belong to pods that live." },
    { code: "teardown-failed", tells: "There the DEL fails now; that is one way in which leases leak." },
    { code: "cni-cache-broken", tells: "There files of the CNI cache are broken, so that DEL cannot know what to give back." },
  ],
  mitigation: [
    "Compare on the node: `ls /var/lib/cni/networks/NETWORK | wc -l` with `crictl pods -q | wc -l`; each lease's first line is the id of its sandbox.",
    "Remove only leases whose id `crictl pods` does not list: a lease that is removed while its pod lives is given out twice, and two pods share an address.",
    "Or drain the node, stop the kubelet, remove the folder of the network, start the kubelet again: slow and safe.",
    "Then end what leaks: the texts of pods that are being deleted say why DEL fails. Thick multus answers a DEL with success while its daemon is down.",
  ],
  actions: ["purge-dead-sandboxes"],
  explains: ["ipam-exhausted"],
  check: (input) => {
    const full = textsFor(input, "ipam-exhausted").length > 0 ? 1 : 0;
    const look = poolsOf(input, full);
    if (!look.looked) return [byTexts(input, cannotTell(textsUnseen(input) ?? look.reason, [couldNotLook(WHAT, "agent", look.reason)]))];
    const leaking = look.pools.filter((pool) => isLeak(pool) && (pool.full === true || (pool.leaked ?? 0) >= LEAKED_LEASES));
    if (leaking.length > 0) return [named(input, leaking)];
    const evidence = look.pools.flatMap((pool) => poolEvidence(input, pool));
    const blind = look.pools.find(({ leaked }) => leaked === undefined);
    if (blind !== undefined) return [byTexts(input, cannotTell("Whom the leases of addresses belong to cannot be told: neither the runtime's list of sandboxes nor the node's pods are known", [...evidence, couldNotLook("Sandboxes of the leases", "agent", "neither the runtime's list of sandboxes nor the node's pods are known")]))];
    return [byTexts(input, clear(look.pools.length === 0 ? "No host-local range is on this node, and no pod says that an address is held." : "The leases of this node's ranges belong to sandboxes that are there.", evidence))];
  },
};

function named(input: CauseInput, pools: readonly Pool[]): Finding {
  const full = pools.filter((pool) => pool.full === true);
  const each = pools.map(({ words, leaked = 0, reading, full: isFull }) => `${words} ${isFull === true ? "is full, and " : "holds "}${leaked} of its ${countWords(reading.leases, "lease")} ${isFull === true ? "belong" : "that belong"} to no sandbox`);
  return {
    state: "firing",
    certainty: "named",
    ...(full.length > 0 ? {} : { severity: "risks" }),
    summary: `${listWords(each)}.`,
    evidence: [...pools.flatMap((pool) => poolEvidence(input, pool)), ...textEvidence([...textsFor(input, "ipam-exhausted"), ...textsFor(input, "ipam-leak")])],
    ...(full.length > 0 ? { pods: namesOf(waitsForNode(input)) } : {}),
  };
}

const byTexts = (input: CauseInput, otherwise: Finding): Finding => textsOr(input, "ipam-leak", "say that addresses are held by something that is gone.", otherwise, WHAT, "agent");
