import { RANK, rule } from "../rule";

const fact = { rank: RANK.fact, confidence: "high" } as const;

/** What an API server, a client of it, or a proxy says. */
export const API_RULES = [
  rule(
    "auth-or-rbac",
    "The API server does not accept who is asking",
    [
      "unauthorized", "you must be logged in", "provide credentials", "invalid bearer token", "token has expired", "token is expired", "expired token",
      "token has been invalidated", "unauthenticated", "authentication required", "no credentials", "invalid token",
      "invalid serviceaccount token", "bearer token", "certificate signed by unknown",
    ],
    { ...fact, without: ["unauthorizedoperation"] },
  ),
  rule(
    "auth-or-rbac",
    "The token or the credentials for the API server cannot be had",
    ["unable to create token", "error loading credentials"],
    { rank: RANK.symptom, confidence: "medium" },
  ),
  rule(
    "auth-or-rbac",
    "The account lacks the right",
    [
      "is forbidden", "forbidden: user", "cannot list resource", "cannot get resource", "cannot watch resource", "cannot patch resource", "cannot create resource",
      "cannot update resource", "cannot delete resource", "403 forbidden", "status code: 403", "status code 403", ": forbidden", "access denied", "accessdenied",
      "not authorized to perform", "unauthorizedoperation", "authorizationfailed", "insufficient privileges", "insufficient permission", "does not have permission", "the server does not allow access to the requested resource",
    ],
    { ...fact, without: ["exceeded quota", "violates podsecurity", "podsecurity", "admission webhook"] },
  ),
  rule(
    "auth-or-rbac",
    "A role or its binding is missing",
    ["rbac", "clusterrole", "rolebinding"],
    { rank: RANK.call, confidence: "medium", with: [["denied", "forbidden", "not allowed", "missing", "not found", "cannot"]] },
  ),
  rule(
    "auth-or-rbac",
    "A certificate is not valid",
    [
      "x509:", "certificate has expired", "certificate is not valid", "tls: bad certificate", "remote error: tls", "unknown certificate authority",
      "certificate signed by unknown authority", "tls: failed to verify", "unable to load root certificates", "unable to read client-cert", "client certificate",
      "tls: private key",
    ],
    { ...fact, without: ["handshake timeout"] },
  ),
  rule(
    "auth-or-rbac",
    "The cloud's own API does not accept the node's identity",
    ["statuscode: 401", "statuscode: 403", "invalidclienttokenid", "expiredtoken", "security token included in the request", "signaturedoesnotmatch", "authfailure", "invalididentitytoken"],
    fact,
  ),

  rule(
    "apiserver-unreachable",
    "The name of the API server does not resolve",
    ["no such host", "server misbehaving", "temporary failure in name resolution", "name or service not known"],
    { ...fact, without: ["manifests", "registry", "pull"] },
  ),
  rule(
    "apiserver-unreachable",
    "etcd or the API server answers too late",
    [
      "etcdserver:", ": service unavailable", "503 service unavailable", "status code 503", "code = unavailable desc = etcd", "etcd cluster is unavailable",
      "etcdserver: request timed out", "leader changed", "apiserver timeout", "the server was unable to return a response in the time",
      "server is currently unable to handle the request", "too many requests, please try again", "http2: client connection lost",
      "apiserver not ready", "api server not ready", "failed to contact api server",
      "unable to connect to the server", "could not contact the api", "connection to the server",
    ],
    { ...fact, confidence: "high", without: ["/endpoint/"] },
  ),
  rule(
    "apiserver-unreachable",
    "The datastore of the network does not answer in time",
    ["kvstore", "etcd session", "etcd client", "etcd cluster", "connect to etcd"],
    { rank: RANK.statement, confidence: "medium", with: [["timeout", "timed out", "deadline exceeded", "connection refused", "unable to connect", "unavailable", "no leader"]], without: ["--kvstore"] },
  ),
  rule(
    "apiserver-unreachable",
    "A watch or a list of the API server fails",
    [
      "failed to list *v1", "failed to watch *v1", "failed to list *", "failed to watch *", "error retrieving resource lock", "failed to renew lease",
      "failed to update lease", "unable to update node status", "client rate limiter wait", "unable to connect to k8s server",
    ],
    { rank: RANK.symptom, confidence: "medium", without: ["forbidden", "unauthorized"] },
  ),
  rule(
    "apiserver-unreachable",
    "A request to the API server outlived its deadline",
    ["context deadline exceeded", "client.timeout", "request canceled", "timed out"],
    { rank: RANK.call, confidence: "high", with: [["/api/v1", "/apis/", ":6443", ":443/", "kube-apiserver"]], without: ["127.0.0.1:50051", "probe failed"] },
  ),
  rule(
    "apiserver-unreachable",
    "The API server could not be asked; why, the text does not say",
    ["cannotconnect", "cannot connect", "could not connect", "failed to connect", "connect failed"],
    { rank: RANK.symptom, confidence: "medium", with: [["/api/v1/", "/apis/", ":6443"]] },
  ),
  rule(
    "apiserver-unreachable",
    "Calico's datastore did not answer",
    ["error getting clusterinformation", "failed to get clusterinformation"],
    { rank: RANK.symptom, confidence: "medium", without: ["unauthorized", "forbidden", "x509", "resource does not exist", "not found"], plugin: "calico" },
  ),
  rule(
    "not-cni",
    "A webhook or a quota keeps the pod from being made",
    ["admission webhook", "exceeded quota", "violates podsecurity", "failed calling webhook"],
    { ...fact, without: ["eni ", "eniip", "ip address", "network interface"] },
  ),
] as const;
