import type { ApiObject } from "./world";

/** A pod with nothing but what makes it a pod. */
export const barePod = (name: string, uid = `uid-${name}`): ApiObject => ({ metadata: { name, namespace: "default", uid } });

export const podOn = (name: string, node: string, more: Readonly<Record<string, unknown>> = {}): ApiObject => ({
  metadata: { name, namespace: "default", uid: `uid-${name}`, creationTimestamp: "2026-11-30T09:00:00Z" },
  spec: { nodeName: node },
  status: { phase: "Pending" },
  ...more,
});

export const bareNode = (name: string): ApiObject => ({ metadata: { name, uid: `uid-${name}` } });
