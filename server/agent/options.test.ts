import { hostname } from "node:os";
import { expect, test } from "vitest";
import { agentOptions } from "./options";

const PUSH = ["--push", "https://10.0.0.1:7443", "--token-file", "/t", "--ca-file", "/c", "--node", "node-1"];

test("the defaults are the period that the server tells, everything found by itself, one hour and 8 MiB of buffer", () => {
  expect(agentOptions(PUSH)).toEqual({
    ok: true,
    value: {
      mode: "push",
      output: "json",
      node: "node-1",
      push: { url: "https://10.0.0.1:7443/v1/report", tokenFile: "/t", caFile: "/c" },
      criSocket: "auto",
      binDirs: [],
      sockets: [],
      hostRoot: "",
      bufferAgeMs: 3_600_000,
      bufferBytes: 8 * 1024 * 1024,
    },
  });
});

test("repeatable flags add up, values are read with their units", () => {
  const argv = ["--once", "--output=text", "--socket", "a=/run/a.sock", "--socket=b=/run/b=c.sock,any", "--bin-dir", "/x", "--bin-dir", "/y", "--host-root", "/host/", "--period", "1m", "--buffer-size", "64KiB"];
  expect(agentOptions(argv)).toMatchObject({
    ok: true,
    value: {
      mode: "once",
      output: "text",
      node: hostname().toLowerCase(),
      sockets: [
        { name: "a", path: "/run/a.sock", speaks: "http" },
        { name: "b", path: "/run/b=c.sock", speaks: "any" },
      ],
      binDirs: ["/x", "/y"],
      hostRoot: "/host",
      periodMs: 60_000,
      bufferBytes: 65_536,
    },
  });
});

test.each([
  [[], ["give --once or --push URL"]],
  [["--once", "--bogus"], ["unknown option --bogus"]],
  [["--once", "--bogus=1", "-x"], ["unknown option --bogus", "unknown option -x"]],
  [["--once", "more"], ['unexpected word "more"']],
  [["--once", "--socket"], ["--socket needs a value"]],
  [["--once=yes"], ["--once takes no value"]],
  [["--push", "https://h:1"], ["--push needs --token-file", "--push needs --ca-file"]],
  [[...PUSH, "--push", "http://h:1"], ['--push: "http://h:1" is not an https:// address without credentials']],
  [[...PUSH, "--push", "https://u:p@h:1"], ['--push: the value is not an https:// address without credentials']],
  [[...PUSH, "--period", "3x"], ['--period: "3x" is not a value such as 15s, from 1s to 5m']],
  [[...PUSH, "--period", "10m"], ['--period: "10m" is not a value such as 15s, from 1s to 5m']],
  [[...PUSH, "--buffer-size", "1GiB"], ['--buffer-size: "1GiB" is not a value such as 8MiB, from 64KiB to 256MiB']],
  [["--once", "--socket", "a"], ['--socket: "a" is not NAME=/PATH (or NAME=/PATH,any)']],
  [["--once", "--socket", "a=relative"], ['--socket: "a=relative" is not NAME=/PATH (or NAME=/PATH,any)']],
  [["--once", "--node", "Node_1"], ['--node: "Node_1" is not a possible node name']],
  [["--once", "--output", "xml"], ["--output: is either json or text"]],
  [["--once", "--health-port", "0"], ['--health-port: "0" is not a port from 1 to 65535']],
  [["--once", "--conf-dir", "etc"], ['--conf-dir: "etc" is not an absolute path']],
  [["--once", "--cri-socket", "some"], ['--cri-socket: is neither an absolute path nor "none"']],
])("%j: %j", (argv, problems) => {
  expect(agentOptions(argv)).toEqual({ ok: false, problems });
});
