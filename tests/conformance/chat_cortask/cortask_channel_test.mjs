// SPDX-License-Identifier: Apache-2.0
//
// The webhook channel beside Cortask's chat: signed messages in, signed answers out, and what the
// sockets hear of it. Usage: node cortask_channel_test.mjs GANTRY SOURCE_DIR
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import { after, before, test } from "node:test";

import { CortaskClient, CortaskDaemon } from "../../clients/cortask.mjs";
import { eventually } from "../../clients/eventually.mjs";

const [, , gantry] = process.argv;
const SECRET = "a secret of sixteen bytes";
const sign = (time, body) => `sha256=${createHmac("sha256", SECRET).update(`${time}.${body}`).digest("hex")}`;

let daemon, server, hook;
const answers = [];
const waiting = [];

/** The next answer that is posted. */
async function answer() {
  while (answers.length === 0) await new Promise((resolve) => waiting.push(resolve));
  return answers.shift();
}

/** Posts a message as a program would. */
function post(message, { time = Math.floor(Date.now() / 1000), signature } = {}) {
  const body = JSON.stringify(message);
  return fetch(`http://${hook}/webhook`, { method: "POST", body, headers: { "content-type": "application/json",
    "x-gantry-timestamp": String(time), "x-gantry-signature": signature ?? sign(time, body) } });
}

before(async () => {
  server = createServer((request, reply) => {
    let body = "";
    request.on("data", (part) => { body += part; }).on("end", () => {
      answers.push({ headers: request.headers, body });
      waiting.splice(0).forEach((wake) => wake());
      reply.end("{}");
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  daemon = await CortaskDaemon.start(gantry, `  channel_webhook: {config: {port: 0, secret: ${SECRET}, workspace: shop, url: "http://127.0.0.1:${server.address().port}/"}}\n`);
  for (;;) {
    hook = /webhook ready.*?http:\/\/([^\s"]+)/.exec(daemon.log)?.[1];
    if (hook) break;
    await new Promise((resolve) => daemon.process.stderr.once("data", resolve));
  }
});
after(async () => { await daemon.stop(); server.close(); });

test("a signed message is answered by a signed request, and sockets hear of the session", async () => {
  const client = await CortaskClient.connect(daemon);
  const taken = await post({ chat: "order 7", id: "m1", text: "@script reply It is on its way" });
  assert.equal(taken.status, 202);
  assert.deepEqual(await taken.json(), { accepted: true, session_key: "webhook-order 7" });
  const { headers, body } = await answer();
  assert.deepEqual(JSON.parse(body), { chat: "order 7", text: "It is on its way", in_reply_to: "m1", error: "" });
  assert.equal(headers["x-gantry-signature"], sign(headers["x-gantry-timestamp"], body));
  assert.deepEqual(await client.next(), { type: "session:refresh", workspaceId: "shop" });
  await client.close();
});

test("the next message of a chat goes on with its session", async () => {
  await post({ chat: "memory", text: "@script reply one" });
  await answer();
  await post({ chat: "memory", text: "@script show messages" });
  assert.match(JSON.parse((await answer()).body).text, /one/);
});

test("what a message uses is counted", async () => {
  const usage = async () => (await daemon.get("/api/usage?period=daily")).totalTokens;
  const before = await usage();
  await post({ chat: "counted", text: '@script usage {"prompt_tokens": 3, "output_tokens": 4}\n@script reply x' });
  await answer();
  assert.equal(await usage(), before + 7);
});

test("a turn that fails is an answer too", async () => {
  await post({ chat: "fails", id: "m2", text: "@script error bad_request no luck" });
  const said = JSON.parse((await answer()).body);
  assert.equal(said.text, "");
  assert.match(said.error, /no luck/);
});

for (const [what, status, message, options] of [
  ["a wrong signature", 401, { chat: "a", text: "x" }, { signature: `sha256=${"0".repeat(64)}` }],
  ["a signature of an hour ago", 401, { chat: "a", text: "x" }, { time: Math.floor(Date.now() / 1000) - 3600 }],
  ["a message without a chat", 400, { text: "x" }, {}],
  ["a message without words", 400, { chat: "a" }, {}],
]) {
  test(`${what} is refused`, async () => {
    const refused = await post(message, options);
    assert.equal(refused.status, status);
    assert.ok((await refused.json()).error);
  });
}

test("the same request is taken once", async () => {
  const time = Math.floor(Date.now() / 1000);
  assert.equal((await post({ chat: "once", text: "@script reply x" }, { time })).status, 202);
  assert.equal((await post({ chat: "once", text: "@script reply x" }, { time })).status, 401);
  await answer();
});

test("the channel is listed, stopped and started, and every socket hears it", async () => {
  const clients = await Promise.all([CortaskClient.connect(daemon), CortaskClient.connect(daemon)]);
  assert.deepEqual((await daemon.get("/api/channels"))[0], { id: "webhook", name: "Webhook", running: true, authenticated: true, installed: true });
  const turn = (to) => fetch(`http://${daemon.address}/api/channels/webhook/${to}`, { method: "POST" });
  assert.equal((await (await turn("stop")).json()).running, false);
  for (const client of clients) assert.deepEqual(await client.next(), { type: "channel:status", channelId: "webhook", running: false, authenticated: false });
  assert.equal((await post({ chat: "a", text: "x" })).status, 503);
  assert.equal((await (await turn("start")).json()).running, true);
  for (const client of clients) assert.deepEqual(await client.next(), { type: "channel:status", channelId: "webhook", running: true, authenticated: true });
  await Promise.all(clients.map((client) => client.close()));
});

test("with a short secret the channel does not run, and the log says why", async () => {
  const other = await CortaskDaemon.start(gantry, "  channel_webhook: {config: {port: 0, secret: short}}\n");
  try {
    const why = await eventually("the reason", () => /WARN +channel_webhook: the channel does not run.*/.exec(other.log)?.[0]);
    assert.match(why, /16 bytes or more/);
    const at = /webhook ready.*?http:\/\/([^\s"]+)/.exec(other.log)[1];
    const refused = await fetch(`http://${at}/webhook`, { method: "POST", body: "{}", headers: { "content-type": "application/json" } });
    assert.equal(refused.status, 503);
    assert.match((await refused.json()).error, /there is no secret of 16 bytes or more/);
  } finally {
    await other.stop();
  }
});
