import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { systemClock, type Clock } from "@/server/clock";
import { WORK_ASK_PATH, WORK_TOLD_PATH } from "@/server/domain/actions/work-order";
import { AGENT_REPORT_PATH, AGENT_SENT_HEADER, PUSH_ANSWER_VERSION, type PushAnswer } from "@/server/domain/agent-report";
import type { NodeName } from "@/server/domain/ids";
import type { Observe } from "@/server/domain/observation";
import type { Log } from "@/server/log";
import type { KeyPair } from "@/server/pki";
import { RENEW_AFTER_MS, issueListenerCertificate } from "./authority";
import { looksLikeAccountToken } from "./account-claims";
import type { AccountTokens } from "./account-tokens";
import { checkHeaders, parseBody, readBody } from "./body";
import { DROP_REASONS, Dropped, problemOf, type DropReason } from "./drops";
import { createGates } from "./gates";
import { createLedger, type AgentSeen } from "./ledger";
import { parseReport } from "./schema";
import { agentTokens } from "./tokens";
import { MAX_WORK_BODY_BYTES, parseAsking, parseTelling, signed, type WorkDesk } from "./work";

export interface AgentListenerOptions {
  readonly host: string;
  /** 0 takes a free one; see `port` of what comes back. */
  readonly port: number;
  readonly authority: KeyPair;
  /** Names and addresses under which agents reach this port, besides loopback and this machine's own name. */
  readonly names?: readonly string[];
  /** The folder of `<node>.token` files. */
  readonly tokens: string;
  /** Checks service-account tokens; without it only the tokens of files are good. */
  readonly accounts?: AccountTokens;
  readonly observe: Observe;
  /** Whether a report of this node would be kept; without it every node's is. Asked for each report, so it costs nothing. */
  readonly admits?: (node: NodeName) => Admission;
  /** What is told to a node's agent in the answer to its report; asked for each, so it costs nothing. */
  readonly tell?: (node: NodeName) => Omit<PushAnswer, "version">;
  /** Orders to agents; without it nobody is asked to do anything. */
  readonly work?: WorkDesk;
  readonly clock: Clock;
  readonly log: Log;
  /** How long a sender may take; the defaults suit agents, tests shorten them. */
  readonly timeouts?: { readonly headersMs: number; readonly requestMs: number; readonly checkMs: number };
}

/** `not-yet`: which nodes there are is not known so far, and why. `unlisted`: it is, and this is none of them. */
export type Admission = { readonly is: "admitted" | "unlisted" } | { readonly is: "not-yet"; readonly reason: string };

export interface AgentListenerStatus {
  readonly port: number;
  readonly accepted: number;
  /** By reason; every reason is there, most of them 0. */
  readonly dropped: Readonly<Record<DropReason, number>>;
  readonly connections: number;
  /** Reports that are being read or wait to be parsed. */
  readonly underWay: number;
  /** Connections that were closed at once because there were too many. */
  readonly turnedAway: number;
  readonly nodes: readonly AgentSeen[];
  /** Why service-account tokens cannot be checked; absent while they can. */
  readonly identityTrouble?: { readonly reason: string; readonly sinceMs: number };
}

export interface AgentListener {
  readonly port: number;
  status(): AgentListenerStatus;
  stop(): Promise<void>;
}

/** One an agent: 5,000, and a fifth more for those that are just being replaced, of before, or none of ours. */
const MAX_CONNECTIONS = 6_000;
const MAX_HEADER_BYTES = 8 * 1024;
const HANDSHAKE_TIMEOUT_MS = 10_000;
const TIMEOUTS = { headersMs: 10_000, requestMs: 20_000, checkMs: 5_000 };
/** Longer than an agent's period, so that its connection lives on from push to push. */
const KEEP_ALIVE_MS = 90_000;
const STOP_MS = 2_000;
/** After a refusal that leaves a body unread, so that the sender can still read the answer. */
const LINGER_MS = 500;
const SMALL_BODY_BYTES = 256 * 1024;
const RENEWAL_CHECK_MS = 3_600_000;
/** The first list takes a moment; a node that joins is listed within seconds. */
const NOT_YET_SECONDS = 3;
const UNLISTED_SECONDS = 10;

