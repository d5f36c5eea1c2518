import { builtinModules } from "node:module";
import path from "node:path";
import tseslint from "typescript-eslint";

/**
 * What no file of a layer may import from outside: `domain` is pure, only `store` knows Prisma and SQL. Which layer may know
 * which is `house/layers`, below.
 */
const layer = (files, forbidden, why) => ({
  files,
  rules: {
    "no-restricted-imports": ["error", { patterns: [...forbidden, ...everywhere(files)].map((group) => ({ group: [group].flat(), message: why })) }],
  },
});
const sqlite = ["better-sqlite3", "@prisma/*", "**/store/generated/**"];
const everywhere = (files) => (files.some((f) => f.includes("server/store")) ? [] : [sqlite]);

/**
 * The layers of the design: arrows point one way. The rule looks where an import leads, however it is written and at run
 * time too. Beside the folders it names files; `!` lets one through.
 */
const FORBIDDEN = {
  "server/domain": ["server", "!server/domain"],
  "server/store": ["server/services", "server/sources", "server/collector", "server/agent", "server/simulator", "server/http", "server/auth", "server/commands"],
  "server/services": ["server/http", "server/sources", "server/collector", "server/agent", "server/simulator", "server/commands", "server/store/ingest"],
  "server/sources": ["server/store", "server/services", "server/collector", "server/simulator", "server/http", "server/auth", "server/commands"],
  "server/agent": ["server/store", "server/services", "server/collector", "server/sources", "server/simulator", "server/http", "server/auth", "server/commands"],
  "server/simulator": ["server/store", "server/services", "server/collector", "server/http", "server/auth", "server/commands"],
  "server/collector": ["server/http", "server/simulator", "server/agent", "server/commands"],
  "server/http": ["server/collector", "server/agent", "server/simulator", "server/commands", "server/store/ingest"],
  "server/contract": ["server", "!server/domain", "!server/contract", "app", "components"],
  app: ["server/store", "server/sources", "server/collector", "server/agent", "server/simulator", "server/commands"],
  components: ["server/store", "server/services", "server/sources", "server/collector", "server/agent", "server/simulator", "server/auth", "server/commands", "server/http"],
};
const lies = (file, place) => file === place || file.startsWith(`${place}/`);
const layers = {
  meta: { messages: { crossed: "{{own}} must not import {{target}}: arrows point one way." }, schema: [] },
  create(context) {
    const file = path.relative(context.cwd, context.filename);
    const own = Object.keys(FORBIDDEN).find((place) => lies(file, place));
    const check = ({ source }) => {
      const text = source?.value;
      if (own === undefined || typeof text !== "string") return;
      const target = text.startsWith("@/") ? text.slice(2) : text.startsWith(".") ? path.join(path.dirname(file), text) : undefined;
      if (target === undefined) return;
      const places = FORBIDDEN[own];
      const allowed = places.some((place) => place.startsWith("!") && lies(target, place.slice(1)));
      if (!allowed && places.some((place) => lies(target, place))) context.report({ node: source, messageId: "crossed", data: { own, target } });
    };
    return { ImportDeclaration: check, ExportNamedDeclaration: check, ExportAllDeclaration: check, ImportExpression: check, TSImportType: check };
  },
};

const MARKUP = [
  { selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']", message: "Text from the cluster stays text." },
  { selector: "Property[key.name='dangerouslySetInnerHTML']", message: "Text from the cluster stays text." },
  { selector: "AssignmentExpression[left.property.name=/^(inner|outer)HTML$/]", message: "Text from the cluster stays text." },
];
const NOW = { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: "Time comes from clock.ts." };
const ISSUED = { selector: "TSAsExpression[typeAnnotation.typeName.name='Permit']", message: "Only authorize() makes a Permit." };

export default tseslint.config(
  { ignores: ["node_modules/**", ".next/**", "dist/**", "data/**", "server/store/generated/**", "test-results/**", "next-env.d.ts"] },
  ...tseslint.configs.strict,
  {
    languageOptions: { parserOptions: { projectService: false } },
    plugins: { house: { rules: { layers } } },
    rules: {
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-non-null-assertion": "error",
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "@typescript-eslint/no-empty-function": "off",
      "no-empty": ["error", { allowEmptyCatch: false }],
      eqeqeq: ["error", "smart"],
      "no-restricted-syntax": ["error", ...MARKUP, NOW, ISSUED],
      "house/layers": "error",
    },
  },
  {
    files: ["server/**/*.ts", "app/**/*.ts", "app/**/*.tsx", "components/**/*.ts", "components/**/*.tsx", "proxy.ts"],
    ignores: ["server/clock.ts", "**/*.test.ts", "**/*.test.tsx", "**/testing/**", "server/dev/**"],
    rules: {
      "no-restricted-properties": [
        "error",
        { object: "Date", property: "now", message: "Time comes from clock.ts." },
        { object: "process", property: "env", message: "The environment is read in config.ts only." },
      ],
    },
  },
  { files: ["server/auth/**/*.ts"], rules: { "no-restricted-syntax": ["error", ...MARKUP, NOW] } },
  { files: ["**/*.test.ts", "**/*.test.tsx", "**/testing/**", "server/dev/**", "e2e/**"], rules: { "no-restricted-syntax": ["error", ...MARKUP], "house/layers": "off" } },
  {
    files: ["server/*.ts", "server/http/**/*.ts", "server/auth/**/*.ts", "server/commands/**/*.ts", "proxy.ts"],
    rules: { "no-restricted-imports": ["error", { patterns: [{ group: sqlite, message: "Only store knows Prisma and SQL." }, { group: ["node:process", "process"], message: "The environment is read in config.ts only." }] }] },
  },
  { files: ["server/config.ts"], rules: { "no-restricted-properties": ["error", { object: "Date", property: "now" }] } },
  layer(["server/domain/**/*.ts"], [["node:*", ...builtinModules, "undici", "pino", "next", "next/*", "zod", "@kubernetes/*", "@grpc/*"], ["**/clock", "**/config", "**/log"]], "domain is pure: it imports nothing outside domain."),
  layer(["server/store/**/*.ts"], [["next", "next/*"]], "store knows domain only."),
  layer(["server/services/**/*.ts"], [["**/store/ingest", "**/store/ingest/**"], ["next", "next/*"]], "services stand on store and domain; the collector's writes are not theirs."),
  layer(["server/sources/**/*.ts"], [], "sources know domain only."),
  layer(["server/agent/**/*.ts"], [], "the agent knows domain only."),
  layer(["server/simulator/**/*.ts"], [], "the simulator speaks through sockets."),
  layer(["server/collector/**/*.ts"], [["next", "next/*"]], "the collector knows sources, services, store and domain."),
  layer(["app/**/*.ts", "app/**/*.tsx"], [["**/server/store/**"]], "a page asks one service."),
  layer(["components/**/*.ts", "components/**/*.tsx"], [["node:*"]], "components get plain data."),
  // What is pure is what ships; its tests read recorded input and pages from files.
  { files: ["server/domain/**/*.test.ts"], rules: { "no-restricted-imports": "off" } },
);
