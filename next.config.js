import path from "node:path";

/** @type {import("next").NextConfig} */
export default {
  output: "standalone",
  // A lockfile in a parent folder would move the project's root otherwise.
  outputFileTracingRoot: path.resolve(import.meta.dirname),
  turbopack: { root: path.resolve(import.meta.dirname) },
  outputFileTracingIncludes: { "/**": ["./prisma/migrations/**"] },
  // Each pattern is looked for anywhere in a path: "./dist/**" would take the packages' own dist folders away.
  outputFileTracingExcludes: { "/**": ["./data/**", "./e2e/**", "./docs/**", "./test-results/**"] },
  serverExternalPackages: ["better-sqlite3", "@prisma/client", "@prisma/adapter-better-sqlite3", "pino", "undici", "@kubernetes/client-node"],
  // The optimizer has been a way in more than once; no page needs it.
  images: { unoptimized: true },
  poweredByHeader: false,
  // Browsers ask for it by themselves between two pages, while neither names an icon.
  rewrites: () => Promise.resolve([{ source: "/favicon.ico", destination: "/icon.svg" }]),
  reactStrictMode: true,
  // Type errors fail `npm test` by their own step; a build need not find them twice.
  typescript: { ignoreBuildErrors: true },
};
