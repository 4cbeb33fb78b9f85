// SPDX-License-Identifier: Apache-2.0
//
// A daemon with the gateway as a process of its own, on a free port, with the scripted model; and a
// client of its WebSocket over npm ws.
import { spawn } from "node:child_process";

import { WebSocket, opened } from "./chromium.mjs";
import { Daemon } from "./daemon.mjs";

export const TOKEN = "a-token-of-the-tests";

const flow = (config) => JSON.stringify(config);

const config = (folder, gateway, plugins) => {
  const all = {
    transport: {}, control: {}, artifacts: { folder: `${folder}/artifacts` }, agent_engine: {}, llm_scripted: {},
    store: { path: `${folder}/store.db` }, identity: {},
    gateway_v3: { port: 0, token: TOKEN, rate_limit_rpm: 0, ...gateway }, ...plugins,
  };
  const rows = Object.entries(all).filter(([, value]) => value !== null);
  return `profile: empty\nplugins:\n${rows.map(([name, value]) => `  ${name}: ${flow({ config: value })}\n`).join("")}`;
};

export class GatewayDaemon extends Daemon {
  static start(gantry, { gateway = {}, plugins = {} } = {}) {
    return new GatewayDaemon().begin(gantry, "gateway", (folder) => config(folder, gateway, plugins),
      /gateway ready.*?http:\/\/([^\s"]+)/);
  }

  /** `gantry WORDS…` beside the daemon: its status and what it printed. */
  async command(...words) {
    const child = spawn(this.gantry, [...words, "--config", this.config], { cwd: this.folder, env: this.environment });
    let out = "";
    child.stdout.on("data", (data) => { out += data; });
    child.stderr.on("data", (data) => { out += data; });
    const code = await new Promise((resolve) => child.once("close", resolve));
    return { code, out };
  }
}

/** One socket. Frames that were heard and not taken wait in `frames`. */
export class GatewayClient {
  static async open(daemon, options = {}) {
    const client = new GatewayClient();
    client.frames = [];
    client.last = 0;
    client.waiting = [];
    client.socket = new WebSocket(`ws://${daemon.address}/ws`, options);
    client.socket.on("message", (data) => { client.frames.push(JSON.parse(String(data))); client.#wake(); });
    client.closed = new Promise((resolve) => client.socket.once("close", (code, reason) => {
      client.code = code;
      client.reason = String(reason);
      client.#wake();
      resolve({ code, reason: String(reason) });
    }));
    await opened(client.socket);
    return client;
  }

  /** A socket on which `connect` was answered well. */
  static async connect(daemon, params = {}, options = {}) {
    const client = await GatewayClient.open(daemon, options);
    client.hello = await client.call("connect", { token: TOKEN, user_id: "ann", ...params });
    if (!client.hello.ok) throw new Error(JSON.stringify(client.hello));
    return client;
  }

  /** A socket of `owner`, with a key made for it. */
  static async withKey(daemon, scopes, owner) {
    const admin = await GatewayClient.connect(daemon);
    const made = await admin.call("api_keys.create", { name: owner, owner_id: owner, scopes });
    await admin.close();
    return GatewayClient.connect(daemon, { token: made.payload.key });
  }

  /** All that wait: an answer may be waited for beside an event. */
  #wake() {
    this.waiting.splice(0).forEach((wake) => wake());
  }

  send(message) {
    this.socket.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  /** Sends a request; its id. */
  request(method, params = undefined) {
    const id = `r${++this.last}`;
    this.send({ type: "req", id, method, ...(params !== undefined && { params }) });
    return id;
  }

  call(method, params = undefined) {
    return this.answer(this.request(method, params));
  }

  answer(id) {
    return this.take((frame) => frame.type === "res" && frame.id === id);
  }

  /** The first frame that fits, wherever it stands among those that wait. */
  async take(fits, patience = 20000) {
    const end = Date.now() + patience;
    for (;;) {
      const at = this.frames.findIndex(fits);
      if (at >= 0) return this.frames.splice(at, 1)[0];
      if (this.code !== undefined) throw new Error(`the socket closed with ${this.code} ${this.reason}`);
      if (Date.now() > end) throw new Error(`nothing fits among ${JSON.stringify(this.frames).slice(0, 2000)}`);
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, Math.max(1, end - Date.now()));
        this.waiting.push(() => { clearTimeout(timer); resolve(); });
      });
    }
  }

  async close() {
    this.socket.close();
    return this.closed;
  }
}
