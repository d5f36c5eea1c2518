import path from "node:path";
import { ESLint } from "eslint";
import { describe, expect, test } from "vitest";

/** Each row breaks one rule of the house, in a file that need not exist: a rule that no longer fires fails here. */
const BREAKS: readonly (readonly [file: string, code: string, rule: string])[] = [
  ["server/domain/x.ts", 'import { y } from "../store/reader"; export { y };', "house/layers"],
  ["server/domain/x.ts", 'import { y } from "../errors"; export { y };', "house/layers"],
  ["server/domain/x.ts", 'import { y } from "fs"; export { y };', "no-restricted-imports"],
  ["server/domain/x.ts", 'import { y } from "zod"; export { y };', "no-restricted-imports"],
  ["server/domain/x.ts", 'export const y = () => import("../store/reader");', "house/layers"],
  ["server/store/reader/x.ts", 'import { y } from "../../services/iso"; export { y };', "house/layers"],
  ["server/services/actions/x.ts", 'import { y } from "../../store/ingest"; export { y };', "house/layers"],
  ["server/services/x.ts", 'export { y } from "../sources/kube-api/identify";', "house/layers"],
  ["server/sources/kube-api/project/x.ts", 'import { y } from "../../../store/reader"; export { y };', "house/layers"],
  ["server/agent/x.ts", 'import { y } from "../sources/agent/tokens"; export { y };', "house/layers"],
  ["server/simulator/api/x.ts", 'import type { Y } from "../../collector/pipeline"; export type { Y };', "house/layers"],
  ["server/collector/x.ts", 'import { y } from "../simulator/simulation"; export { y };', "house/layers"],
  ["server/http/x.ts", 'import { y } from "../store/ingest"; export { y };', "house/layers"],
  ["server/http/x.ts", 'import Y from "better-sqlite3"; export { Y };', "no-restricted-imports"],
  ["server/commands/x.ts", 'import { Y } from "@prisma/client"; export { Y };', "no-restricted-imports"],
  ["server/services/x.ts", 'import { y } from "../http/runtime"; export { y };', "house/layers"],
  ["server/contract/x.ts", 'import { y } from "../services/iso"; export { y };', "house/layers"],
  ["app/x.ts", 'import { y } from "@/server/store/reader"; export { y };', "house/layers"],
  ["components/x.ts", 'import { y } from "@/server/http/runtime"; export { y };', "house/layers"],
  ["components/x.ts", "export const y = process.env.X;", "no-restricted-properties"],
  ["proxy.ts", "export const y = process.env.X;", "no-restricted-properties"],
  ["server/http/x.ts", 'import { env } from "node:process"; export { env };', "no-restricted-imports"],
  ["server/http/x.ts", "const { env } = process; export { env };", "no-restricted-properties"],
  ["server/config.ts", "export const y = Date.now();", "no-restricted-properties"],
  ["server/services/x.ts", "export const y = new Date();", "no-restricted-syntax"],
  ["server/services/x.ts", 'import type { Permit } from "../domain/permit"; export const y = {} as Permit;', "no-restricted-syntax"],
  ["components/x.tsx", 'export const Y = () => <div dangerouslySetInnerHTML={{ __html: "" }} />;', "no-restricted-syntax"],
  ["components/x.ts", 'export const y = (e: HTMLElement) => { e.innerHTML = "x"; };', "no-restricted-syntax"],
  ["server/services/x.ts", "export const y = (a: any) => a;", "@typescript-eslint/no-explicit-any"],
  ["server/services/x.ts", "export const y = (a?: string) => a!;", "@typescript-eslint/no-non-null-assertion"],
  ["server/services/x.ts", "export const y = () => { try { y(); } catch {} };", "no-empty"],
];

const eslint = new ESLint({ cwd: path.resolve(import.meta.dirname, "../..") });

describe("the rules of the house", () => {
  test.each(BREAKS)("%s: %s breaks %s", async (file, code, rule) => {
    const [result] = await eslint.lintText(code, { filePath: file });
    expect(result?.messages.map((message) => message.ruleId)).toContain(rule);
  });

  test("let the schemas of the API through to the pages, and authorize() make a Permit", async () => {
    const [schemas] = await eslint.lintText('import type { Fleet } from "@/server/contract/schemas"; export type { Fleet };\n', { filePath: "components/x.ts" });
    const [permit] = await eslint.lintText('import type { Permit } from "../domain/permit"; export const y = {} as Permit;\n', { filePath: "server/auth/x.ts" });
    expect([...(schemas?.messages ?? []), ...(permit?.messages ?? [])]).toEqual([]);
  });
});
