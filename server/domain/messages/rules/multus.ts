import { RANK, rule } from "../rule";

const from = { plugin: "multus" } as const;

/** What multus says: the thick daemon, its shim, the thin plugin. */
export const MULTUS_RULES = [
  rule(
    "nad-missing",
    "A network attachment does not exist",
    [
      "cannot find a network-attachment-definition", "cannot find network-attachment-definition", "failed to get network resource", "networkattachmentdefinition",
      "network-attachment-definition", "network attachment definition", "net-attach-def", "network-attachment-definitions",
    ],
    {
      ...from,
      rank: RANK.fact,
      confidence: "high",
      with: [["not found", "could not find the requested resource", "no matches for kind", "does not exist", "cannot find", "failed to find"]],
      without: [
        "forbidden", "unauthorized", "i/o timeout", "connection refused", "x509", "cache", "no route to host", "deadline exceeded", "handshake timeout", "no such host",
        "network is unreachable", "connection reset", "etcdserver", ".sock",
      ],
    },
  ),
  rule(
    "nad-missing",
    "The cluster has no network attachments at all: their CRD is not installed",
    ["could not find the requested resource", 'no matches for kind "networkattachmentdefinition"'],
    { ...from, rank: RANK.fact, confidence: "high", with: [["network", "k8s.cni.cncf.io", "multus"]] },
  ),
  rule(
    "nad-missing",
    "Multus finds neither a file nor a network attachment of that name",
    ["cannot find network:", "getnetdelegate: cannot find", "nonetworkfound"],
    { ...from, rank: RANK.statement, confidence: "medium", without: ["/net.d", ".conf", "conflist"] },
  ),
  rule(
    "cni-config-missing",
    "The file that multus takes as the default network is not there",
    ["failed to get clusternetwork", "failed to get clusternetwork/defaultnetworks", "failed to access the primary cni configuration"],
    { ...from, rank: RANK.statement, confidence: "medium", with: [["/net.d", ".conf"]] },
  ),
  rule(
    "cni-config-missing",
    "Multus finds no config of a primary CNI",
    [
      "failed to access the primary cni configuration", "failed to read the cluster primary cni config", "failed to read the primary cni plugin config",
      "no master plugin", "to find master plugin", "failed to find the primary cni", "failed to find the cluster master", "could not find a plugin configuration",
      "could not find a valid network configuration", "multus could not be configured", "failed to load the primary cni configuration",
    ],
    { ...from, rank: RANK.statement, confidence: "high" },
  ),

  rule(
    "cni-config-invalid",
    "The name that multus takes as its default network is neither a file nor a network attachment",
    ["failed to get clusternetwork"],
    { ...from, rank: RANK.statement, confidence: "medium", without: ["/net.d", ".conf", "i/o timeout", "connection refused", "unauthorized", "forbidden"] },
  ),
  rule(
    "cni-config-invalid",
    "The config of a network attachment cannot be used",
    [
      "err in getcniconfigfromspec", "err in getcniconfigfromfile", "getcniconfig: err", "failed to parse crd object", "failed to unmarshal spec.config",
    ],
    { ...from, rank: RANK.statement, confidence: "high" },
  ),
  rule(
    "cni-config-invalid",
    "The pod's list of networks cannot be read",
    ["parsepodnetworkobjectname", "parsepodnetworkannotation", "tryloadk8spoddefaultnetwork: more than one"],
    { ...from, rank: RANK.statement, confidence: "high" },
  ),
  rule(
    "cni-config-invalid",
    "The pod may not use a network attachment of that namespace",
    ["namespace isolation enabled", "violates permission"],
    { ...from, rank: RANK.fact, confidence: "high" },
  ),
  rule(
    "cni-config-invalid",
    "Multus' own configuration cannot be used",
    [
      "failed to load the multus configuration", "failed to load the cni server configuration", "failed to unmarshall the daemon configuration",
      "failed to unmarshall cni config", "at least one delegate", "no plugin name provided", "must have the 'type'", "delegate must have",
      "perhaps this is supposed to be a .conflist", "connection limit must be greater", "couldn't get top level cni version", "couldn't get cni version of delegate",
      "couldn't get cni config from delegate", "cni version is a mandatory parameter", "support ecmp", "illegal path", "recursive config load",
      "clusternetwork must be a path", "loaddelegatenetconf", "loadnetconf", "does not feature the network name", "invalid network config name",
      "invalid cni configuration passed to multus-shim", "failed to access delegate cni plugin name", "invalid mac address", "failed to parse mac",
      "failed to parse ip address",
    ],
    { ...from, rank: RANK.statement, confidence: "medium" },
  ),
  rule(
    "cni-config-conflict",
    "Two networks ask for the same interface of the pod",
    ["requested interface name"],
    { rank: RANK.fact, confidence: "medium", with: [["already assigned"]] },
  ),
  rule(
    "host-link-conflict",
    "The interface that multus would make is there already",
    ["validateifname: interface name"],
    { ...from, with: [["already exists"]], rank: RANK.fact, confidence: "high" },
  ),

  rule(
    "daemon-down",
    "The daemon ended while it worked on the call, or restarted",
    ["failed to send cni request", "failed to read cni result", 'post "http://dummy'],
    {
      ...from,
      detail: "died-during-call",
      rank: RANK.call,
      confidence: "medium",
      with: [[": eof", "connection reset", "broken pipe", "unexpected eof", "server closed"]],
    },
  ),
  rule(
    "daemon-down",
    "The shim cannot call its daemon",
    ["failed to send cni request", "daemon not reachable over socketfile", "checkapireadynow"],
    { rank: RANK.symptom, confidence: "medium", without: ["deadline exceeded", "timeout"] },
  ),
  rule(
    "daemon-slow",
    "The daemon did not answer the shim before the call's deadline",
    ["failed to send cni request", 'post "http://dummy'],
    { rank: RANK.statement, with: [["deadline exceeded", "client.timeout", "i/o timeout", "timed out"]] },
  ),
  rule(
    "daemon-slow",
    "The shim waited a minute for its daemon to be ready; the daemon is too slow, of another version, or not there",
    ["cmdadd (shim)", "cmdcheck (shim)", "(shim): timed out"],
    { ...from, rank: RANK.symptom, confidence: "medium", with: [["timed out waiting for the condition", "timed out"]] },
  ),
  rule(
    "daemon-slow",
    "The shim was ended at the runtime's deadline while it waited for its daemon",
    ["signal: killed", "context deadline exceeded"],
    {
      rank: RANK.symptom,
      detail: "deadline",
      confidence: "medium",
      op: "add",
      with: [['type="multus-shim"', "type='multus-shim'"], ["netplugin failed"]],
      without: ["errored:"],
    },
  ),
  rule(
    "teardown-failed",
    "The plugin was ended at the runtime's deadline while it ended the sandbox",
    ["signal: killed"],
    { rank: RANK.symptom, detail: "deadline", confidence: "medium", op: "del", with: [["netplugin failed"]], without: ["errored:"] },
  ),
  rule(
    "daemon-oom",
    "A delegate was killed inside the daemon's container",
    ["signal: killed"],
    { rank: RANK.statement, detail: "delegate", confidence: "medium", with: [["errored:", "error adding container to network", "delegateadd", "conflistadd"]] },
  ),

  rule(
    "daemon-down",
    "The default network is not ready: its daemon has not written the file that multus waits for",
    ["readinessindicatorfile", "readiness indicator"],
    { rank: RANK.statement, confidence: "medium" },
  ),
  rule(
    "apiserver-unreachable",
    "The daemon could not load pods or networks from the API server",
    ["failed to sync pod informer", "failed to sync net-attach-def informer", "timed out waiting for caches", "failed to sync informer"],
    { ...from, rank: RANK.statement, confidence: "high" },
  ),
  rule(
    "apiserver-unreachable",
    "Multus waited for the pod in vain: its watch of the API server is behind, or broken",
    ["error waiting for pod"],
    { ...from, rank: RANK.call, confidence: "medium", without: ["forbidden", "unauthorized", "x509"] },
  ),
  rule(
    "apiserver-unreachable",
    "Multus did not get the pod from the API server",
    [
      "error getting pod", "failed to query the pod", "pod not found during multus getpod", "getpod failed", "error in getting k8s pod",
      "error setting the networks status", "error setting network statuses",
    ],
    { ...from, rank: RANK.symptom, confidence: "medium", without: ["forbidden", "unauthorized", "x509", "but continue", "error getting podcidr"] },
  ),
  rule(
    "cni-config-missing",
    "Multus has no kubeconfig to ask the API server with",
    ["must have either kubernetes config or delegates", "failed to get context for the kubeconfig", "no kubeconfig"],
    { ...from, rank: RANK.statement, confidence: "medium", without: ["unauthorized", "forbidden", "x509", "i/o timeout"] },
  ),
  rule(
    "device-unavailable",
    "Multus cannot learn which device the pod was given",
    [
      "failed to get a resourceclient", "getpodresources", "failed to get resourcemap", "getkubeletclient", "failed to list pod resources", "pod resources from client",
    ],
    { ...from, rank: RANK.statement, confidence: "low" },
  ),

  rule(
    "shim-daemon-skew",
    "Shim and daemon, or plugin and agent, are of different versions",
    [
      "incompatible cni api version between", "wrong client version", "unimplemented by grpc server", "code = unimplemented", "http not found: /readyz", "/readyz",
      "api version mismatch", "version skew", "version mismatch between",
    ],
    {
      rank: RANK.statement,
      confidence: "high",
      with: [["incompatible", "wrong client", "unimplemented", "404", "not found", "mismatch", "skew"]],
      without: ["probe failed", "unknown service runtime"],
    },
  ),
  rule(
    "shim-daemon-skew",
    "A path of the daemon's interface is not known to it",
    ["404 page not found", "status 404", "][404]", "unsupported api"],
    { rank: RANK.symptom, confidence: "medium", with: [["cni", "dummy", "shim", "/v1/", "azure-cns", "readyz"]], without: ["endpointid"] },
  ),
  rule(
    "shim-daemon-skew",
    "The daemon's answer is not of the kind that the plugin reads",
    ["cannot unmarshal"],
    { rank: RANK.pair, confidence: "medium", with: [["go value of type", "go struct field"], ["podresponse", "cniresponse", ".response", "networkreply", "addreply"]] },
  ),
  rule(
    "shim-daemon-skew",
    "The image does not hold what the manifest expects of it",
    ["in this image; skipping", "not in this image", "cp: cannot stat"],
    { rank: RANK.statement, confidence: "medium" },
  ),
  rule(
    "cni-config-conflict",
    "Multus took another config than the one that is meant as its default network",
    ["as the master cni", "as the master cni config", "wrong master", "multusmastercni"],
    { ...from, rank: RANK.symptom, confidence: "medium", with: [[".conflist", ".conf"], ["picked", "instead of", "wrong", "nested", "took"]] },
  ),
] as const;
