// SPDX-License-Identifier: Apache-2.0
//
// The agent's WebSocket with foreign clients: npm ws and a page in headless Chromium; sockets that
// drop and a daemon that is killed. Usage: node peers_test.mjs GANTRY SOURCE_DIR
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { after, before, test } from "node:test";

import { AgentClient, AgentDaemon, isLast } from "../../clients/agent.mjs";
import { Browser, WebSocket, opened } from "../../clients/chromium.mjs";

const [, , gantry, source] = process.argv;
const LOOK = { tools: { client_manifest: { version: 1, tools: [{ name: "look", description: "Look", schema: { type: "object" } }] } } };
const SCRIPT = "@script thinking Hm\n@script tool look {\"x\":1}\n@script reply Seen it";

/** A frame without what differs from run to run. */
const plain = (frame) => [frame.type, frame.payload.path, frame.payload.status].filter((part) => typeof part === "string").join(" ");

let daemon;
before(async () => { daemon = await AgentDaemon.start(gantry); });
after(() => daemon.stop());

for (const perMessageDeflate of [false, true]) {
  test(`npm ws has a turn with a tool, compression ${perMessageDeflate}`, async () => {
    const client = await AgentClient.connect(daemon, LOOK, { perMessageDeflate });
    client.query("q", SCRIPT, `plain-${perMessageDeflate}`);
    const before = await client.until((frame) => frame.type === "tool-call");
    assert.equal(before[0].type, "query-accepted");
    assert.equal(before.at(-1).payload.tool_name, "look");
    client.result(before.at(-1).payload.request_id, "a red door");
    const rest = await client.until(isLast);
    assert.equal(rest.findLast((frame) => frame.type === "streaming-complete").payload.final_response, "Seen it");
    await client.close();
  });
}

test("a message of 10 MiB is taken, and one a little larger is refused", async () => {
  const client = await AgentClient.connect(daemon);
  const query = (size) => {
    const text = JSON.stringify({ id: "big", type: "query", payload: { text: "@script reply ok", conversation_ref: "big", capture_meta: { pad: "" } } });
    return text.replace('"pad":""', `"pad":"${"x".repeat(size - text.length)}"`);
  };
  client.send(query(10 * 1024 * 1024 + 1));
  assert.match((await client.next()).payload.message, /^Message too large: 10485761 bytes/);
  client.send(query(10 * 1024 * 1024));
  const turn = await client.until(isLast);
  assert.equal(turn[0].type, "query-accepted");
  await client.close();
});

test("a client that does not read is not listened to, and misses nothing when it reads", async () => {
  const client = await AgentClient.connect(daemon);
  const many = 300_000;
  client.socket.pause();
  for (let i = 0; i < many; i += 1) client.socket.send('{"type":"no such"}');
  // Either all of it is taken, or at some time nothing is any more.
  let before = -1;
  while (client.socket.bufferedAmount > 0 && client.socket.bufferedAmount !== before) {
    before = client.socket.bufferedAmount;
    await new Promise((resolve) => { setTimeout(resolve, 2000); });
  }
  assert.ok(client.socket.bufferedAmount > 0, "its messages were taken, and their answers kept");
  client.socket.resume();
  for (let i = 0; i < many; i += 1) assert.equal((await client.next()).type, "error");
  await client.close();
});

test("a manifest of 64 tools", async () => {
  const tools = Array.from({ length: 64 }, (_, i) => ({ name: `tool_${i}`, description: `Tool ${i}`, schema: { type: "object" } }));
  const client = await AgentClient.connect(daemon, { tools: { mode: "client_only", client_manifest: { version: 1, tools } } });
  client.query("q", "@script reply ok", "many-tools");
  const turn = await client.until(isLast);
  assert.equal(turn.find((frame) => frame.type === "tool-schemas").payload.tool_schemas.length, 64);
  await client.close();
});

