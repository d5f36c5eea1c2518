import { RANK, rule } from "../rule";

/** What libcni, the runtimes' loaders of configs and the plugins' common parts say. */
export const LIBCNI_RULES = [
  rule(
    "cni-version-mismatch",
    "Config and plugin speak different versions of CNI",
    [
      "incompatible cni version", "incompatible cni versions", "unsupported cni version", "unsupported cni result version", "does not support config version",
      "config version does not allow", "plugin version does not allow", "config is \"", "the version is empty", "invalid version \"\"",
      "cannot convert: no valid converter", "unsupported cniversion", "unsupported result version", "cniversion is not supported", "unsupported version",
      "result version", "could not convert result to current version", "decoding version", "no cniversion", "cni version is not supported", "cni version not supported",
    ],
    { rank: RANK.fact, confidence: "high", without: ["cached result", "unexpected end of json", "between client"] },
  ),

  rule(
    "cni-version-mismatch",
    "The runtime's own record of the sandbox is of a version of CNI that it cannot turn into the config's",
    ["no converter for", "failed to convert cached result", "no valid converter"],
    { rank: RANK.pair, confidence: "high" },
  ),
  rule(
    "plugin-binary-missing",
    "A config was read, and then one of the programs that it names was not found or did not answer",
    ["error validating cni config", "error validating cni config list"],
    { rank: RANK.call, confidence: "medium", without: ["does not support config version", "error parsing configuration"] },
  ),
  rule(
    "plugin-binary-missing",
    "The plugin is a script, and a program that it calls is not on the host",
    ["exit status 127"],
    { rank: RANK.symptom, confidence: "low", with: [["failed (add)", "failed (delete)", "cni", "netplugin"]] },
  ),
  rule(
    "cni-config-invalid",
    "A CNI config cannot be read",
    [
      "error parsing configuration", "error parsing cni configuration", "failed to parse network config", "error loading cni config", "failed to load cni config", "failed to load netconf",
      "error loading netconf", "failed to unmarshal spec.config", "error unmarshall network config", "error converting the raw bytes",
      "error loading network config from bytes", "error loading plugin configs", "failed to load plugin config", "failed to convert cni config",
      "network type not found in", "no plugin configs found", "missing network name", "invalid characters found in network name", "invalid characters in network name",
      "missing 'type'", "no plugins in list", "couldn't parse", "could not parse prevresult", "failed to parse netconf", "failed to parse config",
      "json: cannot unmarshal", "failed to unmarshal", "failed to unmarshall", "error parsing netconf", "parse network configuration", "invalid network configuration",
      "must specify", "invalid network config", "failed to parse plugin config", "did not match config type", "invalid plugin name", "required env variables",
      "invalid configuration",
    ],
    { rank: RANK.call, confidence: "medium", without: ["cached result", "diagnostic message", "vf pci", "failed to get vf", "response '"] },
  ),
  rule(
    "cni-config-invalid",
    "A file in the folder of configs cannot be read as one",
    ["error parsing configuration"],
    {
      rank: RANK.fact,
      confidence: "high",
      with: [["error loading cni config", "failed to load cni config", "cni config load failed", "failed to reload cni", "networks found in"]],
      without: ["cached result", "does not support config version"],
    },
  ),
  rule(
    "cni-config-invalid",
    "What should be JSON is not",
    ["invalid character", "unexpected end of json", "cannot unmarshal"],
    {
      rank: RANK.symptom,
      confidence: "medium",
      without: ["cached result", "diagnostic message", "<!doctype", "failed to decode", "response", "unexpected end of json input"],
    },
  ),
  rule(
    "cni-config-invalid",
    "A network attachment's config is not JSON",
    ["unexpected end of json", "invalid character", "cannot unmarshal"],
    { rank: RANK.statement, confidence: "high", with: [["getcniconfig", "spec.config", "network-attachment", "netattachdef", "nad"]] },
  ),
  rule(
    "teardown-failed",
    "The runtime's own record of the sandbox (the CNI cache) is broken",
    ["cached result", "cached network", "in cni cache", "cni cache file", "/var/lib/cni/results", "/var/lib/cni/cache"],
    {
      rank: RANK.pair,
      detail: "cache-broken",
      confidence: "high",
      with: [
        ["failed to get network", "unexpected end", "decoding", "failed to unmarshal", "read cached", "error loading", "invalid character", "no such file"],
      ],
      without: ["converter", "failed to convert"],
    },
  ),
  rule(
    "teardown-failed",
    "The plugin's own record of the sandbox is missing or broken",
    [
      "failed to read container data", "cached delegates file", "error reading cached netconf", "gathersaveddelegates", "getvalidattachmentfromcache",
      "reading the delegates", "error reading cached netconf", "invalid cache",
    ],
    { rank: RANK.pair, detail: "cache-missing", confidence: "medium", without: ["but continue", "skipped to add"] },
  ),

  rule(
    "plugin-bug",
    "The program crashed",
    [
      "panicked during", "nil pointer dereference", "invalid memory address", "panic: runtime error", "index out of range", "sigsegv", "segmentation fault",
      "goroutine 1 [running]", "core dumped",
    ],
    { rank: RANK.fact, confidence: "medium" },
  ),
  rule("plugin-bug", "A file was copied onto itself", ["copied only 0 bytes"], { rank: RANK.fact, confidence: "low", plugin: "multus" }),
] as const;
