import type { Rule } from "../rule";
import { API_RULES } from "./api";
import { CALICO_RULES } from "./calico";
import { CILIUM_RULES } from "./cilium";
import { CLOUD_RULES } from "./cloud";
import { DAEMON_RULES } from "./daemon";
import { DEVICE_RULES } from "./device";
import { IPAM_RULES } from "./ipam";
import { KUBELET_RULES } from "./kubelet";
import { LIBCNI_RULES } from "./libcni";
import { MULTUS_RULES } from "./multus";
import { OVN_RULES } from "./ovn";
import { RUNTIME_RULES } from "./runtime";
import { SYSTEM_RULES } from "./system";

/** Every rule; their order means nothing. */
export const RULES: readonly Rule[] = [
  ...SYSTEM_RULES,
  ...API_RULES,
  ...LIBCNI_RULES,
  ...KUBELET_RULES,
  ...RUNTIME_RULES,
  ...DAEMON_RULES,
  ...MULTUS_RULES,
  ...IPAM_RULES,
  ...CILIUM_RULES,
  ...CALICO_RULES,
  ...OVN_RULES,
  ...CLOUD_RULES,
  ...DEVICE_RULES,
];
