// SPDX-License-Identifier: Apache-2.0
//
// Chromium over the DevTools protocol, with npm ws from the folder GANTRY_NODE_MODULES. Without the
// folder the test is skipped (exit code 77; never under CI=true).
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { eventually } from "./eventually.mjs";

export function skip(why) {
  console.error(`SKIPPED: ${why}`);
  process.exit(process.env.CI === "true" ? 1 : 77);
}

const modules = process.env.GANTRY_NODE_MODULES;
if (!modules) skip("GANTRY_NODE_MODULES is not set: run tools/setup, then tools/test");
export const { WebSocket } = createRequire(path.join(modules, "package.json"))("ws");

/** The socket once it is open. */
export const opened = (socket) =>
  new Promise((resolve, reject) => {
    socket.once("open", () => resolve(socket));
    socket.once("error", reject);
  });

const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--no-default-browser-check",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
  "--password-store=basic", "--remote-debugging-port=0",
];

/** A browser with a profile of its own that vanishes with it. */
export class Browser {
  static async launch(flags = ["--headless"]) {
    const browser = new Browser();
    browser.profile = mkdtempSync(path.join(tmpdir(), "gantry-chromium-"));
    browser.process = spawn("chromium", [...FLAGS, ...flags, `--user-data-dir=${browser.profile}`, "about:blank"],
      { stdio: ["ignore", "ignore", "pipe"], detached: true });
    try {
      browser.devtools = await opened(new WebSocket(await browser.#endpoint(), { perMessageDeflate: false }));
    } catch (error) {
      await browser.close();
      throw error;
    }
    browser.#listen();
    return browser;
  }

  #last = 0;
  #waiting = new Map();
  #listeners = [];

  #endpoint() {
    return new Promise((resolve, reject) => {
      let text = "";
      this.process.stderr.on("data", (data) => {
        text += data;
        const found = /DevTools listening on (ws:\/\/\S+)/.exec(text);
        if (found) resolve(found[1]);
      });
      this.process.once("error", reject);
      this.process.once("exit", () => reject(new Error(`chromium ended: ${text.slice(-500)}`)));
    });
  }

  #listen() {
    this.devtools.on("message", (data) => {
      const message = JSON.parse(data);
      if (message.id) this.#waiting.get(message.id)(message);
      else for (const listener of this.#listeners) listener(message);
    });
  }

  command(method, params = {}, sessionId = undefined) {
    return new Promise((resolve, reject) => {
      this.#waiting.set(++this.#last, (m) => (m.error ? reject(new Error(`${method}: ${m.error.message}`)) : resolve(m.result)));
      this.devtools.send(JSON.stringify({ id: this.#last, method, params, sessionId }));
    });
  }

  /** A tab; `size` in CSS pixels. */
  async page(size = { width: 1440, height: 900 }) {
    const { targetId } = await this.command("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.command("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, sessionId, targetId);
    this.#listeners.push((message) => message.sessionId === sessionId && page.heard(message));
    for (const domain of ["Page", "Runtime", "Log", "Network", "DOM", "Accessibility"]) await page.command(`${domain}.enable`);
    if (size) await page.resize(size);
    return page;
  }

  /** Its helper processes are in its group; they write into the profile until they are gone. */
  async close() {
    try { process.kill(-this.process.pid, "SIGKILL"); } catch {}
    if (this.process.exitCode === null && !this.process.signalCode) {
      await new Promise((resolve) => this.process.once("exit", resolve));
    }
    try { rmSync(this.profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }); } catch {}
  }
}

const KEYS = {
  Enter: 13, Escape: 27, Tab: 9, " ": 32, PageUp: 33, PageDown: 34, End: 35, Home: 36,
  ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, Backspace: 8,
};

/** One tab, and what was heard of it: requests, console messages, exceptions, violations of its policy. */
export class Page {
  constructor(browser, session, target) {
    this.browser = browser;
    this.session = session;
    this.target = target;
    this.requests = [];
    this.complaints = [];
    this.onLoad = null;
    this.onTimePassed = null;
  }

  command(method, params = {}) {
    return this.browser.command(method, params, this.session);
  }

  /** By the browser: a page that is just loading anew does not take the command itself. */
  close() {
    return this.browser.command("Target.closeTarget", { targetId: this.target });
  }

  heard({ method, params }) {
    if (method === "Page.loadEventFired") this.onLoad?.();
    else if (method === "Emulation.virtualTimeBudgetExpired") this.onTimePassed?.();
    else if (method === "Network.requestWillBeSent") this.requests.push(params.request.url);
    else if (method === "Runtime.exceptionThrown") this.complaints.push(`exception: ${params.exceptionDetails.exception?.description ?? params.exceptionDetails.text}`);
    else if (method === "Runtime.consoleAPICalled" && ["error", "warning", "assert"].includes(params.type)) this.complaints.push(`console ${params.type}: ${JSON.stringify(params.args)}`);
    else if (method === "Log.entryAdded" && ["error", "warning"].includes(params.entry.level)) this.complaints.push(`${params.entry.source} ${params.entry.level}: ${params.entry.text} ${params.entry.url ?? ""}`);
  }

  resize({ width, height }) {
    return this.command("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
  }

  /** "dark" or "light", as the person's system would ask for. */
  prefer(scheme) {
    return this.command("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
  }

  async goto(url) {
    const loaded = new Promise((resolve) => { this.onLoad = resolve; });
    await this.command("Page.navigate", { url });
    await loaded;
  }

  /** As a person does who chooses these files for an <input type="file">. */
  async choose(selector, files) {
    const { result } = await this.command("Runtime.evaluate", { expression: `document.querySelector(${JSON.stringify(selector)})` });
    await this.command("DOM.setFileInputFiles", { files, objectId: result.objectId });
  }

  /** The value of an expression that runs in the page; promises are awaited. */
  async evaluate(expression) {
    const answer = await this.command("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true, userGesture: true });
    if (answer.exceptionDetails) throw new Error(`${expression}: ${answer.exceptionDetails.exception?.description ?? answer.exceptionDetails.text}`);
    return answer.result.value;
  }

  /** Waits until an expression is true in the page, and returns its value. */
  until(expression, patience = 30000) {
    return eventually(expression, () => this.evaluate(expression), patience);
  }

  async key(key, { shift = false } = {}) {
    const code = KEYS[key] ?? key.toUpperCase().charCodeAt(0);
    const event = { key, code: key.length === 1 ? `Key${key.toUpperCase()}` : key, windowsVirtualKeyCode: code, modifiers: shift ? 8 : 0 };
    const text = key === "Enter" ? "\r" : key.length === 1 ? key : undefined;
    await this.command("Input.dispatchKeyEvent", { type: text ? "keyDown" : "rawKeyDown", text, ...event });
    await this.command("Input.dispatchKeyEvent", { type: "keyUp", ...event });
  }

  type(text) {
    return this.command("Input.insertText", { text });
  }

  /** The middle of an element, scrolled into view. */
  async middle(selector) {
    return this.evaluate(`(() => { const e = document.querySelector(${JSON.stringify(selector)});
      if (!e) throw new Error("there is no " + ${JSON.stringify(selector)});
      e.scrollIntoView({ block: "center", inline: "nearest" });
      const r = e.getBoundingClientRect(); return { x: r.x + r.width / 2, y: r.y + r.height / 2 }; })()`);
  }

  async hover(point) {
    await this.command("Input.dispatchMouseEvent", { type: "mouseMoved", ...point });
  }

  /** Clicks a point of the view, or the middle of what a CSS selector finds. */
  async click(target) {
    const point = typeof target === "string" ? await this.middle(target) : target;
    await this.hover(point);
    const press = { ...point, button: "left", clickCount: 1 };
    await this.command("Input.dispatchMouseEvent", { type: "mousePressed", ...press });
    await this.command("Input.dispatchMouseEvent", { type: "mouseReleased", ...press });
  }

  /** Lets the page's clock run through so many milliseconds at once; requests still take their time. */
  async pass(milliseconds) {
    const passed = new Promise((resolve) => { this.onTimePassed = resolve; });
    await this.command("Emulation.setVirtualTimePolicy", { policy: "pauseIfNetworkFetchesPending", budget: milliseconds });
    await passed;
  }

  async screenshot(file) {
    const { data } = await this.command("Page.captureScreenshot", { format: "png" });
    writeFileSync(file, Buffer.from(data, "base64"));
  }
}
