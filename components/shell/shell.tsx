"use client";

import { useRouter } from "next/navigation";
import { lazy, Suspense, useState, type ReactNode } from "react";
import { useStatus } from "@/components/live/live-provider";
import { useShortcuts } from "@/components/ui/shortcuts";
import { Banners } from "./banners";
import { usePrefs } from "./prefs-provider";
import { TopBar } from "./top-bar";

const ShortcutsDialog = lazy(() => import("./shortcuts-dialog"));
const JumpDialog = lazy(() => import("./jump-dialog"));

/** The frame of every page: bar, banners, the page, footer, and the two dialogs that are open from anywhere. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const router = useRouter();
  const [dialog, setDialog] = useState<"help" | "jump">();
  const { setPref } = usePrefs();
  const switchTheme = (): void => setPref("theme", isDark() ? "light" : "dark");
  useShortcuts({
    "?": () => setDialog("help"),
    "/": () => setDialog("jump"),
    t: switchTheme,
    f: () => router.push("/"),
    i: () => router.push("/incidents"),
    v: () => router.push("/visibility"),
  });
  return (
    <>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <TopBar onHelp={() => setDialog("help")} onJump={() => setDialog("jump")} onTheme={switchTheme} />
      <Banners />
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <Footer />
      <Suspense fallback={null}>
        {dialog === "help" ? <ShortcutsDialog onClose={() => setDialog(undefined)} /> : null}
        {dialog === "jump" ? <JumpDialog onClose={() => setDialog(undefined)} /> : null}
      </Suspense>
    </>
  );
}

function Footer() {
  const { version, cluster, kubelet, agents } = useStatus();
  return (
    <footer className="foot">
      <span>Sandglass {version}</span>
      {cluster === undefined ? null : (
        <span>
          Cluster {cluster.name}
          {cluster.version === undefined ? "" : ` · Kubernetes ${cluster.version}`}
          {cluster.simulated ? " · simulated" : ""}
        </span>
      )}
      {kubelet === undefined ? null : (
        <span>
          Kubelets {kubelet.mode}, TLS {kubelet.tls}
        </span>
      )}
      {agents === undefined ? null : <span>{agents.listening ? `${agents.reporting} agents report` : "No agent listener"}</span>}
    </footer>
  );
}

function isDark(): boolean {
  const forced = document.documentElement.dataset["theme"];
  return forced === undefined ? matchMedia("(prefers-color-scheme: dark)").matches : forced === "dark";
}
