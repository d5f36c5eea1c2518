"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import { Icon, SandglassMark } from "@/components/ui/glyphs";
import { useStatus } from "@/components/live/live-provider";
import { zoneLabel } from "@/components/format/time";
import { DataAge } from "./data-age";
import { usePrefs } from "./prefs-provider";

const PAGES = [
  { href: "/", label: "Fleet", is: (path: string) => path === "/" || path.startsWith("/nodes/") },
  { href: "/incidents", label: "Incidents", is: (path: string) => path.startsWith("/incidents") },
  { href: "/visibility", label: "Visibility", is: (path: string) => path.startsWith("/visibility") },
  { href: "/explain", label: "Explain", is: (path: string) => path.startsWith("/explain") },
  { href: "/actions", label: "Actions", is: (path: string) => path.startsWith("/actions") },
  { href: "/audit", label: "Audit log", is: (path: string) => path.startsWith("/audit") },
] as const;

export function TopBar({ onHelp, onJump, onTheme }: { readonly onHelp: () => void; readonly onJump: () => void; readonly onTheme: () => void }) {
  const path = usePathname();
  const status = useStatus();
  const { prefs, setPref } = usePrefs();
  const { cluster } = status;
  return (
    <header className="bar">
      <Link className="brand" href="/" prefetch={false}>
        <SandglassMark />
        Sandglass
      </Link>
      <span className="cluster" title={cluster === undefined ? undefined : `${cluster.server}, as ${cluster.user}`}>
        <span className="cluster-name">{cluster?.name ?? "no cluster yet"}</span>
        {cluster?.simulated === true ? <span className="chip simulated">Simulated</span> : null}
      </span>
      <nav aria-label="Main">
        {PAGES.map((page) => (
          <Link key={page.href} href={page.href} prefetch={false} {...(page.is(path) ? { "aria-current": "page" as const } : {})}>
            {page.label}
            {page.href === "/incidents" ? <OpenCount count={status.incidents?.open ?? 0} /> : null}
          </Link>
        ))}
      </nav>
      <div className="bar-right">
        {status.actionsAllowed ? null : (
          <span className="chip hide-m" title="Sandglass reads and changes nothing. Start it with --allow-actions to let people act.">
            Actions off
          </span>
        )}
        <DataAge />
        <button type="button" className="find" onClick={onJump}>
          <Icon name="search" size={14} />
          Jump to node
          <kbd>/</kbd>
        </button>
        <span className="seg" role="group" aria-label="Time zone">
          <button type="button" aria-pressed={prefs.zone === "UTC"} onClick={() => setPref("zone", "UTC")}>
            UTC
          </button>
          <button
            type="button"
            aria-pressed={prefs.zone !== "UTC"}
            title={prefs.zone === "UTC" ? "Times in your own zone" : zoneLabel(prefs.zone)}
            onClick={() => setPref("zone", localZone())}
          >
            Local
          </button>
        </span>
        <button type="button" className="icon-btn hide-m" aria-label="Keyboard help" onClick={onHelp}>
          <Icon name="help" />
        </button>
        <button type="button" className="icon-btn" aria-label="Switch theme" onClick={onTheme}>
          <Icon name="theme" />
        </button>
      </div>
    </header>
  );
}

function OpenCount({ count }: { readonly count: number }) {
  if (count === 0) return null;
  return (
    <span className="n" title={`${count} open`}>
      {count}
      <span className="sr"> open</span>
    </span>
  );
}

const localZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
