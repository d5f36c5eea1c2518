import tseslint from "typescript-eslint";

/**
 * The layers of the design as rules: arrows point one way. `domain` knows nobody; only `store` knows Prisma and SQL;
 * only `config.ts` reads the environment; only `clock.ts` reads the time.
 */
const layer = (files, forbidden, why) => ({
  files,
  rules: {
    "no-restricted-imports": ["error", { patterns: [...forbidden, ...everywhere(files)].map((group) => ({ group: [group].flat(), message: why })) }],
  },
});
const server = (...names) => names.flatMap((name) => [`**/server/${name}`, `**/server/${name}/**`, `../${name}`, `../${name}/**`, `../../${name}`, `../../${name}/**`]);
const sqlite = ["better-sqlite3", "@prisma/*", "**/store/generated/**"];
const everywhere = (files) => (files.some((f) => f.includes("server/store")) ? [] : [sqlite]);

export default tseslint.config(
  { ignores: ["node_modules/**", ".next/**", "dist/**", "data/**", "server/store/generated/**", "test-results/**", "next-env.d.ts"] },
  ...tseslint.configs.strict,
  {
    languageOptions: { parserOptions: { projectService: false } },
    rules: {
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-non-null-assertion": "error",
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "@typescript-eslint/no-empty-function": "off",
      "no-empty": ["error", { allowEmptyCatch: false }],
      eqeqeq: ["error", "smart"],
      "no-restricted-syntax": [
        "error",
        { selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']", message: "Text from the cluster stays text." },
        { selector: "Property[key.name='dangerouslySetInnerHTML']", message: "Text from the cluster stays text." },
      ],
    },
  },
  {
    files: ["server/**/*.ts", "app/**/*.ts", "app/**/*.tsx"],
    ignores: ["server/clock.ts", "**/*.test.ts", "**/*.test.tsx", "**/testing/**", "server/dev/**"],
    rules: {
      "no-restricted-properties": [
        "error",
        { object: "Date", property: "now", message: "Time comes from clock.ts." },
        { object: "process", property: "env", message: "The environment is read in config.ts only." },
      ],
    },
  },
  { files: ["server/config.ts"], rules: { "no-restricted-properties": ["error", { object: "Date", property: "now" }] } },
  layer(["server/domain/**/*.ts"], [server("store", "services", "sources", "collector", "agent", "simulator", "http", "auth"), ["node:*", "undici", "pino", "next", "next/*", "zod", "@kubernetes/*", "@grpc/*"], ["**/clock", "**/config", "**/log"]], "domain is pure: it imports nothing outside domain."),
  layer(["server/store/**/*.ts"], [server("services", "sources", "collector", "agent", "simulator", "http", "auth"), ["next", "next/*"]], "store knows domain only."),
  layer(["server/services/**/*.ts"], [server("sources", "collector", "agent", "simulator"), ["**/store/ingest", "**/store/ingest/**"], ["next", "next/*"]], "services stand on store and domain; the collector's writes are not theirs."),
  layer(["server/sources/**/*.ts"], [server("store", "services", "collector", "simulator", "http")], "sources know domain only."),
  layer(["server/agent/**/*.ts"], [server("store", "services", "collector", "sources", "simulator", "http", "auth")], "the agent knows domain only."),
  layer(["server/simulator/**/*.ts"], [server("store", "services", "collector", "http", "auth")], "the simulator speaks through sockets."),
  layer(["server/collector/**/*.ts"], [server("http", "simulator", "agent"), ["next", "next/*"]], "the collector knows sources, services, store and domain."),
  layer(["app/**/*.ts", "app/**/*.tsx"], [server("store", "sources", "collector", "agent", "simulator"), ["**/server/store/**"]], "a page asks one service."),
  layer(["components/**/*.ts", "components/**/*.tsx"], [server("store", "services", "sources", "collector", "agent", "simulator", "auth"), ["node:*"]], "components get plain data."),
);
