// SPDX-License-Identifier: Apache-2.0
//
// A daemon with Cortask's chat as a process of its own, on a free port, with the scripted model; and a
// client of its WebSocket over npm ws.
import { WebSocket, opened } from "./chromium.mjs";
import { Daemon } from "./daemon.mjs";
import { eventually, within } from "./eventually.mjs";

const CONFIG = (folder, more, turns) => `profile: empty
plugins:
  transport: {}
  store: {config: {path: ${folder}/store.db}}
  artifacts: {config: {folder: ${folder}/artifacts}}
  agent_engine: {config: {limits: {turns: ${turns}, turns_per_principal: ${turns}}}}
  llm_scripted: {}
  workspaces: {}
  chat_cortask: {config: {port: 0, data_dir: ${folder}/cortask}}
${more}`;

export class CortaskDaemon extends Daemon {
  /** `more`: lines of YAML, further plugins; `turns`: how many may run at once. */
  static start(gantry, more = "", { turns = 100 } = {}) {
    return new CortaskDaemon().begin(gantry, "cortask", (folder) => CONFIG(folder, more, turns),
      /Cortask gateway running.*?http:\/\/([^\s"]+)/);
  }

  /** What the HTTP API answers. */
  async get(target) {
    return (await fetch(`http://${this.address}${target}`)).json();
  }

  /** The workspace that is made at the first start, as soon as it is there. */
  async workspace() {
    const [first] = await eventually("a workspace", async () => {
      const rows = await this.get("/api/workspaces");
      return rows.length > 0 && rows;
    });
    return first.id;
  }
}

export class CortaskClient {
  static async connect(daemon, options = {}) {
    const client = new CortaskClient();
    client.workspace = await daemon.workspace();
    client.waiting = [];
    client.frames = [];
    client.socket = new WebSocket(`ws://${daemon.address}/ws`, options);
    client.socket.on("message", (data) => {
      client.frames.push(JSON.parse(data));
      client.waiting.splice(0).forEach((wake) => wake());
    });
    client.closed = new Promise((resolve) => client.socket.once("close", (code) => resolve(code)));
    await opened(client.socket);
    return client;
  }

  say(frame) { this.socket.send(JSON.stringify(frame)); }
  chat(sessionKey, message, more = {}) { this.say({ type: "chat", sessionKey, message, workspaceId: this.workspace, ...more }); }

  /** The next frame. */
  async next() {
    while (this.frames.length === 0) await within("a frame", new Promise((resolve) => this.waiting.push(resolve)));
    return this.frames.shift();
  }

  /** All frames up to the first of a type; throws when the run fails before that. */
  async until(type) {
    const seen = [];
    do {
      seen.push(await this.next());
      if (seen.at(-1).type === "error" && type !== "error") throw new Error(seen.at(-1).error);
    } while (seen.at(-1).type !== type);
    return seen;
  }

  async close() {
    this.socket.close();
    return this.closed;
  }
}
