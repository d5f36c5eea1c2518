import type { HostOut } from "@/server/contract/host";
import { Table } from "@/components/ui/table";

const BECAUSE = { deleted: "its object was removed", "no-links": "its object has no name any more", "other-inode": "another object is there now" } as const;

/** Mounts in pods that still show a socket, or its folder, which the daemon made anew since. Nothing is shown where there is none. */
export function StaleMounts({ host }: { readonly host: HostOut | undefined }) {
  const { staleMounts = [] } = host ?? {};
  if (staleMounts.length === 0) return null;
  return (
    <section id="stale-mounts" aria-labelledby="stale-mounts-h">
      <div className="sec-head">
        <h2 id="stale-mounts-h">
          Stale mounts<span className="count">{staleMounts.length}, who holds which inode</span>
        </h2>
      </div>
      <Table label="Stale mounts" columns={["Socket", "Pod, container", "Mounted at", { head: "Pod holds", num: true }, { head: "Node has", num: true }, "Because"]}>
        {staleMounts.map((mount, index) => (
          <tr key={`${mount.namespace ?? ""}/${mount.pod ?? index} ${mount.container ?? ""} ${mount.mountPath}`}>
            <td className="mono">{mount.socketPath}</td>
            <td>
              {mount.pod === undefined ? <span className="faint">not told</span> : `${mount.namespace ?? ""}/${mount.pod}`}
              {mount.container === undefined ? "" : `, ${mount.container}`}
            </td>
            <td className="mono">{mount.mountPath}</td>
            <td className="num mono bad-t">{mount.mountedInode ?? <span className="faint">removed</span>}</td>
            <td className="num mono">{mount.hostInode ?? <span className="faint">nothing</span>}</td>
            <td className="muted">{BECAUSE[mount.because]}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
