import { X509Certificate } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { ORDER_VALID_MS, type WorkOrder } from "../../domain/actions/work-order";
import { makeAuthority, type KeyPair } from "../../pki";
import { signed } from "../../sources/agent/work";
import { checkSigned, DeskError } from "./desk";
import { checkOrder } from "./order";

const NOW = Date.UTC(2026, 10, 30, 20);
const NONCE = "n".repeat(24);
const VALIDITY = { notBeforeMs: NOW - 1_000, notAfterMs: NOW + 86_400_000 };
const own = { node: "node-1", actions: ["purge-dead-sandboxes"], nowMs: NOW } as const;
const order: WorkOrder = { id: "0d7f4c2e-9b0a", node: "node-1", action: "purge-dead-sandboxes", dry: false, planVersion: "v1", requestedBy: "anna", issuedMs: NOW - 1_000, expiresMs: NOW - 1_000 + ORDER_VALID_MS, params: { parallel: 1 }, objects: ["a"] };

describe("an order is taken only as it was made, where, when and for what", () => {
  it("taken", () => {
    expect(checkOrder(order, own)).toEqual({ ok: true, order });
  });

  it.each([
    ["for another node", { node: "node-2" }, /for node node-2, and this is node-1/],
    ["an action that is not enabled", { action: "move-busy-shim-aside" }, /not started with --enable-actions move-busy-shim-aside/],
    ["an action that is none", { action: "__proto__" }, /not understood \(action\)/],
    ["expired", { expiresMs: NOW }, /expired/],
    ["from the future", { issuedMs: NOW + 60_000 }, /from the future/],
    ["an id that is a path", { id: "../../../etc/passwd" }, /not understood \(id\)/],
    ["more objects than an order has", { objects: Array.from({ length: 1_001 }, String) }, /not understood \(objects\)/],
    ["more at a time than four", { params: { parallel: 5 } }, /not understood \(params.parallel\)/],
    ["no order at all", undefined, /not understood/],
  ])("refused: %s", (_what, over, reason) => {
    const value = over === undefined ? "order" : { ...order, ...over };
    expect(checkOrder(value, own)).toEqual({ ok: false, reason: expect.stringMatching(reason) });
  });
});

describe("an answer is the server's own, for this asking", () => {
  let authority: KeyPair;
  let other: KeyPair;
  beforeAll(async () => {
    [authority, other] = await Promise.all([makeAuthority("Sandglass", VALIDITY), makeAuthority("Sandglass", VALIDITY)]);
  });
  const check = (answer: unknown, nonce = NONCE) => checkSigned(typeof answer === "string" ? answer : JSON.stringify(answer), [new X509Certificate(authority.certPem)], nonce);
  const payload = { nonce: NONCE, sentMs: NOW, order };

  it("taken", () => {
    expect(check(signed(payload, authority.keyPem))).toMatchObject(payload);
  });

  it("refused: signed by another authority, changed on the way, without a signature, or another asking's", () => {
    const good = signed(payload, authority.keyPem);
    expect(() => check(signed(payload, other.keyPem))).toThrow(DeskError);
    expect(() => check({ ...good, payload: good.payload.replace("node-1", "node-2") })).toThrow(/not signed by the authority/);
    expect(() => check({ ...good, signature: "" })).toThrow(/not signed by the authority/);
    expect(() => check({ version: 1, payload: good.payload })).toThrow(/not a signed one/);
    expect(() => check("<html>")).toThrow(/not a signed one/);
    expect(() => check(good, "m".repeat(24))).toThrow(/for another asking/);
  });
});
