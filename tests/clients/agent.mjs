// SPDX-License-Identifier: Apache-2.0
//
// A daemon with the agent as a process of its own, on a free port, with the scripted model; and a
// client of its WebSocket over npm ws.
import assert from "node:assert/strict";

import { WebSocket, opened } from "./chromium.mjs";
import { Daemon } from "./daemon.mjs";
import { within } from "./eventually.mjs";

const CONFIG = (folder, extra, plugins) => `profile: empty
plugins:
  transport: {}
  store: {config: {path: ${folder}/store.db}}
  identity: {config: {install_auth_enabled: false}}
  artifacts: {config: {folder: ${folder}/artifacts}}
  agent_engine: {}
  llm_scripted: {}
  agent_ws: {config: {port: 0${extra}}}
${plugins.map((line) => `  ${line}\n`).join("")}`;

export class AgentDaemon extends Daemon {
  /** `extra`: more of agent_ws's configuration; `plugins`: lines of further ones. */
  static start(gantry, { extra = "", plugins = [] } = {}) {
    return new AgentDaemon().begin(gantry, "agent", (folder) => CONFIG(folder, extra, plugins),
      /agent WebSocket ready.*?http:\/\/([^\s"]+)/);
  }
}

/** A connection that has shaken hands. Every event of a turn is checked for its number on the way. */
export class AgentClient {
  static async connect(daemon, definition = undefined, options = {}) {
    const client = new AgentClient();
    client.frames = [];
    client.sequences = new Map();
    client.socket = new WebSocket(`ws://${daemon.address}/ws`, options);
    client.socket.on("message", (data) => client.#heard(JSON.parse(String(data))));
    client.closed = new Promise((resolve) => client.socket.once("close", (code, reason) => {
      client.code = code;
      client.#wake();
      resolve({ code, reason: String(reason) });
    }));
    await opened(client.socket);
    client.send({ type: "handshake", user_id: "npm-ws", ...(definition && { agent_definition: definition }) });
    assert.equal((await client.next()).type, "client-tool-manifest");
    assert.equal((await client.next()).type, "remote-tool-catalog");
    return client;
  }

  #wake = () => {};

  #heard(frame) {
    if (frame.sequence !== undefined) {
      const last = this.sequences.get(frame.turn_ref);
      if (last !== undefined) assert.equal(frame.sequence, last + 1, `a gap before ${JSON.stringify(frame)}`);
      this.sequences.set(frame.turn_ref, frame.sequence);
      assert.equal(frame.event_id, `${frame.turn_ref}-evt-${String(frame.sequence).padStart(6, "0")}-${frame.type}`);
    }
    this.frames.push(frame);
    this.#wake();
  }

  send(message) {
    this.socket.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  query(id, text, conversation, more = {}) {
    this.send({ id, type: "query", payload: { text, conversation_ref: conversation, ...more } });
  }

  result(request, output) {
    this.send({ id: `result-${request}`, type: "tool-result", payload: { request_id: request, success: true, data: { output } } });
  }

  /** The next frame. */
  async next() {
    while (this.frames.length === 0) {
      if (this.code !== undefined) throw new Error(`the socket closed with ${this.code}`);
      await within("a frame", new Promise((resolve) => { this.#wake = resolve; }));
    }
    return this.frames.shift();
  }

  /** Frames up to and with the first that fits. */
  async until(fits) {
    const heard = [];
    do heard.push(await this.next()); while (!fits(heard.at(-1)));
    return heard;
  }

  /** As a cable that is pulled. */
  async drop() {
    this.socket.terminate();
    await this.closed;
  }

  async close() {
    this.socket.close();
    await this.closed;
  }
}

/** Whether this is the last event of a turn. */
export const isLast = (frame) =>
  frame.type === "trace-event" && frame.payload.path === "backend.stream" && frame.payload.status !== "started";
