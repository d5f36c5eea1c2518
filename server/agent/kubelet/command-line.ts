/** What the kubelet was told on its command line, as far as it is used. */
export interface KubeletFlags {
  readonly runtimeRequestTimeout?: string;
  readonly config?: string;
  readonly configDir?: string;
  readonly readOnlyPort?: string;
  /** Of MicroK8s' kubelite: the file that holds the kubelet's own flags. */
  readonly argsFile?: string;
}

const FLAGS: Readonly<Record<string, keyof KubeletFlags>> = { "runtime-request-timeout": "runtimeRequestTimeout", config: "config", "config-dir": "configDir", "read-only-port": "readOnlyPort", "kubelet-args-file": "argsFile" };
const MAX_VALUE_CHARS = 1_024;

/** Reads the words of `/proc/PID/cmdline`, each ended by a NUL. */
export const kubeletFlags = (cmdline: string): KubeletFlags => flagsOf(cmdline.split("\0"));

/** "--flag=value" and "--flag value"; of several the last counts. */
export function flagsOf(words: readonly string[]): KubeletFlags {
  const flags: { -readonly [K in keyof KubeletFlags]: KubeletFlags[K] } = {};
  for (const [at, word] of words.entries()) {
    const [, name = "", inline] = /^--?([a-z-]+)(?:=(.*))?$/s.exec(word) ?? [];
    const key = Object.hasOwn(FLAGS, name) ? FLAGS[name] : undefined;
    const value = inline ?? words[at + 1];
    if (key !== undefined && value !== undefined && value !== "" && value.length <= MAX_VALUE_CHARS) flags[key] = value;
  }
  return flags;
}
