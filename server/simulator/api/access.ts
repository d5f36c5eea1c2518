import { randomBytes, timingSafeEqual } from "node:crypto";
import { ApiError } from "./status";

export interface AccessRule {
  readonly verbs: readonly string[];
  readonly groups: readonly string[];
  /** "pods", "pods/eviction", "*". */
  readonly resources: readonly string[];
}

export interface SimulatedUser {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly token: string;
  readonly rules: readonly AccessRule[];
}

export interface AccessRequest {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

const ALL: AccessRule = { verbs: ["*"], groups: ["*"], resources: ["*"] };
const READ = ["get", "list", "watch"];
const READ_ALL: AccessRule = { verbs: READ, groups: ["", "apps", "policy", "k8s.cni.cncf.io"], resources: ["namespaces", "nodes", "pods", "events", "configmaps", "daemonsets", "controllerrevisions", "deployments", "replicasets", "poddisruptionbudgets", "network-attachment-definitions"] };
const READ_KUBELET: AccessRule = { verbs: ["get"], groups: [""], resources: ["nodes/metrics", "nodes/stats", "nodes/pods", "nodes/healthz", "nodes/configz"] };
/** What everybody who is known may do: ask about oneself. */
const EVERYBODY: AccessRule = { verbs: ["create"], groups: ["authorization.k8s.io", "authentication.k8s.io"], resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews", "selfsubjectreviews"] };
const REVIEWS: AccessRule = { verbs: ["create"], groups: ["authorization.k8s.io", "authentication.k8s.io"], resources: ["subjectaccessreviews", "tokenreviews"] };

export type UserRole = "admin" | "viewer" | "limited";
const TOKEN_BYTES = 32;

/** `limited` sees nodes and pods and nothing else: for what a refusal looks like. */
const ROLES: Readonly<Record<UserRole, { readonly name: string; readonly groups: readonly string[]; readonly rules: readonly AccessRule[] }>> = {
  admin: { name: "simulated-admin", groups: ["system:masters"], rules: [ALL] },
  viewer: { name: "simulated-viewer", groups: ["sandglass:viewers"], rules: [READ_ALL, READ_KUBELET, REVIEWS] },
  limited: { name: "simulated-limited", groups: [], rules: [{ verbs: READ, groups: [""], resources: ["nodes", "pods"] }] },
};

/** The users of one simulated cluster; their tokens are new at each start and good for nothing else. */
export class Users {
  readonly byRole: Readonly<Record<UserRole, SimulatedUser>>;

  constructor(uid: () => string) {
    const make = (role: UserRole): SimulatedUser => ({ ...ROLES[role], groups: [...ROLES[role].groups, "system:authenticated"], uid: uid(), token: randomBytes(TOKEN_BYTES).toString("base64url") });
    this.byRole = { admin: make("admin"), viewer: make("viewer"), limited: make("limited") };
  }

  all(): readonly SimulatedUser[] {
    return Object.values(this.byRole);
  }

  byToken(token: string): SimulatedUser | undefined {
    return this.all().find((user) => sameText(user.token, token));
  }

  byName(name: string): SimulatedUser | undefined {
    return this.all().find((user) => user.name === name);
  }

  /** From the Authorization header. Throws 401 for a token that nobody has, 403 where there is none. */
  authenticate(header: string | undefined): SimulatedUser {
    const token = /^Bearer (.+)$/i.exec(header ?? "")?.[1];
    if (token === undefined) throw forbidden("system:anonymous", { verb: "get", group: "", resource: "paths" });
    const user = this.byToken(token);
    if (user === undefined) throw new ApiError(401, "Unauthorized", "Unauthorized");
    return user;
  }
}

export function mayDo(user: SimulatedUser, request: AccessRequest): boolean {
  const resource = request.subresource === undefined ? request.resource : `${request.resource}/${request.subresource}`;
  const matches = (list: readonly string[], value: string): boolean => list.includes("*") || list.includes(value);
  return [...user.rules, EVERYBODY].some((rule) => matches(rule.verbs, request.verb) && matches(rule.groups, request.group) && matches(rule.resources, resource));
}

export function authorize(user: SimulatedUser, request: AccessRequest): void {
  if (!mayDo(user, request)) throw forbidden(user.name, request);
}

export function forbidden(user: string, { verb, group, resource, subresource, namespace, name }: AccessRequest): ApiError {
  const kind = `${resource}${group === "" ? "" : `.${group}`}`;
  const what = `${resource}${subresource === undefined ? "" : `/${subresource}`}`;
  const where = namespace === undefined ? "at the cluster scope" : `in the namespace "${namespace}"`;
  return new ApiError(403, "Forbidden", `${kind}${name === undefined ? "" : ` "${name}"`} is forbidden: User "${user}" cannot ${verb} resource "${what}" in API group "${group}" ${where}`, {
    ...(name === undefined ? {} : { name }),
    ...(group === "" ? {} : { group }),
    kind: resource,
  });
}

function sameText(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
