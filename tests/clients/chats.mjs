// SPDX-License-Identifier: Apache-2.0
//
// A daemon with all protocols that chat, where ann is one person in each of them: the agent's
// WebSocket, the gateway, Cortask's chat and aide's.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";

import { WebSocket, opened } from "./chromium.mjs";
import { Daemon } from "./daemon.mjs";
import { within } from "./eventually.mjs";
import { TOKEN } from "./gateway.mjs";

const CONFIG = (folder) => `profile: empty
plugins:
  transport: {}
  control: {}
  store: {config: {path: ${folder}/store.db}}
  identity: {config: {install_auth_enabled: false, links: [{principal: local, members: ["gateway:ann", "aide:ann"]}]}}
  artifacts: {config: {folder: ${folder}/artifacts}}
  agent_engine: {}
  llm_scripted: {}
  tools_files: {config: {workspaces: [${folder}], workspace: ${folder}/work}}
  agent_ws: {config: {port: 0, daemon_tools: ["*"]}}
  gateway_v3: {config: {port: 0, token: ${TOKEN}, rate_limit_rpm: 0}}
  document_poppler: {}
  workspaces: {}
  chat_cortask: {config: {port: 0, data_dir: ${folder}/cortask}}
  chat_aide: {config: {port: 0, daemon_tools: ["*"]}}
`;

const READY = {
  gateway: /gateway ready.*?http:\/\/([^\s"]+)/,
  agent: /agent WebSocket ready.*?http:\/\/([^\s"]+)/,
  cortask: /Cortask gateway running.*?http:\/\/([^\s"]+)/,
  aide: /aide chat ready.*?http:\/\/([^\s"]+)/,
};

/** All of them on one daemon: each has an `address`, as the clients of its protocol want it. */
export class Chats extends Daemon {
  static async start(gantry) {
    const chats = await new Chats().begin(gantry, "chats", CONFIG, /kernel: (ready)/);
    for (const [name, ready] of Object.entries(READY)) {
      const address = ready.exec(chats.log)?.[1];
      if (!address) await chats.stop();  // else the test waits for its child, not for its end
      assert.ok(address, `${name} is not ready: ${chats.log}`);
      const workspace = async () => (await (await fetch(`http://${address}/api/workspaces`)).json())[0].id;
      chats[name] = { address, workspace };
    }
    return chats;
  }

  /** What `gantry user …` prints. */
  user(words, input = "") {
    const made = spawnSync(this.gantry, ["user", ...words, "--config", this.config], { cwd: this.folder, env: this.environment, encoding: "utf8", input });
    assert.equal(made.status, 0, made.stdout + made.stderr);
    return made.stdout;
  }

  /** The cookie of a user of the aide chat, who signs in by a link. */
  async aideCookie(user) {
    const token = /[0-9a-f]{64}/.exec(this.user(["link", user]))?.[0];
    assert.ok(token);
    const login = await fetch(`http://${this.aide.address}/login`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ token }) });
    return login.headers.get("set-cookie").split(";")[0];
  }
}

/** One socket of the aide chat. */
export class AideClient {
  static async connect(chats, cookie, session) {
    const client = new AideClient();
    client.frames = [];
    client.wake = () => {};
    client.socket = new WebSocket(`ws://${chats.aide.address}/ws/${session}`, { headers: { cookie } });
    client.socket.on("message", (data) => { client.frames.push(JSON.parse(String(data))); client.wake(); });
    client.closed = new Promise((resolve) => client.socket.once("close", (code) => { client.code = code; client.wake(); resolve(code); }));
    await opened(client.socket);
    return client;
  }

  async next() {
    while (this.frames.length === 0) {
      assert.equal(this.code, undefined, "the socket has closed");
      await within("a frame", new Promise((resolve) => { this.wake = resolve; }));
    }
    return this.frames.shift();
  }

  say(text, more = {}) { this.socket.send(JSON.stringify({ type: "message", text, ...more })); }

  /** Frames up to the run's last. */
  async rest() {
    const seen = [];
    do seen.push(await this.next()); while (!["done", "error"].includes(seen.at(-1).type));
    return seen;
  }

  async ask(text, session) {
    this.say(text, { session_id: session });
    return (await this.rest()).at(-1);
  }

  async close() {
    this.socket.close();
    await within("the socket's end", this.closed);
  }

  async drop() {
    this.socket.terminate();
    await within("the socket's end", this.closed);
  }
}
