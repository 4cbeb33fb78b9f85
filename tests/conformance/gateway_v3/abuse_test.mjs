// SPDX-License-Identifier: Apache-2.0
//
// Sockets of the gateway that stop reading, go away or are taken back in the middle of what they
// asked for: nobody else hears less, nothing comes twice, and nothing of them stays.
// Usage: node abuse_test.mjs GANTRY
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { eventually } from "../../clients/eventually.mjs";
import { GatewayClient, GatewayDaemon } from "../../clients/gateway.mjs";

const [, , gantry] = process.argv;
const LARGE = `@script chunks ["${"漢".repeat(30000)}"]`;
const LONG = `@script chunks ${JSON.stringify(Array(2000).fill("word "))} every 20ms`;
const PLAIN = { perMessageDeflate: false };

let daemon;
let admin;
before(async () => {
  daemon = await GatewayDaemon.start(gantry);
  admin = await GatewayClient.connect(daemon, { user_id: "root" });
});
after(() => daemon.stop());

/** A key of a user, whose sockets see that user's sessions alone. */
async function key_of(user) {
  const made = await admin.call("api_keys.create", { name: user, owner_id: user, scopes: ["operator.read", "operator.write"] });
  return made.payload;
}

const enter = (key) => GatewayClient.connect(daemon, { token: key.key }, PLAIN);
const session = (name) => `agent:default:ws:direct:${name}`;
const of_session = (sessionKey) => (frame) => frame.event === "agent" && frame.payload.sessionKey === sessionKey;

/** Whose sockets are open. */
async function open_of(user) {
  return (await admin.call("health")).payload.clients.filter((client) => client.userId === user).length;
}

/** What a socket heard of a session: each once, in its order. */
function heard(client, sessionKey) {
  const seqs = client.frames.filter(of_session(sessionKey)).map((frame) => frame.seq);
  assert.deepEqual(seqs, [...new Set(seqs)].sort((a, b) => a - b));
  return seqs.length;
}

/** More than a socket's buffers hold. */
async function fill(client, sessionKey) {
  for (let i = 0; i < 100; ++i) {
    assert.equal((await client.call("chat.send", { sessionKey, message: LARGE })).ok, true);
    client.frames = [];
    admin.frames = [];
  }
}

test("who does not read what it asked for once more is closed when its key is taken back", async () => {
  const key = await key_of("mia");
  const writer = await enter(key);
  await fill(writer, session("mia"));
  const waiting = await Promise.all(Array.from({ length: 5 }, () => enter(key)));
  for (const one of waiting) {
    one.socket.pause();
    one.request("chat.resume", { sessionKey: session("mia"), lastSeq: 0 });
  }
  // It is answered, so the others wait for their clients.
  assert.equal((await writer.call("chat.resume", { sessionKey: session("mia"), lastSeq: 0 })).ok, true);
  const all = heard(writer, session("mia"));
  assert.equal((await admin.call("api_keys.revoke", { id: key.id })).ok, true);
  for (const one of waiting) one.socket.resume();
  const closed = await Promise.all([writer, ...waiting].map((one) => one.closed));
  assert.deepEqual(closed.map(({ code }) => code), Array(6).fill(1008));
  for (const one of waiting) assert.ok(heard(one, session("mia")) <= all);
  assert.equal(await open_of("mia"), 0);
});

test("who goes in the middle of a replay leaves nothing, and the run goes on for the others", async () => {
  const key = await key_of("noa");
  const sessionKey = session("noa");
  const writer = await enter(key);
  await fill(writer, sessionKey);
  const running = writer.request("chat.send", { sessionKey, message: LONG });
  for (let i = 0; i < 20; ++i) {
    const gone = await enter(key);
    gone.socket.pause();
    gone.request("chat.resume", { sessionKey, lastSeq: 0 });
    gone.socket.terminate();
    await gone.closed;
  }
  assert.equal((await writer.call("chat.abort", { sessionKey })).ok, true);
  assert.equal((await writer.answer(running)).payload.cancelled, true);
  assert.ok(heard(writer, sessionKey) > 1);
  await eventually("one socket", async () => (await open_of("noa")) === 1);
  await writer.close();
});

test("a key that is taken back while a new chat is kept back, and while one streams", async () => {
  const key = await key_of("ole");
  const page = await GatewayClient.connect(daemon, { token: key.key, protocolVersion: 3 }, PLAIN);
  const other = await enter(key);
  page.request("chat.send", { sessionKey: session("held"), message: LONG });
  await other.take((frame) => of_session(session("held"))(frame) && frame.payload.type === "chunk");
  other.request("chat.send", { sessionKey: session("streams"), message: LONG });
  await other.take((frame) => of_session(session("streams"))(frame) && frame.payload.type === "chunk");
  assert.equal((await admin.call("api_keys.revoke", { id: key.id })).ok, true);
  assert.deepEqual((await Promise.all([page.closed, other.closed])).map(({ code }) => code), [1008, 1008]);
  // Runs go on without their clients; somebody inside ends them.
  for (const name of ["held", "streams"]) assert.equal((await admin.call("chat.abort", { sessionKey: session(name) })).payload.aborted, true, name);
});

test("a socket that becomes somebody else hears nothing more of who it was", async () => {
  const [was, is] = [await key_of("pam"), await key_of("quy")];
  const turning = await enter(was);
  const stays = await enter(was);
  const sessionKey = session("pam");
  const sent = turning.request("chat.send", { sessionKey, message: LONG });
  await turning.take((frame) => of_session(sessionKey)(frame) && frame.payload.type === "chunk");
  assert.equal((await turning.call("connect", { token: is.key })).payload.user_id, "quy");
  turning.frames = [];
  stays.frames = [];
  for (let heard = 0; heard < 20; ++heard) await stays.take(of_session(sessionKey));
  assert.equal((await turning.call("chat.history", { sessionKey })).ok, false);
  assert.deepEqual(turning.frames.filter((frame) => frame.type === "event"), []);
  assert.equal((await stays.call("chat.abort", { sessionKey })).payload.aborted, true);
  assert.equal((await turning.answer(sent)).error.code, "UNAUTHORIZED");
  await turning.close();
  await stays.close();
});