/** Takes agents' reports: HTTPS, one path, one token per node. Rejects where the port cannot be had. */
export async function startAgentListener(options: AgentListenerOptions): Promise<AgentListener> {
  const { clock, log, observe, authority, names = [], timeouts = TIMEOUTS } = options;
  const tokens = agentTokens(options.tokens, log);
  const ledger = createLedger();
  const gates = createGates(() => clock.now());
  // Orders have places of their own: reports that fill theirs do not keep an agent from telling what it did.
  const workGates = createGates(() => clock.now());
  const dropped = Object.fromEntries(DROP_REASONS.map((reason) => [reason, 0])) as Record<DropReason, number>; // every reason, just listed
  let accepted = 0;
  let turnedAway = 0;

  const take = async (request: IncomingMessage): Promise<PushAnswer | ReturnType<typeof signed>> => {
    const path = (request.url ?? "").split("?")[0];
    if (path !== AGENT_REPORT_PATH && (options.work === undefined || (path !== WORK_ASK_PATH && path !== WORK_TOLD_PATH))) throw new Dropped("not-found", `the path is not ${AGENT_REPORT_PATH}`);
    if (request.method !== "POST") throw new Dropped("method", "the method is not POST");
    const node = await whose(bearer(request));
    checkHeaders(request);
    if (options.work !== undefined && path !== AGENT_REPORT_PATH) return takeWork(request, node, options.work, path === WORK_ASK_PATH);
    admit(node);
    await gates.forNode(node, async () => {
      const body = await readBody(request);
      await gates.forParsing(async () => {
        const parsed = parseReport(await parseBody(body, request.headers["content-encoding"]?.trim().toLowerCase() === "gzip"));
        if (!parsed.ok) throw new Dropped(parsed.reason, parsed.detail);
        hand(node, parsed.report, sentAt(request));
      });
    });
    return { version: PUSH_ANSWER_VERSION, ...options.tell?.(node), ...(options.work === undefined ? {} : { orders: options.work.waits(node) }) };
  };
  /** Before the ledger has the report: one that nobody would keep is not taken, so that it may come again. */
  const admit = (node: NodeName): void => {
    const admission = options.admits?.(node);
    if (admission?.is === "not-yet") throw new Dropped("not-listed-yet", admission.reason, NOT_YET_SECONDS);
    if (admission?.is === "unlisted") throw new Dropped("unlisted-node", `the API server lists no node ${node}; its reports are taken once it does`, UNLISTED_SECONDS);
  };
  const whose = async (token: string): Promise<NodeName> => {
    if (options.accounts !== undefined && looksLikeAccountToken(token)) return options.accounts.nodeOf(token);
    const node = await tokens.nodeOf(token);
    if (node === undefined) throw new Dropped("unknown-token", "make one with: sandglass agent-token NODE");
    return node;
  };
  const takeWork = async (request: IncomingMessage, node: NodeName, desk: WorkDesk, asks: boolean): Promise<ReturnType<typeof signed>> => {
    const body = await workGates.forNode(node, async () => {
      const bytes = await readBody(request, MAX_WORK_BODY_BYTES);
      return workGates.forParsing(() => parseBody(bytes, request.headers["content-encoding"]?.trim().toLowerCase() === "gzip"));
    });
    if (asks) {
      const { nonce, held } = parseAsking(body);
      const gone = new AbortController();
      const leave = (): void => {
        gone.abort();
      };
      // One connection carries askings for as long as its agent lives.
      const { socket } = request;
      socket.once("close", leave);
      const handed = await desk.ask(node, held, gone.signal).finally(() => socket.off("close", leave));
      const pods = handed === undefined ? undefined : await desk.pods(node);
      return signed({ nonce, sentMs: clock.now(), ...handed, ...(pods === undefined ? {} : { pods }) }, authority.keyPem);
    }
    const { nonce, version: _, wantPods, ...told } = parseTelling(body);
    if (!desk.told(node, told)) throw new Dropped("no-such-order", "it was never this node's, or is too old");
    const pods = wantPods === true ? await desk.pods(node) : undefined;
    return signed({ nonce, sentMs: clock.now(), ...(pods === undefined ? {} : { pods }) }, authority.keyPem);
  };
  const hand = (node: NodeName, report: Parameters<typeof ledger.take>[1], sentMs: number | undefined): void => {
    if (report.node !== node) throw new Dropped("other-node", "the report names another node than its token");
    admit(node); // it may have left while its report was read
    const taken = ledger.take(node, report, sentMs, clock.now());
    accepted += 1;
    observe({ source: "agent", type: "report", node, atMs: taken.report.atMs, ...taken });
  };

  const handling = new WeakSet<object>();
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    handling.add(request.socket);
    response.once("close", () => handling.delete(request.socket));
    take(request).then(
      (answer) => {
        respond(response, 200, answer, "application/json");
      },
      (error: unknown) => {
        const drop = error instanceof Dropped ? error : new Dropped("internal", "see the server's log");
        if (!(error instanceof Dropped)) log.error({ err: error }, "a report could not be handled");
        dropped[drop.reason] += 1;
        log.debug({ reason: drop.reason, detail: drop.detail, from: request.socket.remoteAddress }, "a message to the agent port was dropped");
        refuse(request, response, drop);
      },
    );
  };

  const certificate = await issueListenerCertificate(authority, names);
  let issuedMs = systemClock.now();
  const server: Server = createServer(
    {
      cert: certificate.certPem,
      key: certificate.keyPem,
      minVersion: "TLSv1.3",
      ALPNProtocols: ["http/1.1"],
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: timeouts.checkMs,
    },
    handle,
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.on("drop", () => {
    turnedAway += 1;
  });
  server.on("clientError", (error, socket) => {
    // A request that was being handled is counted where it is handled.
    const reason = handling.has(socket) ? undefined : clientFault(error);
    handling.add(socket); // once a connection: more bytes of the same may still come in
    if (reason !== undefined) dropped[reason] += 1;
    if (reason !== undefined && socket.writable) socket.end(rawProblem(reason));
    else socket.destroy();
  });
  server.on("tlsClientError", (error) => {
    log.debug({ err: error }, "a TLS handshake on the agent port failed");
  });
  const connections = new Set<Duplex>();
  server.on("connection", (socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
  });

  // Real time, like the certificates themselves.
  const renew = async (): Promise<void> => {
    if (systemClock.now() - issuedMs < RENEW_AFTER_MS) return;
    const fresh = await issueListenerCertificate(authority, names);
    server.setSecureContext({ cert: fresh.certPem, key: fresh.keyPem, minVersion: "TLSv1.3" });
    issuedMs = systemClock.now();
  };
  const renewal = setInterval(() => {
    renew().catch((error: unknown) => {
      log.error({ err: error }, "the agent port's certificate could not be renewed");
    });
  }, RENEWAL_CHECK_MS);
  renewal.unref();

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  server.on("error", (error) => {
    log.error({ err: error }, "the agent port failed");
  });
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one

  return {
    port,
    status: () => {
      const identityTrouble = options.accounts?.trouble();
      return { port, accepted, dropped: { ...dropped }, connections: connections.size, underWay: gates.underWay(), turnedAway, nodes: ledger.seen(), ...(identityTrouble === undefined ? {} : { identityTrouble }) };
    },
    stop: () =>
      new Promise((resolve) => {
        clearInterval(renewal);
        const endAll = (): void => {
          for (const socket of connections) socket.destroy();
        };
        const force = setTimeout(endAll, STOP_MS);
        server.close(() => {
          clearTimeout(force);
          resolve();
        });
        if (gates.underWay() === 0) endAll();
        else server.closeIdleConnections();
      }),
  };
}

