// SPDX-License-Identifier: Apache-2.0
//
// Devices of the gateway: they are let in by a code, kept over a daemon that is killed, and neither
// their names nor the token can be guessed. Usage: node devices_test.mjs GANTRY
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { GatewayClient, GatewayDaemon, TOKEN } from "../../clients/gateway.mjs";

const gantry = process.argv[2];

let daemon;
before(async () => { daemon = await GatewayDaemon.start(gantry); });
after(() => daemon.stop());

/** A device that asks to be let in: its socket, its code, and its name. */
async function paired(user) {
  const asking = await GatewayClient.open(daemon);
  const { payload } = await asking.call("connect", { user_id: user });
  return { asking, code: payload.pairing_code, sender: payload.sender_id };
}

test("pairing by the command line", async () => {
  const { asking, code, sender } = await paired("cleo");
  const listed = await daemon.command("pair", "list");
  assert.equal(listed.code, 0, listed.out);
  assert.match(listed.out, new RegExp(`waiting +${code} +${sender} +browser +cleo`));
  assert.match((await daemon.command("pair", "approve", code)).out, new RegExp(`paired browser ${sender}`));
  assert.equal((await asking.call("browser.pairing.status", { sender_id: sender })).payload.status, "approved");
  const socket = await GatewayClient.connect(daemon, { token: "", user_id: "cleo", sender_id: sender });
  assert.equal(socket.hello.payload.role, "operator");
  assert.match((await daemon.command("pair", "revoke", sender)).out, /revoked browser/);
  assert.equal((await socket.closed).code, 1008);
  const again = await daemon.command("pair", "approve", code);
  assert.equal(again.code, 1);
  assert.match(again.out, /not found or expired/);
  const turned = await paired("cleo");
  assert.match((await daemon.command("pair", "deny", turned.code)).out, /turned away browser/);
  assert.equal((await daemon.command("pair", "what")).code, 64);
  await asking.close();
  await turned.asking.close();
});

test("a device that is being let in is never told that its code has ended", async () => {
  const { asking, code, sender } = await paired("gil");
  const admin = await GatewayClient.connect(daemon);
  const approving = admin.call("device.pair.approve", { code });
  for (let status = ""; status !== "approved";) {
    status = (await asking.call("browser.pairing.status", { sender_id: sender })).payload.status;
    assert.ok(status === "pending" || status === "approved", status);
  }
  assert.equal((await approving).ok, true);
  await asking.close();
  await admin.close();
});

test("sessions, their owners and devices outlive a daemon that is killed", async () => {
  const key = "agent:default:ws:direct:kept";
  const { asking, code, sender } = await paired("dora");
  const admin = await GatewayClient.connect(daemon);
  assert.equal((await admin.call("device.pair.approve", { code })).ok, true);
  const dora = await GatewayClient.connect(daemon, { token: "", user_id: "dora", sender_id: sender });
  assert.equal((await dora.call("chat.send", { sessionKey: key, message: "@script reply kept" })).payload.content, "kept");
  await daemon.kill();
  await Promise.all([asking.closed, admin.closed, dora.closed]);
  await daemon.again();
  const again = await GatewayClient.connect(daemon, { token: "", user_id: "dora", sender_id: sender });
  assert.equal(again.hello.payload.role, "operator");
  assert.deepEqual((await again.call("chat.history", { sessionKey: key })).payload.messages.map((row) => row.content), ["@script reply kept", "kept"]);
  const other = await GatewayClient.withKey(daemon, ["operator.write"], "other");
  assert.equal((await other.call("chat.send", { sessionKey: key, message: "x" })).error.message, "permission denied: session");
  await again.close();
  await other.close();
});

test("codes of devices that wait outlive a daemon that is killed", async () => {
  const { code, sender } = await paired("erin");
  const denied = await paired("fay");
  let admin = await GatewayClient.connect(daemon);
  assert.deepEqual((await admin.call("device.pair.deny", { code: denied.code })).payload, { denied: true });
  await daemon.kill();
  await daemon.again();
  admin = await GatewayClient.connect(daemon);
  const { pending } = (await admin.call("device.pair.list")).payload;
  assert.deepEqual(pending.map((row) => [row.code, row.sender_id, row.user_id]), [[code, sender, "erin"]]);
  assert.equal((await admin.call("device.pair.approve", { code })).ok, true);
  assert.equal((await admin.call("device.pair.approve", { code })).error.code, "NOT_FOUND");
  await daemon.kill();
  await daemon.again();
  admin = await GatewayClient.connect(daemon);
  assert.deepEqual((await admin.call("device.pair.list")).payload.pending, []);
  const device = await GatewayClient.connect(daemon, { token: "", sender_id: sender });
  assert.equal(device.hello.payload.user_id, "erin");
  await device.close();
  await admin.close();
});

test("names of devices cannot be guessed", async () => {
  const guessed = await GatewayDaemon.start(gantry);
  try {
    const stranger = await GatewayClient.open(guessed);
    const codes = new Set();
    const guesses = Array.from({ length: 200 }, (_, i) => stranger.request("connect", { sender_id: `device-${i}` }));
    for (const guess of guesses) {
      const answer = await stranger.answer(guess);
      codes.add(answer.error?.code ?? answer.payload.status);
    }
    assert.deepEqual([...codes], ["pending_pairing", "RESOURCE_EXHAUSTED"]);
    await GatewayClient.connect(guessed);  // who has the token is not held up
  } finally {
    await guessed.stop();
  }
});

test("the gateway's token cannot be guessed from one address", async () => {
  const guessed = await GatewayDaemon.start(gantry);
  try {
    const socket = await GatewayClient.open(guessed);
    const answers = [];
    for (let i = 0; i < 80; ++i) answers.push((await socket.call("connect", { token: `guess-${i}`, user_id: "x" })).error.code);
    assert.equal(answers[0], "UNAUTHORIZED");
    assert.equal(answers.at(-1), "RESOURCE_EXHAUSTED");
    // Not even the right one, so that a guess tells nothing.
    assert.equal((await socket.call("connect", { token: TOKEN, user_id: "x" })).error.code, "RESOURCE_EXHAUSTED");
    await socket.close();
  } finally {
    await guessed.stop();
  }
});
