import type { Metadata, Viewport } from "next";
import localFont from "next/font/local";
import { cookies } from "next/headers";
import type { ReactNode } from "react";
import { LiveProvider } from "@/components/live/live-provider";
import { parsePrefs } from "@/components/shell/prefs";
import { PrefsProvider } from "@/components/shell/prefs-provider";
import { Shell } from "@/components/shell/shell";
import { requestContext } from "@/server/http/context";
import { readStatus } from "@/server/services/read-status";
import "./globals.css";

const inter = localFont({ src: "./fonts/inter-latin-opsz-normal.woff2", weight: "100 900", display: "swap", variable: "--font-inter" });
const mono = localFont({ src: "./fonts/jetbrains-mono-latin-wght-normal.woff2", weight: "100 800", display: "swap", variable: "--font-jetbrains", preload: false });

export const metadata: Metadata = { title: { default: "Sandglass", template: "%s · Sandglass" }, description: "Can each node start a pod right now", robots: { index: false, follow: false } };
export const viewport: Viewport = { colorScheme: "light dark", width: "device-width", initialScale: 1 };
export const dynamic = "force-dynamic";

export default async function RootLayout({ children }: { readonly children: ReactNode }) {
  const ctx = await requestContext();
  const jar = await cookies();
  const prefs = parsePrefs((name) => jar.get(name)?.value);
  const status = await readStatus({ ctx });
  return (
    <html lang="en" className={`${inter.variable} ${mono.variable}`} {...(prefs.theme === "system" ? {} : { "data-theme": prefs.theme })}>
      <body>
        <PrefsProvider initial={prefs}>
          <LiveProvider status={status} rate={ctx.clock.rate}>
            <Shell>{children}</Shell>
          </LiveProvider>
        </PrefsProvider>
      </body>
    </html>
  );
}
