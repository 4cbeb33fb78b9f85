// SPDX-License-Identifier: Apache-2.0
//
// A daemon with Cortask's chat as a process of its own, on a free port, with the scripted model; and a
// client of its WebSocket over npm ws.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { WebSocket, opened } from "./chromium.mjs";

const CONFIG = (folder, more, turns) => `profile: empty
plugins:
  transport: {}
  store: {config: {path: ${folder}/store.db}}
  artifacts: {config: {folder: ${folder}/artifacts}}
  agent_engine: {config: {limits: {turns: ${turns}, turns_per_principal: ${turns}}}}
  llm_scripted: {}
  chat_cortask: {config: {port: 0, data_dir: ${folder}/cortask}}
${more}`;

export class CortaskDaemon {
  /** `more`: lines of YAML, further plugins; `turns`: how many may run at once. */
  static async start(gantry, more = "", { turns = 100 } = {}) {
    const daemon = new CortaskDaemon();
    daemon.gantry = gantry;
    daemon.folder = mkdtempSync(path.join(tmpdir(), "gantry-cortask-"));
    mkdirSync(path.join(daemon.folder, "profiles"));
    writeFileSync(path.join(daemon.folder, "profiles", "empty.yaml"), "{}\n", { mode: 0o600 });
    writeFileSync(path.join(daemon.folder, "gantry.yaml"), CONFIG(daemon.folder, more, turns), { mode: 0o600 });
    await daemon.again();
    return daemon;
  }

  /** Starts the process, also after end(). */
  async again() {
    const { folder } = this;
    const env = { ...process.env, XDG_RUNTIME_DIR: folder, XDG_STATE_HOME: folder, XDG_CONFIG_HOME: folder };
    this.log = "";
    this.process = spawn(this.gantry, ["run", "--config", path.join(folder, "gantry.yaml")],
      { stdio: ["ignore", "ignore", "pipe"], cwd: folder, env });
    this.address = await new Promise((resolve, reject) => {
      this.process.stderr.on("data", (data) => {
        this.log += data;
        const found = /Cortask gateway running.*?http:\/\/([^\s"]+)/.exec(this.log);
        if (found) resolve(found[1]);
      });
      this.process.once("exit", (code) => reject(new Error(`gantry ended with ${code}: ${this.log}`)));
    });
  }

  /** What the HTTP API answers. */
  async get(target) {
    return (await fetch(`http://${this.address}${target}`)).json();
  }

  /** The workspace that is made at the first start, as soon as it is there. */
  async workspace() {
    for (;;) {
      const rows = await this.get("/api/workspaces");
      if (rows.length > 0) return rows[0].id;
    }
  }

  async end(signal) {
    if (this.process.exitCode !== null || this.process.signalCode) return;
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    this.process.kill(signal);
    await ended;
  }

  async stop() {
    await this.end("SIGTERM");
    rmSync(this.folder, { recursive: true, force: true });
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
    while (this.frames.length === 0) await new Promise((resolve) => this.waiting.push(resolve));
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
