// SPDX-License-Identifier: Apache-2.0
//
// `gantry observer` as a process of its own, on a free port, in a folder of its own.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { eventually } from "./eventually.mjs";

const HIDDEN = ["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS"];

function environment(folder, desktop) {
  const env = { ...process.env, XDG_RUNTIME_DIR: folder, XDG_STATE_HOME: folder, XDG_CONFIG_HOME: folder };
  for (const name of desktop ? [] : HIDDEN) delete env[name];
  return env;
}

export class Observer {
  /** `options` are command line options; `desktop` lets it find the display of this process. */
  static async start(gantry, options, { desktop = false, cwd = undefined } = {}) {
    const observer = new Observer();
    observer.folder = mkdtempSync(path.join(tmpdir(), "gantry-inspector-"));
    observer.process = spawn(gantry, ["observer", "--mode", "inspect", "--set", "rest_observer.port=0", ...options],
      { stdio: ["ignore", "ignore", "pipe"], cwd: cwd ?? observer.folder, env: environment(observer.folder, desktop) });
    observer.address = await new Promise((resolve, reject) => {
      observer.log = "";
      observer.process.stderr.on("data", (data) => {
        observer.log += data;
        const found = /screen observer ready address=(http:\/\/\S+)/.exec(observer.log);
        if (found) resolve(found[1]);
      });
      observer.process.once("exit", (code) => reject(new Error(`gantry ended with ${code}: ${observer.log}`)));
    });
    return observer;
  }

  /** The JSON of a GET, or of a POST when there is a body. */
  async ask(route, body = undefined, headers = {}) {
    const options = body === undefined ? { headers }
      : { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json", ...headers } };
    return (await fetch(this.address + route, options)).json();
  }

  /** As clients are told to do: ready when health says 200. */
  async ready() {
    await eventually("a healthy observer", async () => (await fetch(`${this.address}/api/healthz`)).status === 200);
    return this;
  }

  async stop() {
    if (this.process.exitCode === null) {
      const ended = new Promise((resolve) => this.process.once("exit", resolve));
      this.process.kill("SIGTERM");
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}