/** All frames of a turn, over as many sockets as it takes: `cut` says after which frame one drops. */
async function turnWithDrops(conversation, cut) {
  const turn = `turn-${conversation}`;
  const heard = [];
  let client = await AgentClient.connect(daemon, LOOK);
  client.query(turn, SCRIPT, conversation);
  for (;;) {
    const frame = await client.next();
    if (frame.turn_ref !== turn) continue;
    heard.push(frame);
    if (isLast(frame)) break;
    if (frame.type === "tool-call" && !cut(heard.length)) client.result(frame.payload.request_id, "a door");
    if (!cut(heard.length)) continue;
    await client.drop();
    client = await AgentClient.connect(daemon, { ...LOOK, metadata: { resume: { conversation_ref: conversation, after_sequence: frame.sequence } } });
    if (frame.type === "tool-call") client.result(frame.payload.request_id, "a door");
  }
  await client.close();
  assert.deepEqual(heard.map((frame) => frame.sequence), heard.map((_, i) => i + 1), "lost or doubled events");
  return heard;
}

test("a socket that drops after every event of a turn loses nothing", async () => {
  const whole = (await turnWithDrops("whole", () => false)).map(plain);
  const cut = (await turnWithDrops("cut-always", () => true)).map(plain);
  const pieces = (all) => all.filter((type, i) => type !== all[i - 1] || !/^(streaming-response|llm-thought)/.test(type));
  assert.deepEqual(pieces(cut), pieces(whole));
  for (let at = 1; at < whole.length; ++at) {
    const once = (await turnWithDrops(`cut-${at}`, (count) => count === at)).map(plain);
    assert.deepEqual(pieces(once), pieces(whole), `dropped after event ${at}`);
  }
});

test("a daemon that is killed keeps what it has told, and closes what was open", async () => {
  const client = await AgentClient.connect(daemon, LOOK);
  client.query("killed", SCRIPT, "killed");
  const before = await client.until((frame) => frame.type === "tool-call");
  await daemon.kill();
  await client.closed;
  await daemon.again();
  const seen = before.at(-1).sequence;
  const back = await AgentClient.connect(daemon, { ...LOOK, metadata: { resume: { conversation_ref: "killed", after_sequence: 0, turn_ref: "killed" } } });
  const after = await back.until(isLast);
  assert.deepEqual(after.slice(0, seen).map(plain), before.map(plain));
  assert.equal(after.at(-1).payload.status, "failed");
  assert.match(after.at(-2).payload.message, /restarted/);
  back.result(before.at(-1).payload.request_id, "too late");
  back.query("next", "@script show messages", "killed");
  const next = await back.until(isLast);
  assert.equal(next.findLast((frame) => frame.type === "streaming-complete").turn_ref, "next");
  await back.close();
});

test("the example of the documentation", async () => {
  const page = readFileSync(`${source}/docs/protocols/agent-backend.md`, "utf8");
  const code = /<!-- example: agent-ws -->\n```js\n([\s\S]*?)```/.exec(page)[1]
    .replace("How warm is it in the kitchen?", "@script tool read_thermometer {\\\"room\\\":\\\"kitchen\\\"}\\n@script show results");
  let said = "";
  const sandbox = { stdout: { write: (text) => { said += text; } } };
  const socket = new Function("WebSocket", "address", "token", "process", `${code}; return socket;`)(
    WebSocket, daemon.address, "any", sandbox);
  await new Promise((resolve) => socket.once("close", resolve));
  assert.match(said, /21\.5/);
});

test("foreign pages may not connect", async () => {
  const refused = new WebSocket(`ws://${daemon.address}/ws`, { origin: "https://evil.example" });
  await assert.rejects(opened(refused), /403/);
});

