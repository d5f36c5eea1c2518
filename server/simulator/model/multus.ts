import type { ApiAccess } from "./api-access";
import type { NetworkAttachments } from "./attachments";
import type { Address, Attachment, PluginSite } from "./exec";
import { CONF_DIR_IN_DAEMON, type NodeFiles } from "./files";
import type { NodeHost } from "./host";
import { parseNetworkConf, type NetworkConf } from "./net-conf";
import { addNetwork, deleteNetwork } from "./plugins";
import type { PodRecord } from "./records";
import { attachmentMissing, brokenAttachment, erroredPod, multusError, multusNetworkError } from "./texts-multus";

/** What the daemon came to with one call. */
export interface Work {
  readonly error?: string;
  /** Time in which it waits for others, beside that of its delegates. */
  readonly waitMs: number;
  /** It came to nothing before a delegate had anything to do. */
  readonly brief: boolean;
  /** What the world sees of it once it is done, whether or not the caller still waits. */
  readonly done: () => void;
}

/** One interface that was added. */
export interface AddedInterface {
  readonly ifName: string;
  /** As the event says it: "cbr0", "shop/storage-net". */
  readonly network: string;
  readonly address: Address | undefined;
}

export interface MultusParts {
  readonly files: NodeFiles;
  readonly host: NodeHost;
  readonly api: ApiAccess;
  readonly attachments: NetworkAttachments;
  readonly nowMs: () => number;
  readonly hasNetns: (sandboxId: string) => boolean;
  readonly added: (pod: PodRecord, interfaces: readonly AddedInterface[], whole: boolean) => void;
  readonly noNetwork: (pod: PodRecord, text: string) => void;
}

interface Delegate {
  readonly conf: NetworkConf;
  readonly ifName: string;
  readonly shown: string;
}

const NOTHING = (): void => {};

/** What the daemon does with a call: the conflist that it hands pods to, then what the pod itself asks for. */
export class Multus {
  /** The conflist that the running daemon hands pods to, by its name; it reads which one that is at its start. */
  master: string | undefined;
  /** What was attached to each sandbox: the content of the daemon's cache on disk. */
  private readonly attached = new Map<string, { readonly pod: PodRecord; readonly delegates: readonly Delegate[] }>();

  constructor(private readonly parts: MultusParts) {}

  add(pod: PodRecord, sandboxId: string): Work {
    const asked = this.parts.api.ask(this.parts.nowMs(), pod.namespace, pod.name);
    if (asked.error !== undefined) return this.failed(pod, sandboxId, multusError(pod, `error waiting for pod: ${asked.error}`), asked.waitMs);
    const delegates = this.delegatesOf(pod);
    if ("error" in delegates) return this.failed(pod, sandboxId, multusError(pod, delegates.error), asked.waitMs, delegates.told);
    return this.attach(pod, sandboxId, delegates.all, asked.waitMs);
  }

  del(sandboxId: string): Work {
    const { files } = this.parts;
    const known = this.attached.get(sandboxId);
    const primary = this.primary();
    // Without its cache it still takes the node's own network down.
    const delegates = known?.delegates ?? (primary === undefined ? [] : [primary]);
    for (const delegate of [...delegates].reverse()) {
      const error = deleteNetwork(this.site(), delegate.conf, this.attachment(known?.pod, sandboxId, delegate.ifName));
      if (error !== undefined) return { error: erroredPod(known?.pod, sandboxId, `delegateDel: error invoking ConflistDel - "${delegate.conf.name}": conflistDel: error in getting result from DelNetworkList: ${error}`), waitMs: 0, brief: false, done: NOTHING };
    }
    this.attached.delete(sandboxId);
    files.multusCache.delete(sandboxId);
    return { waitMs: 0, brief: false, done: NOTHING };
  }

  /** A sandbox from before the model begins: what it was given is in the daemon's cache. */
  adopt(pod: PodRecord, sandboxId: string): readonly AddedInterface[] {
    const delegates = this.delegatesOf(pod);
    if ("error" in delegates) return [];
    const { interfaces } = this.run(pod, sandboxId, delegates.all);
    return interfaces;
  }

