// SPDX-License-Identifier: Apache-2.0
//
// A daemon as a process of its own, with a folder of its own that stays through kill() and again(), as
// a disk would.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

export class Daemon {
  /** `config(folder)`: the configuration, YAML; `ready`: finds the address in the log, as its group. */
  async begin(gantry, name, config, ready) {
    this.gantry = gantry;
    this.ready = ready;
    this.folder = mkdtempSync(path.join(tmpdir(), `gantry-${name}-`));
    this.config = path.join(this.folder, "gantry.yaml");
    mkdirSync(path.join(this.folder, "profiles"));
    writeFileSync(path.join(this.folder, "profiles", "empty.yaml"), "{}\n", { mode: 0o600 });
    writeFileSync(this.config, config(this.folder), { mode: 0o600 });
    await this.again();
    return this;
  }

  get environment() {
    return { ...process.env, XDG_RUNTIME_DIR: this.folder, XDG_STATE_HOME: this.folder, XDG_CONFIG_HOME: this.folder };
  }

  /** Starts the process, also after kill(). */
  async again() {
    this.process = spawn(this.gantry, ["run", "--config", this.config],
      { stdio: ["ignore", "ignore", "pipe"], cwd: this.folder, env: this.environment });
    this.address = await new Promise((resolve, reject) => {
      this.log = "";
      this.process.stderr.on("data", (data) => {
        this.log += data;
        const found = this.ready.exec(this.log);
        if (found) resolve(found[1]);
      });
      this.process.once("exit", (code) => reject(new Error(`gantry ended with ${code}: ${this.log}`)));
    });
  }

  async end(signal) {
    if (this.process.exitCode !== null || this.process.signalCode) return;
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    this.process.kill(signal);
    await ended;
  }

  /** As a power cut would. */
  kill() {
    return this.end("SIGKILL");
  }

  async stop() {
    await this.end("SIGTERM");
    rmSync(this.folder, { recursive: true, force: true });
  }
}
