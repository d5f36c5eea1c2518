import { dump } from "js-yaml";
import type { SimulatedUser, Users } from "./api/access";

export const CLUSTER_NAME = "simulated";

/** A kubeconfig with one context for each user; the administrator's is the current one. */
export function kubeconfigText(server: string, caPem: string, users: Users, current: SimulatedUser = users.byRole.admin): string {
  return dump({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: CLUSTER_NAME, cluster: { server, "certificate-authority-data": Buffer.from(caPem).toString("base64") } }],
    users: users.all().map((user) => ({ name: user.name, user: { token: user.token } })),
    contexts: users.all().map((user) => ({ name: contextOf(user, users), context: { cluster: CLUSTER_NAME, user: user.name } })),
    "current-context": contextOf(current, users),
  });
}

/** "simulated" for the administrator; the others' names are their own: "simulated-viewer". */
const contextOf = (user: SimulatedUser, users: Users): string => (user === users.byRole.admin ? CLUSTER_NAME : user.name);