  private attach(pod: PodRecord, sandboxId: string, delegates: readonly Delegate[], waitMs: number): Work {
    const { interfaces, error, waitedMs } = this.run(pod, sandboxId, delegates);
    const whole = error === undefined;
    return { ...(error === undefined ? {} : { error: erroredPod(pod, sandboxId, error) }), waitMs: waitMs + waitedMs, brief: interfaces.length === 0 && !whole && this.parts.hasNetns(sandboxId), done: () => this.parts.added(pod, interfaces, whole) };
  }

  /** Adds one network after the other; where one fails, what was added before is taken away again. */
  private run(pod: PodRecord, sandboxId: string, delegates: readonly Delegate[]): { readonly interfaces: readonly AddedInterface[]; readonly error?: string; readonly waitedMs: number } {
    const interfaces: AddedInterface[] = [];
    const done: Delegate[] = [];
    for (const delegate of delegates) {
      const attachment = this.attachment(pod, sandboxId, delegate.ifName);
      const result = addNetwork(this.site(), delegate.conf, attachment);
      if ("error" in result) {
        for (const before of done.reverse()) deleteNetwork(this.site(), before.conf, this.attachment(pod, sandboxId, before.ifName));
        return { interfaces, error: multusNetworkError(pod, delegate.conf.name, result.error), waitedMs: result.waitMs ?? 0 };
      }
      done.push(delegate);
      interfaces.push({ ifName: delegate.ifName, network: delegate.shown, address: result.address });
    }
    this.attached.set(sandboxId, { pod, delegates });
    this.parts.files.cacheAttachments(sandboxId, this.parts.nowMs());
    return { interfaces, waitedMs: 0 };
  }

  private delegatesOf(pod: PodRecord): { readonly all: readonly Delegate[] } | { readonly error: string; readonly told?: () => void } {
    const primary = this.primary();
    if (primary === undefined) return { error: `failed to get clusterNetwork/defaultNetworks: GetDefaultNetworks: failed to get clusterNetwork ${CONF_DIR_IN_DAEMON}/${this.master ?? ""} in namespace kube-system` };
    const all: Delegate[] = [primary];
    for (const name of pod.networks === undefined ? [] : pod.networks.split(",")) {
      const key = name.includes("/") ? name : `${pod.namespace}/${name}`;
      const { attachments, noNetwork } = this.parts;
      if (!attachments.has(key)) {
        const text = attachmentMissing(key);
        return { error: brokenAttachment(`getKubernetesDelegate: ${text}`), told: () => noNetwork(pod, text) };
      }
      const conf = attachments.conf(key);
      if (conf === undefined) return { error: brokenAttachment("GetCNIConfig: err in getCNIConfigFromSpec: failed to unmarshal Spec.Config: unexpected end of JSON input") };
      all.push({ conf, ifName: `net${all.length}`, shown: key });
    }
    return { all };
  }

  private primary(): Delegate | undefined {
    const text = this.master === undefined ? undefined : this.parts.files.conf.get(this.master)?.text;
    const conf = text === undefined ? undefined : parseNetworkConf(text);
    return conf === undefined ? undefined : { conf, ifName: "eth0", shown: conf.name };
  }

  private failed(pod: PodRecord, sandboxId: string, error: string, waitMs: number, done: () => void = NOTHING): Work {
    return { error: erroredPod(pod, sandboxId, error), waitMs, brief: true, done };
  }

  private attachment(pod: PodRecord | undefined, sandboxId: string, ifName: string): Attachment {
    return { pod, sandboxId, ifName, netns: this.parts.hasNetns(sandboxId) };
  }

  private site(): PluginSite {
    const { files, host, attachments, nowMs } = this.parts;
    return { files, host, nowMs: nowMs(), controllerServes: (network) => attachments.serves(network) };
  }
}