const bearer = (request: IncomingMessage): string => /^Bearer ([\x21-\x7e]{1,4096})$/i.exec(request.headers.authorization ?? "")?.[1] ?? "";

function sentAt(request: IncomingMessage): number | undefined {
  const text = request.headers[AGENT_SENT_HEADER];
  if (text === undefined) return undefined;
  if (typeof text !== "string" || !/^\d{1,15}$/.test(text)) throw new Dropped("malformed", `${AGENT_SENT_HEADER} is not a time in milliseconds`);
  return Number(text);
}

/** What a connection did that never became a request; nothing where it merely ended. */
function clientFault(error: Error): DropReason | undefined {
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "incomplete";
  if (code === "HPE_HEADER_OVERFLOW") return "too-large";
  return code.startsWith("HPE_") ? "malformed" : undefined;
}

function rawProblem(reason: DropReason): string {
  const problem = problemOf(new Dropped(reason, "what came is not a whole HTTP request"));
  const text = JSON.stringify(problem);
  return `HTTP/1.1 ${String(problem.status)} Refused\r\ncontent-type: application/problem+json\r\ncontent-length: ${String(Buffer.byteLength(text))}\r\nconnection: close\r\n\r\n${text}`;
}

function respond(response: ServerResponse, status: number, body: object, type: string, headers: Readonly<Record<string, string>> = {}): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(text), "cache-control": "no-store", ...headers });
  response.end(text);
}

/** Nothing is wrong with these messages: their sender is told to come back. */
const COMES_BACK: ReadonlySet<DropReason> = new Set(["busy", "cannot-check", "not-listed-yet", "unlisted-node"]);

/**
 * Answers with a problem document. A body that was not read to its end is not waited for and the connection closes, save
 * that of a known node told to come back: a new TLS connection would cost more than its few kilobytes.
 */
function refuse(request: IncomingMessage, response: ServerResponse, dropped: Dropped): void {
  if (response.headersSent || response.destroyed) return;
  const problem = problemOf(dropped);
  const small = Number(request.headers["content-length"] ?? Number.POSITIVE_INFINITY) <= SMALL_BODY_BYTES;
  const unread = !request.complete && !(COMES_BACK.has(dropped.reason) && small);
  const stranger = problem.status === 401;
  respond(response, problem.status, problem, "application/problem+json", {
    ...(unread || stranger ? { connection: "close" } : {}),
    ...(dropped.retryAfterSeconds === undefined ? {} : { "retry-after": String(dropped.retryAfterSeconds) }),
    ...(dropped.reason === "method" ? { allow: "POST" } : {}),
    ...(stranger ? { "www-authenticate": "Bearer" } : {}),
  });
  if (!unread) return;
  request.resume();
  const timer = setTimeout(() => {
    request.socket.destroy();
  }, LINGER_MS);
  request.socket.once("close", () => {
    clearTimeout(timer);
  });
}
