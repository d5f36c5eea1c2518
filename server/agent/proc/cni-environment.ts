/** What a plugin is told in its environment, of which nothing else is kept: the rest is the runtime's own and may hold credentials. */
export interface CniEnvironment {
  readonly command?: string;
  readonly sandboxId?: string;
  readonly namespace?: string;
  readonly pod?: string;
  readonly podUid?: string;
}

/** Reads the text of `/proc/PID/environ`, whose entries end with a NUL. */
export function cniEnvironment(environ: string): CniEnvironment {
  const value = (name: string): string | undefined => {
    const start = environ.startsWith(`${name}=`) ? 0 : environ.indexOf(`\0${name}=`) + 1;
    if (start === 0 && !environ.startsWith(`${name}=`)) return undefined;
    const end = environ.indexOf("\0", start);
    return environ.slice(start + name.length + 1, end < 0 ? undefined : end);
  };
  const args = new Map(
    (value("CNI_ARGS") ?? "").split(";").map((pair) => {
      const equals = pair.indexOf("=");
      return [pair.slice(0, equals), pair.slice(equals + 1)] as const;
    }),
  );
  return {
    ...field("command", value("CNI_COMMAND")),
    ...field("sandboxId", value("CNI_CONTAINERID") ?? args.get("K8S_POD_INFRA_CONTAINER_ID")),
    ...field("namespace", args.get("K8S_POD_NAMESPACE")),
    ...field("pod", args.get("K8S_POD_NAME")),
    ...field("podUid", args.get("K8S_POD_UID")),
  };
}

const field = <K extends keyof CniEnvironment>(key: K, value: string | undefined): Partial<Record<K, string>> => (value === undefined || value === "" ? {} : ({ [key]: value } as Record<K, string>)); // the one key
