/*
 * Loaded before everything else in each Node process of a test run (NODE_OPTIONS=--import). A connection or a look-up
 * that is not for this machine fails and is written down in the file that SANDGLASS_TEST_EGRESS names; the run fails
 * when that file is not empty. Processes inside a test cluster's own network are left alone: it leads nowhere.
 */
import dgram from "node:dgram";
import dns from "node:dns";
import { appendFileSync, readlinkSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";

const report = process.env.SANDGLASS_TEST_EGRESS;
const LOCAL_NAMES = new Set(["localhost", "ip6-localhost", "ip6-loopback", ""]);

function namespaceOf() {
  try {
    return readlinkSync("/proc/self/ns/net");
  } catch (error) {
    if (error.code === "ENOENT") return ""; // a system without network namespaces
    throw error;
  }
}

const loopback = new net.BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("0.0.0.0", "ipv4");
loopback.addAddress("::1", "ipv6");
loopback.addAddress("::", "ipv6");

function isLocal(host) {
  const name = String(host ?? "").replace(/^\[|\]$/g, "").split("%")[0].toLowerCase();
  const kind = net.isIP(name);
  if (kind === 0) return LOCAL_NAMES.has(name) || name.endsWith(".localhost");
  return loopback.check(name, kind === 4 ? "ipv4" : "ipv6");
}

/** Writes the attempt down and returns the error that it ends with. */
function refuse(what, host) {
  appendFileSync(report, `${JSON.stringify({ what, host: String(host), process: process.argv.slice(0, 4), stack: new Error("from").stack?.split("\n").slice(2, 8) })}\n`);
  return Object.assign(new Error(`egress guard: ${what} ${host} is not on this machine`), { code: "EGRESS_GUARD" });
}

function guardSockets() {
  const connect = net.Socket.prototype.connect;
  net.Socket.prototype.connect = function (...args) {
    // `net.connect` hands on an array that it has normalized: [options, callback].
    const first = Array.isArray(args[0]) ? args[0][0] : args[0];
    const options = typeof first === "object" && first !== null ? first : { port: first, host: typeof args[1] === "string" ? args[1] : undefined };
    const isPath = options.path !== undefined || (typeof first === "string" && !/^\d+$/.test(first));
    if (isPath || isLocal(options.host)) return connect.apply(this, args);
    process.nextTick(() => this.destroy(refuse("connect", options.host)));
    return this;
  };

  for (const method of ["send", "connect"]) {
    const original = dgram.Socket.prototype[method];
    dgram.Socket.prototype[method] = function (...args) {
      // The address is the only string among the arguments after the message.
      const host = args.slice(1).find((argument) => typeof argument === "string");
      if (isLocal(host)) return original.apply(this, args);
      process.nextTick(() => this.emit("error", refuse(`datagram ${method}`, host)));
      return undefined;
    };
  }
}

function guardNames() {
  const asked = (name) => net.isIP(String(name)) !== 0 || isLocal(name);
  for (const method of Object.keys(dns).filter((name) => name === "lookup" || name.startsWith("resolve"))) {
    const original = dns[method];
    if (typeof original !== "function") continue;
    dns[method] = function (name, ...rest) {
      if (asked(name)) return original.call(this, name, ...rest);
      const callback = rest.at(-1);
      const error = refuse(`dns.${method}`, name);
      if (typeof callback === "function") process.nextTick(callback, error);
      return undefined;
    };
    const promised = dns.promises[method];
    if (typeof promised === "function") {
      dns.promises[method] = (name, ...rest) => (asked(name) ? promised.call(dns.promises, name, ...rest) : Promise.reject(refuse(`dns.${method}`, name)));
    }
  }
}

if (report !== undefined && namespaceOf() === (process.env.SANDGLASS_TEST_NETWORK ?? namespaceOf())) {
  guardSockets();
  guardNames();
  syncBuiltinESMExports();
}