/** The samples of an audio-chunk, which stands beside the numbered events of its turn. */
function samplesOf(frame) {
  assert.deepEqual(Object.keys(frame.payload).sort(), ["audio", "sample_rate"]);
  assert.equal(frame.payload.sample_rate, 22050);
  for (const key of ["sequence", "event_id", "conversation_ref", "turn_ref"]) assert.equal(frame[key], undefined, key);
  const bytes = Buffer.from(frame.payload.audio, "base64");
  assert.equal(bytes.toString("base64"), frame.payload.audio);
  assert.equal(bytes.length % 2, 0);
  return new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

/** Frames until so many seconds of sound for `id` have come; what is no sound goes into `others`. */
async function hear(client, id, seconds, others = []) {
  const samples = [];
  while (samples.length < seconds * 22050) {
    const frame = await client.next();
    if (frame.type !== "audio-chunk") { others.push(frame); continue; }
    const some = samplesOf(frame);
    if (frame.id === id) samples.push(...some);
  }
  return samples;
}

const loudness = (samples) => Math.sqrt(samples.reduce((sum, one) => sum + one * one, 0) / samples.length);

test("npm ws hears an answer while it is written, and silence after a stop", async () => {
  const speaking = await AgentDaemon.start(gantry, { extra: ", defaults: {speech_mode_enabled: true}", plugins: ["tts_flite: {}"] });
  try {
    const client = await AgentClient.connect(speaking);
    const others = [];
    client.query("q", '@script chunks ["The first sentence is here. And the"]\n@script hang', "voice");
    const sound = await hear(client, "q", 1.2, others);
    assert.ok(loudness(sound) > 300, `too quiet: ${loudness(sound)}`);
    assert.deepEqual(others.slice(0, 3).map(plain), ["query-accepted accepted", "trace-event tts.playback started", "trace-event backend.stream started"]);
    assert.equal(others.at(-1).type, "streaming-response", "the turn is still being written");
    client.send({ id: "s", type: "stop-query", payload: { turn_ref: "q" } });
    const ack = (await client.until((frame) => frame.type === "stop-query-ack")).at(-1);
    assert.equal(ack.payload.status, "stopped");
    client.send({ id: "l", type: "load-settings", payload: {} });
    assert.equal((await client.next()).type, "settings-loaded", "nothing more is heard of what was stopped");

    client.send({ id: "w", type: "wakeword-detected", payload: {} });
    assert.equal((await client.next()).type, "wakeword-activated");
    assert.equal((await client.next()).type, "wakeword-greeting");
    await hear(client, "w", 1);

    client.query("q2", "@script reply One. Two. Three.", "voice");
    const turn = [];
    await hear(client, "q2", 1.2, turn);
    if (!turn.some(isLast)) turn.push(...(await client.until(isLast)).filter((frame) => frame.type !== "audio-chunk"));
    assert.equal(turn.findLast((frame) => frame.type === "streaming-complete").payload.final_response, "One. Two. Three.");
    await client.close();
  } finally {
    await speaking.stop();
  }
});

// What the page does; runs inside Chromium.
const PAGE = (address) => `(async () => {
  const socket = new WebSocket("ws://${address}/ws");
  const frames = [];
  await new Promise((resolve, reject) => { socket.onopen = resolve; socket.onerror = () => reject("refused"); });
  const done = new Promise((resolve, reject) => {
    socket.onclose = (e) => reject("closed " + e.code);
    socket.onmessage = (e) => {
      const frame = JSON.parse(e.data);
      frames.push(frame);
      if (frame.type === "tool-bundle") socket.send(JSON.stringify({ id: "b", type: "tool-bundle-result", payload: {
        bundle_id: frame.payload.bundle_id, status: "success",
        step_results: frame.payload.tools.map((tool) => ({ tool: tool.name, status: "ok", output: "saw " + JSON.stringify(tool.args) })) } }));
      if (frame.type === "streaming-complete") resolve(frame.payload.final_response);
    };
  });
  socket.send(JSON.stringify({ type: "handshake", user_id: "page", agent_definition: ${JSON.stringify(LOOK)} }));
  socket.send(JSON.stringify({ id: "q", type: "query", payload: { conversation_ref: "page",
    text: '@script batch [{"tool":"look","args":{"x":1}},{"tool":"look","args":{"x":2}}]\\n@script show results' } }));
  const final = await done;
  return { final, types: frames.map((frame) => frame.type) };
})()`;

test("a page in Chromium has a turn with a bundle of tools", async () => {
  const pages = createServer((_, answer) => answer.setHeader("Content-Type", "text/html").end("<!doctype html><title>agent</title>"));
  await new Promise((resolve) => pages.listen(0, "127.0.0.1", resolve));
  const browser = await Browser.launch();
  try {
    const page = await browser.page();
    await page.goto(`http://127.0.0.1:${pages.address().port}/`);
    const { final, types } = await page.evaluate(PAGE(daemon.address));
    assert.match(final, /"x":1/);
    assert.match(final, /"x":2/);
    assert.deepEqual(types.slice(0, 3), ["client-tool-manifest", "remote-tool-catalog", "query-accepted"]);
    assert.deepEqual(page.complaints.filter((text) => !/favicon/.test(text)), []);
  } finally {
    await browser.close();
    pages.close();
  }
});
