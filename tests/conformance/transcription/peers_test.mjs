// SPDX-License-Identifier: Apache-2.0
//
// The transcription WebSocket with npm ws, over a daemon of its own: a recorded voice through
// PocketSphinx, and servers of the test in the places of OpenAI and of another gateway.
// Usage: node peers_test.mjs GANTRY
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createServer, get } from "node:http";
import { createRequire } from "node:module";
import path from "node:path";
import { test } from "node:test";

import { WebSocket, opened } from "../../clients/chromium.mjs";
import { Daemon } from "../../clients/daemon.mjs";
import { eventually } from "../../clients/eventually.mjs";

const [, , gantry] = process.argv;
const { WebSocketServer } = createRequire(path.join(process.env.GANTRY_NODE_MODULES, "package.json"))("ws");
const CLIP = "/usr/share/pocketsphinx/test/data/goforward.raw";

const start = (plugins) => new Daemon().begin(gantry, "speech", () => `profile: empty
plugins:
  transport: {}
${plugins}`, /transcription WebSocket ready.*?http:\/\/([^\s"]+)/);

const frame = (samples, metadata = '{"sampleRate":16000}') => {
  const head = Buffer.alloc(4);
  head.writeUInt32LE(metadata.length);
  return Buffer.concat([head, Buffer.from(metadata), samples]);
};

class Client {
  static async connect(daemon, options = {}) {
    const client = new Client();
    client.heard = [];
    client.wake = () => {};
    client.socket = new WebSocket(`ws://${daemon.address}/ws/transcription`, options);
    client.socket.on("message", (data, binary) => {
      assert.equal(binary, false);
      client.heard.push(JSON.parse(String(data)));
      client.wake();
    });
    client.closed = new Promise((resolve) => client.socket.once("close", (code) => {
      client.over = true;
      client.wake();
      resolve(code);
    }));
    await opened(client.socket);
    assert.match((await client.until((one) => one.type === "status")).client_id, /^[0-9a-f]{32}$/);
    return client;
  }
  async until(wanted) {
    for (let at = 0; ; ++at) {
      while (at >= this.heard.length) {
        if (this.over) throw new Error(`closed after ${JSON.stringify(this.heard)}`);
        await new Promise((resolve) => { this.wake = resolve; });
      }
      if (wanted(this.heard[at])) return this.heard[at];
    }
  }
  say(sound, size = 3200, metadata = undefined) {
    for (let at = 0; at < sound.length; at += size) this.socket.send(frame(sound.subarray(at, at + size), metadata));
  }
  finals() {
    return this.heard.filter((one) => one.is_final).map((one) => one.text).join(" ");
  }
}

const clip = existsSync(CLIP) ? readFileSync(CLIP) : undefined;

/** A recording with bad frames before it. */
function sendWithBad(client) {
  for (const bad of [Buffer.alloc(3), frame(Buffer.alloc(4), "{"), frame(Buffer.alloc(3)), frame(Buffer.alloc(4), "[]"), frame(Buffer.alloc(4), '{"sampleRate":1}')]) {
    client.socket.send(bad);
  }
  client.socket.send("nonsense");
  client.say(clip, 6400);
}

test("a recorded voice, in frames of every size, and closed right after the last one", { skip: !clip }, async (t) => {
  const daemon = await start("  stt_pocketsphinx: {config: {sessions: 1, vocabulary: [go forward ten meters]}}\n  transcription_ws: {config: {port: 0, final_timeout: 60s}}\n");
  t.after(() => daemon.stop());
  // Nothing but its close follows the last frame: the final still comes.
  const client = await Client.connect(daemon);
  client.say(clip, 1000);
  client.socket.close();
  assert.equal(await client.closed, 1000);
  assert.match(client.finals(), /go forward ten meters/);
  assert.equal(client.heard.at(-1).type, "utterance_end");
  const partials = client.heard.filter((one) => one.is_final === false);
  assert.ok(partials.length > 2);

  // Bad frames between good ones, with compression, and the end by silence of the client.
  let second;
  for (let turn = 0; ; ++turn) {
    second = await Client.connect(daemon, { perMessageDeflate: true });
    sendWithBad(second);
    try {
      await second.until((one) => one.type === "utterance_end");
      break;
    } catch (error) {
      // The engine of the first one may not have been given back yet.
      if (turn === 50 || !error.message.includes("resource_exhausted")) throw error;
    }
  }
  assert.match(second.finals(), /go forward ten meters/);
  assert.equal(second.heard.filter((one) => one.type === "error").length, 3);

  // The engine has room for one.
  const third = await Client.connect(daemon);
  const error = await third.until((one) => one.type === "error");
  assert.equal(error.code, "resource_exhausted");
  assert.equal(await third.closed, 1000);

  // An upgrade from a page elsewhere is refused.
  await assert.rejects(Client.connect(daemon, { headers: { Origin: "http://evil.example" } }), /403/);
  second.socket.close();
  await second.closed;
});

test("a handshake that is none is refused in the protocol's words", async (t) => {
  const daemon = await start('  stt_proxy: {config: {url: "ws://127.0.0.1:1/"}}\n  transcription_ws: {config: {port: 0, provider: stt_proxy}}\n');
  t.after(() => daemon.stop());
  const headers = { Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "short" };
  const answer = await new Promise((resolve, reject) => {
    get(`http://${daemon.address}/ws/transcription`, { headers }, resolve).on("error", reject);
  });
  const body = Buffer.concat(await answer.toArray()).toString();
  assert.equal(answer.statusCode, 400);
  assert.deepEqual(Object.keys(JSON.parse(body)), ["detail"]);
});

test("the example of the documentation", { skip: !clip }, async (t) => {
  const daemon = await start("  stt_pocketsphinx: {config: {vocabulary: [go forward ten meters]}}\n  transcription_ws: {config: {port: 0, final_timeout: 60s}}\n");
  t.after(() => daemon.stop());
  const page = readFileSync(new URL("../../../docs/protocols/agent-backend.md", import.meta.url), "utf8");
  const code = /<!-- example: transcription -->\n```js\n([\s\S]*?)```/.exec(page)[1];
  let said = "";
  const sandbox = { stdout: { write: (text) => { said += text; } } };
  const socket = new Function("WebSocket", "address", "sound", "process", `${code}; return socket;`)(
    WebSocket, daemon.address, clip, sandbox);
  await new Promise((resolve) => socket.once("close", resolve));
  assert.match(said, /go forward ten meters\n/);
});

test("no recogniser: the client is told and closed", async (t) => {
  const daemon = await start("  transcription_ws: {config: {port: 0}}\n");
  t.after(() => daemon.stop());
  const client = await Client.connect(daemon);
  assert.equal((await client.until((one) => one.type === "error")).code, "unavailable");
  assert.equal(await client.closed, 1000);
});

/** A WebSocket server whose every connection is handed to `talk(socket, request)`. */
async function serve(t, talk) {
  const http = createServer();
  const server = new WebSocketServer({ server: http });
  server.on("connection", talk);
  await new Promise((resolve) => http.listen(0, "127.0.0.1", resolve));
  t.after(() => { server.close(); http.close(); http.closeAllConnections(); });
  return http.address().port;
}

test("the realtime protocol, with a server of the test in OpenAI's place", async (t) => {
  const seen = { types: [], bytes: 0 };
  const port = await serve(t, (socket, request) => {
    seen.url = request.url;
    seen.key = request.headers.authorization;
    const tell = (event) => socket.send(JSON.stringify(event));
    const heard = (type, rest) => tell({ type: `conversation.item.input_audio_transcription.${type}`, item_id: "item_1", ...rest });
    socket.on("message", (data) => {
      const event = JSON.parse(String(data));
      seen.types.push(event.type);
      if (event.type === "session.update") {
        seen.session = event.session;
        tell({ type: "session.updated" });
      }
      if (event.type === "input_audio_buffer.append") seen.bytes += Buffer.from(event.audio, "base64").length;
      if (event.type === "input_audio_buffer.commit") {
        tell({ type: "input_audio_buffer.committed", item_id: "item_1" });
        socket.ping();
        heard("delta", { delta: "Guten " });
        heard("delta", { delta: "Tag" });
        heard("completed", { transcript: "Guten Tag." });
      }
    });
  });
  const daemon = await start(`  stt_openai: {config: {base_url: "http://127.0.0.1:${port}/v1", api_key: key-1}}\n  transcription_ws: {config: {port: 0, provider: stt_openai, language: de}}\n`);
  t.after(() => daemon.stop());
  const client = await Client.connect(daemon);
  client.say(Buffer.alloc(32000));
  client.socket.close();
  assert.equal(await client.closed, 1000);
  assert.deepEqual(client.heard.slice(1), [
    { type: "realtime", text: "Guten ", is_final: false },
    { type: "realtime", text: "Guten Tag", is_final: false },
    { type: "realtime", text: "Guten Tag.", is_final: true },
    { type: "utterance_end" },
  ]);
  assert.equal(seen.url, "/v1/realtime?model=gpt-realtime");
  assert.equal(seen.key, "Bearer key-1");
  assert.equal(seen.session.audio.input.transcription.language, "de");
  assert.ok(Math.abs(seen.bytes - 48000) < 200, `${seen.bytes} bytes at 24 kHz`);
});

test("another gateway, in Nova mode", async (t) => {
  const seen = [];
  const port = await serve(t, (socket) => {
    socket.send(JSON.stringify({ type: "status", client_id: "0".repeat(32) }));
    socket.on("message", (data, binary) => {
      if (!binary) return seen.push(JSON.parse(String(data)));
      seen.push(data.length);
      if (data.length > 10000) {
        socket.send(JSON.stringify({ type: "realtime", text: "from afar", is_final: true }));
        socket.send(JSON.stringify({ type: "utterance_end" }));
      }
    });
  });
  const daemon = await start(`  stt_proxy: {config: {url: "ws://127.0.0.1:${port}/ws/transcription"}}\n  transcription_ws: {config: {port: 0, provider: stt_proxy}}\n`);
  t.after(() => daemon.stop());
  const client = await Client.connect(daemon);
  client.socket.send(JSON.stringify({ type: "set_langs", source_language: "fr" }));
  client.say(Buffer.alloc(3200));
  client.socket.send(JSON.stringify({ type: "start_over" }));
  client.say(Buffer.alloc(3200));
  client.socket.close();
  assert.equal(await client.closed, 1000);
  assert.equal(client.finals(), "from afar");
  const languages = seen.filter((one) => one.type === "set_langs").map((one) => one.source_language);
  assert.equal(languages.at(-1), "fr");
  assert.equal(seen.filter((one) => one.type === "start_over").length, 1);
  assert.deepEqual(seen.filter((one) => typeof one === "number"), [3224, 3224, 32024]);
});

test("another gateway that reads slowly: the client is held back, and nothing is lost", async (t) => {
  const sound = Buffer.alloc(20000000);
  let bytes = 0;
  let far;
  const port = await serve(t, (socket) => {
    socket.pause();
    socket.on("message", (data, binary) => { if (binary) bytes += data.length - 24; });
    far = socket;
  });
  const daemon = await start(`  stt_proxy: {config: {url: "ws://127.0.0.1:${port}/ws/transcription"}}\n  transcription_ws: {config: {port: 0, provider: stt_proxy, pause_flush: 60s}}\n`);
  t.after(() => daemon.stop());
  const client = await Client.connect(daemon);
  client.say(sound, 50000);
  await eventually("the gateway is reached", () => far);
  let last;
  let same = 0;
  await eventually("nothing more goes out", () => {
    same = client.socket.bufferedAmount === last ? same + 1 : 0;
    last = client.socket.bufferedAmount;
    return client.over || same > 100;
  });
  far.resume();
  await eventually("all of it arrives", () => client.over || bytes === sound.length);
  assert.equal(bytes, sound.length, JSON.stringify(client.heard));
});

test("a key that is wrong, and a server that is not there", async (t) => {
  const http = createServer();
  http.on("upgrade", (request, socket) => socket.end("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n"));
  await new Promise((resolve) => http.listen(0, "127.0.0.1", resolve));
  t.after(() => { http.close(); http.closeAllConnections(); });
  const daemon = await start(`  stt_openai: {config: {base_url: "http://127.0.0.1:${http.address().port}", api_key: wrong}}\n  stt_proxy: {config: {url: "ws://127.0.0.1:1/"}}\n  transcription_ws: {config: {port: 0, provider: stt_openai}}\n`);
  t.after(() => daemon.stop());
  const client = await Client.connect(daemon);
  const error = await client.until((one) => one.type === "error");
  assert.equal(error.code, "unavailable");
  assert.match(error.message, /401/);
  assert.equal(error.message.includes("wrong"), false);
  assert.equal(await client.closed, 1000);
});
