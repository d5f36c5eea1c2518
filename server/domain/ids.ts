/** Names that came through their one parser. Nothing else makes them, so a path built from one cannot be bent. */
declare const brand: unique symbol;
type Branded<T extends string> = string & { readonly [brand]: T };

export type NodeName = Branded<"NodeName">;
export type Namespace = Branded<"Namespace">;
export type ObjectName = Branded<"ObjectName">;
export type RequestId = Branded<"RequestId">;

/** Kubernetes: RFC 1123 subdomain, at most 253 characters. */
export const MAX_NAME_CHARS = 253;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const REQUEST_ID = /^[A-Za-z0-9_-]{8,64}$/;

/** `undefined` when the text is not a possible node name. Takes the decoded text. */
export function parseNodeName(text: string): NodeName | undefined {
  return text.length <= MAX_NAME_CHARS && SUBDOMAIN.test(text) ? (text as NodeName) : undefined;
}

/** `undefined` when the text is not a possible namespace. */
export function parseNamespace(text: string): Namespace | undefined {
  return LABEL.test(text) ? (text as Namespace) : undefined;
}

/** `undefined` when the text is not a possible object name (subdomain form, which covers pods and DaemonSets). */
export function parseObjectName(text: string): ObjectName | undefined {
  return text.length <= MAX_NAME_CHARS && SUBDOMAIN.test(text) ? (text as ObjectName) : undefined;
}

/** A caller's own id for one run of an action: 8 to 64 letters, digits, `_` or `-`. */
export function parseRequestId(text: string): RequestId | undefined {
  return REQUEST_ID.test(text) ? (text as RequestId) : undefined;
}
