import { z } from "zod";
import { mayDo, type AccessRequest, type SimulatedUser, type Users } from "./access";
import { badRequest, noSuchPath } from "./status";

const Attributes = z.object({ verb: z.string(), group: z.string().optional(), resource: z.string(), subresource: z.string().optional(), namespace: z.string().optional(), name: z.string().optional() });
const SelfReview = z.object({ spec: z.object({ resourceAttributes: Attributes.optional(), nonResourceAttributes: z.object({ path: z.string(), verb: z.string() }).optional() }) });
const SubjectReview = z.object({ spec: z.object({ user: z.string().optional(), groups: z.array(z.string()).optional(), resourceAttributes: Attributes.optional(), nonResourceAttributes: z.object({ path: z.string(), verb: z.string() }).optional() }) });
const TokenReview = z.object({ spec: z.object({ token: z.string() }) });

export const REVIEWS: Readonly<Record<string, string>> = {
  selfsubjectaccessreviews: "authorization.k8s.io",
  subjectaccessreviews: "authorization.k8s.io",
  selfsubjectreviews: "authentication.k8s.io",
  tokenreviews: "authentication.k8s.io",
};

/** Answers a review: nothing is stored, the object comes back with its status filled in. */
export function review(users: Users, asking: SimulatedUser, resource: string, body: unknown): Record<string, unknown> {
  switch (resource) {
    case "selfsubjectaccessreviews": {
      const { spec } = read(SelfReview, body);
      return answer("SelfSubjectAccessReview", "authorization.k8s.io", spec, access(asking, spec.resourceAttributes));
    }
    case "subjectaccessreviews": {
      const { spec } = read(SubjectReview, body);
      const user = users.byName(spec.user ?? "");
      return answer("SubjectAccessReview", "authorization.k8s.io", spec, user === undefined ? { allowed: false } : access(user, spec.resourceAttributes));
    }
    case "selfsubjectreviews":
      return answer("SelfSubjectReview", "authentication.k8s.io", undefined, { userInfo: userInfo(asking) });
    case "tokenreviews": {
      const { spec } = read(TokenReview, body);
      const user = users.byToken(spec.token);
      const status = user === undefined ? { user: {}, error: "invalid bearer token" } : { authenticated: true, user: userInfo(user), audiences: ["https://kubernetes.default.svc"] };
      return answer("TokenReview", "authentication.k8s.io", spec, status);
    }
    default:
      throw noSuchPath();
  }
}

function access(user: SimulatedUser, attributes: z.infer<typeof Attributes> | undefined): Record<string, unknown> {
  // Paths that are no resources (/metrics, /healthz): only the administrator has those here.
  const request: AccessRequest = attributes === undefined ? { verb: "get", group: "*", resource: "*" } : { verb: attributes.verb, group: attributes.group ?? "", resource: attributes.resource, ...(attributes.subresource === undefined || attributes.subresource === "" ? {} : { subresource: attributes.subresource }) };
  return mayDo(user, request) ? { allowed: true, reason: `RBAC: allowed by ClusterRoleBinding "${user.name}" of ClusterRole "${user.name}" to User "${user.name}"` } : { allowed: false };
}

const userInfo = (user: SimulatedUser): Record<string, unknown> => ({ username: user.name, uid: user.uid, groups: user.groups });
const answer = (kind: string, group: string, spec: unknown, status: Record<string, unknown>): Record<string, unknown> => ({ kind, apiVersion: `${group}/v1`, metadata: { creationTimestamp: null }, ...(spec === undefined ? {} : { spec }), status });

function read<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw badRequest(parsed.error.issues.map((issue) => `${issue.path.map(String).join(".")}: ${issue.message}`).join("; "));
  return parsed.data;
}
