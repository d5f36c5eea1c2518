#!/usr/bin/env node
/*
 * Stands in for Prisma's downloaded `schema-engine` program: the same JSON-RPC lines on stdin and stdout, answered by
 * the engine that comes as WebAssembly, over the SQLite adapter. `prisma.config.ts` points here, so `prisma migrate`
 * works without a network. Set SCHEMA_ENGINE_DEBUG=1 to see the engine's log.
 */
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { createInterface } from "node:readline";

const IN_MEMORY = ":memory:";
const ERROR_OF_SCHEMA_ENGINE = 4466;
/** The engine answers some answers by a notification; its id only has to differ from every request's. */
const PRINT_ID = 1e9;
const HISTORY_COLUMNS = ["id", "checksum", "finished_at", "migration_name", "logs", "rolled_back_at", "started_at", "applied_steps_count"];
const HISTORY_TYPES = [7, 7, 10, 7, 7, 10, 10, 0];
const READS_HISTORY = /FROM\s+[`"]?_prisma_migrations/i;
const METHODS_WITHOUT_HISTORY = new Set(["diagnoseMigrationHistory", "devDiagnostic"]);

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

function parseArguments(argv) {
  const found = { datamodels: [], url: undefined, command: undefined };
  for (let i = 0; i < argv.length; i++) {
    if (argv[i] === "--datamodels") found.datamodels.push(argv[++i]);
    else if (argv[i] === "--datasource") found.url = JSON.parse(argv[++i]).url;
    else if (argv[i] === "--enabled-preview-features" || argv[i] === "--extension-types") i++;
    else if (argv[i] === "cli") found.command = argv[++i];
  }
  return found;
}

const options = parseArguments(process.argv.slice(2));
const file = fileOf(options.url);
let currentMethod = "";
let adapter;
let engine;

function fileOf(url) {
  const name = (url ?? `file:${IN_MEMORY}`).replace(/^file:/, "").replace(/\?.*$/, "");
  return name === IN_MEMORY ? name : path.resolve(name);
}

async function openAdapter() {
  const { bindMigrationAwareSqlAdapterFactory } = await import("@prisma/driver-adapter-utils");
  const { PrismaBetterSqlite3 } = await import("@prisma/adapter-better-sqlite3");
  if (file !== IN_MEMORY) mkdirSync(path.dirname(file), { recursive: true });
  const factory = new PrismaBetterSqlite3({ url: `file:${file}` });
  for (const method of ["connect", "connectToShadowDb"]) {
    const connect = factory[method].bind(factory);
    factory[method] = async (...args) => likeTheNativeEngine(await connect(...args));
  }
  return bindMigrationAwareSqlAdapterFactory(factory);
}

/** Two answers in which the WebAssembly engine and its adapter differ from the program that they stand in for. */
function likeTheNativeEngine(connection) {
  const query = connection.queryRaw.bind(connection);
  const execute = connection.executeRaw.bind(connection);
  // No history table yet means that no migration was applied, not that the database is broken.
  connection.queryRaw = async (request) => {
    try {
      return await query(request);
    } catch (error) {
      if (error?.cause?.kind !== "TableDoesNotExist" || !READS_HISTORY.test(request.sql) || !METHODS_WITHOUT_HISTORY.has(currentMethod)) throw error;
      return { columnNames: HISTORY_COLUMNS, columnTypes: HISTORY_TYPES, rows: [] };
    }
  };
  // Migrations of several statements are replayed on the shadow database as one; a prepared statement takes one only.
  connection.executeRaw = async (request) => {
    try {
      return await execute(request);
    } catch (error) {
      if (!(error instanceof RangeError) || request.args.length > 0) throw error;
      await connection.executeScript(request.sql);
      return 0;
    }
  };
  return connection;
}

async function loadEngine() {
  const bindings = await import("@prisma/schema-engine-wasm/schema_engine_bg");
  const folder = path.dirname(createRequire(import.meta.url).resolve("@prisma/schema-engine-wasm"));
  globalThis.PRISMA_WASM_PANIC_REGISTRY = { message: "", set_message: (message) => { globalThis.PRISMA_WASM_PANIC_REGISTRY.message = message; } };
  const { instance } = await WebAssembly.instantiate(readFileSync(path.join(folder, "schema_engine_bg.wasm")), { "./schema_engine_bg.js": bindings });
  bindings.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start?.();
  const datamodels = options.datamodels.map((name) => [name, readFileSync(name, "utf8")]);
  adapter = await openAdapter();
  return bindings.SchemaEngine.new({ datamodels: datamodels.length > 0 ? datamodels : undefined }, (line) => {
    if (process.env.SCHEMA_ENGINE_DEBUG === "1") process.stderr.write(`${line}\n`);
  }, adapter);
}

function errorAnswer(error) {
  const panic = globalThis.PRISMA_WASM_PANIC_REGISTRY?.message;
  // An error of the adapter crosses the engine as a number; the adapter kept the error itself.
  const message = (panic || (error?.message ?? String(error))).replace(/External error id#(\d+)/, (text, id) => adapter?.errorRegistry?.consumeError(Number(id))?.error?.stack ?? text);
  return { code: ERROR_OF_SCHEMA_ENGINE, message, data: { is_panic: Boolean(panic), message, error_code: error?.code, meta: error?.meta ?? null, backtrace: error?.stack ?? null } };
}

async function answer({ id, method, params }) {
  try {
    engine ??= await loadEngine();
    if (method === "reset" && file !== IN_MEMORY) {
      // The engine cannot empty a SQLite file: start a new one, as the native program does.
      for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
      engine = await loadEngine();
    }
    const name = method === "getDatabaseVersion" ? "version" : method;
    if (typeof engine[name] !== "function") throw new Error(`the schema engine has no method ${method}`);
    currentMethod = method;
    const result = (await engine[name](Array.isArray(params) ? params[0] : params)) ?? null;
    if (method === "diff" && result?.stdout) send({ id: PRINT_ID, method: "print", params: { content: result.stdout } });
    send({ id, result });
  } catch (error) {
    send({ id, error: errorAnswer(error) });
  }
}

async function checkConnection() {
  try {
    const connection = await (await openAdapter()).connect();
    await connection.dispose?.();
    return 0;
  } catch (error) {
    process.stderr.write(`\n${JSON.stringify({ level: "ERROR", target: "schema_engine::logger", fields: { error_code: "P1001", message: error.message } })}`);
    return 1;
  }
}

if (process.argv[2] === "--version") {
  process.stdout.write("schema-engine-cli wasm\n");
} else if (options.command !== undefined) {
  process.exitCode = await checkConnection();
} else {
  let queue = Promise.resolve();
  const lines = createInterface({ input: process.stdin });
  lines.on("line", (line) => {
    const request = line.trim() === "" ? {} : JSON.parse(line);
    if (request.method !== undefined) queue = queue.then(() => answer(request));
  });
  lines.on("close", () => void queue.then(() => process.exit(0)));
}
