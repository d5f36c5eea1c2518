import { readFileSync } from "node:fs";
import path from "node:path";
import { loadAll } from "js-yaml";
import { expect, test } from "vitest";
import { z } from "zod";

const ruleSchema = z.object({ apiGroups: z.array(z.string()), resources: z.array(z.string()), verbs: z.array(z.string()), resourceNames: z.array(z.string()).optional() }).strict();
const roleSchema = z.object({ kind: z.literal("ClusterRole"), metadata: z.object({ name: z.string() }), rules: z.array(ruleSchema) });
const bindingSchema = z.object({ kind: z.literal("ClusterRoleBinding"), roleRef: z.object({ kind: z.string(), name: z.string() }), subjects: z.array(z.object({ kind: z.string(), name: z.string(), namespace: z.string() })) });

const text = readFileSync(path.join(import.meta.dirname, "../../deploy/rbac.yaml"), "utf8");
const documents: { kind?: string }[] = loadAll(text) as { kind?: string }[]; // each kind is parsed below
const role = roleSchema.parse(documents.find(({ kind }) => kind === "ClusterRole"));
const rights = role.rules.flatMap(({ apiGroups, resources, verbs }) => apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => ({ group, resource, verb })))));

const READ = ["get", "list", "watch"];
/** Asking who somebody is and what they may do changes nothing. */
const REVIEWS = ["tokenreviews", "selfsubjectreviews", "subjectaccessreviews", "selfsubjectaccessreviews"];
const NEVER = /^(\*|secrets|configmaps|nodes\/proxy|nodes\/log|pods\/(exec|attach|portforward|eviction|log)|serviceaccounts\/token)$/;

test("the account reads, and creates nothing but reviews", () => {
  expect(rights.length).toBeGreaterThan(20);
  expect(rights.filter(({ resource, verb }) => !(READ.includes(verb) || (verb === "create" && REVIEWS.includes(resource))))).toEqual([]);
});

test("no wildcard, no secret, no ConfigMap, no way into pods or through kubelets", () => {
  expect(rights.filter(({ group, resource, verb }) => NEVER.test(resource) || group === "*" || verb === "*")).toEqual([]);
});

test("the role is bound to the account of this file alone, and there is no other role", () => {
  const binding = bindingSchema.parse(documents.find(({ kind }) => kind === "ClusterRoleBinding"));
  expect(binding.roleRef).toMatchObject({ kind: "ClusterRole", name: role.metadata.name });
  expect(binding.subjects).toEqual([{ kind: "ServiceAccount", name: "sandglass", namespace: "sandglass" }]);
  expect(documents.map(({ kind }) => kind).sort()).toEqual(["ClusterRole", "ClusterRoleBinding", "Namespace", "ServiceAccount"]);
});
