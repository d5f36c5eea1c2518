import { binDirReadOnly } from "../model/faults/bin-dir-read-only";
import { bypassedPodsStay } from "../model/faults/bypassed-pods-stay";
import { confCutShort } from "../model/faults/conf-cut-short";
import { confDirEmptied } from "../model/faults/conf-dir-emptied";
import { confMovedIntoPlace } from "../model/faults/conf-moved-into-place";
import { confOfOtherCni } from "../model/faults/conf-of-other-cni";
import { confOfOtherVersion } from "../model/faults/conf-of-other-version";
import { daemonConfig, daemonConfigCutShort, daemonConfigWith } from "../model/faults/daemon-config";
import { daemonsOverlap } from "../model/faults/daemons-overlap";
import { generatedConfRemoved } from "../model/faults/generated-conf-removed";
import { masterRemoved } from "../model/faults/master-removed";
import { programOfOtherArchitecture } from "../model/faults/program-of-other-architecture";
import { rollout } from "../model/faults/rollout";
import { rolloutOf } from "../model/faults/rollout-of";
import { SECOND_CONFLIST, secondConflist } from "../model/faults/second-conflist";
import { shimRemoved } from "../model/faults/shim-removed";
import { SECOND_NETWORK } from "../model/pods";
import { atOnce, both, inTurn, type CauseScenario } from "./types";

const ROLLOUT = rollout(5);
/** Pods that ask for a second network. */
const ASKING = { extraPods: [{ namespace: "data", app: "video-edge", count: 3, of: "ReplicaSet", networks: SECOND_NETWORK }] } as const;

/** Files of a node: its configs and programs. */
export const CONFIG_SCENARIOS = {
  "plugin-binary-missing": { cause: "plugin-binary-missing", detail: "conflist", certainty: "named", answer: "no", what: "an upgrade removes the shim, then a rollout comes", steps: atOnce(shimRemoved, ROLLOUT), namedWithin: 2, clearWithin: 30 },
  "wrong-architecture": { cause: "plugin-binary-missing", detail: "conflist", certainty: "named", answer: "no", what: "the bridge plugin is replaced by one for another architecture", steps: atOnce(programOfOtherArchitecture("bridge"), ROLLOUT), namedWithin: 2, clearWithin: 30 },
  "cni-config-missing": { cause: "cni-config-missing", certainty: "named", answer: "no", what: "every file of the conf dir is deleted", steps: atOnce(confDirEmptied, ROLLOUT), namedWithin: 4, clearWithin: 30 },
  "cni-config-invalid": { cause: "cni-config-invalid", detail: "conf-dir", certainty: "named", answer: "no", what: "the config in force is written, and cut short", steps: atOnce(confCutShort, ROLLOUT), namedWithin: 4, clearWithin: 30 },
  "cni-config-unnoticed": { cause: "cni-config-unnoticed", certainty: "named", answer: "no", what: "good configs are moved into place, and the runtime does not load them", steps: atOnce(confMovedIntoPlace, ROLLOUT), namedWithin: 4, clearWithin: 30 },
  "cni-config-conflict": { cause: "cni-config-conflict", certainty: "named", answer: "no", what: "an image update brings back the files of a CNI that is gone", steps: atOnce(confOfOtherCni, ROLLOUT), namedWithin: 4, clearWithin: 30 },
  "cni-version-mismatch": { cause: "cni-version-mismatch", certainty: "named", answer: "no", what: "the conflist asks for a CNI version that the plugins do not know", steps: atOnce(confOfOtherVersion, ROLLOUT), namedWithin: 4, clearWithin: 30 },
  "installer-reported": { cause: "installer-reported", certainty: "named", answer: "yes", what: "an installer that cannot write says so and ends well", steps: inTurn(60, binDirReadOnly), cluster: { daemonTemplate: { installer: "script" } }, namedWithin: 6, clearWithin: 10 },
  "daemon-config-invalid": { cause: "cni-config-invalid", detail: "daemon-config", certainty: "named", answer: "yes", what: "the daemon refuses its own config, and pods come up without their networks", node: ASKING, steps: inTurn(30, both(bypassedPodsStay, daemonConfig("The daemon's config is cut short.", daemonConfigCutShort())), rolloutOf("video-edge")), namedWithin: 4, clearWithin: 20, elsewhere: ["cni-config-invalid"], leaves: ["silent-bypass"] },
  "wrong-master-cni": { cause: "wrong-master-cni", detail: "nested", certainty: "named", answer: "yes", what: "multusMasterCNI stands where multus does not look", steps: atOnce(secondConflist, daemonConfig("multusMasterCNI is written below another key.", daemonConfigWith({ delegates: { multusMasterCNI: SECOND_CONFLIST } }))), namedWithin: 4, clearWithin: 10, elsewhere: ["wrong-master-cni"], leaves: ["silent-bypass"] },
  "master-conflist-gone": { cause: "wrong-master-cni", detail: "missing", certainty: "named", answer: "no", what: "the conflist behind the daemon is deleted while it runs", steps: atOnce(masterRemoved, ROLLOUT), namedWithin: 4, clearWithin: 20 },
  "silent-bypass": { cause: "silent-bypass", detail: "config-gone", certainty: "named", answer: "yes", what: "the daemon's config is deleted while it runs, then a rollout comes", node: ASKING, steps: atOnce(bypassedPodsStay, generatedConfRemoved, rolloutOf("video-edge")), namedWithin: 4, clearWithin: 20 },
  "overlapping-daemons": { cause: "silent-bypass", detail: "overlapping-daemons", certainty: "named", answer: "yes", what: "two daemons overlap, and the old one takes the new one's files away", node: ASKING, steps: inTurn(30, both(bypassedPodsStay, daemonsOverlap), rolloutOf("video-edge")), namedWithin: 6, clearWithin: 20, leaves: ["silent-bypass"] },
} as const satisfies Readonly<Record<string, CauseScenario>>;
