/*
 * The only name server of a test run: it knows no name, says so at once, and writes down who was asked for, unless it is
 * this machine (which not every /etc/hosts has for both families). Started by
 * test-namespace.sh with the file to write to; prints "ready" when it listens.
 */
import dgram from "node:dgram";
import { appendFileSync } from "node:fs";

const ADDRESS = "127.0.0.53";
const HEADER_BYTES = 12;
const NXDOMAIN = 3;
const [file] = process.argv.slice(2);

function nameIn(query) {
  const labels = [];
  for (let at = HEADER_BYTES; query[at] > 0; at += query[at] + 1) labels.push(query.toString("latin1", at + 1, at + 1 + query[at]));
  return labels.join(".");
}

const server = dgram.createSocket("udp4");
server.on("message", (query, from) => {
  if (query.length <= HEADER_BYTES) return;
  const name = nameIn(query).toLowerCase();
  if (!/(^|\.)localhost$/.test(name)) appendFileSync(file, `${name}\n`);
  const answer = Buffer.from(query);
  answer[2] |= 0x80; // an answer
  answer[3] = 0x80 | NXDOMAIN; // recursion available, no such name
  answer.fill(0, 6, HEADER_BYTES); // no records
  server.send(answer.subarray(0, endOfQuestion(query)), from.port, from.address);
});
server.bind(53, ADDRESS, () => process.stdout.write("ready\n"));

function endOfQuestion(query) {
  let at = HEADER_BYTES;
  while (query[at] > 0) at += query[at] + 1;
  return at + 5; // the closing zero, type and class
}
