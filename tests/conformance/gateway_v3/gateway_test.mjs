// SPDX-License-Identifier: Apache-2.0
//
// The gateway's WebSocket against its tables: each row says what is sent and what has to be heard.
// Usage: node gateway_test.mjs GANTRY CASES_DIR [WORDS OF A ROW'S NAME]
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { after, test } from "node:test";

import { GatewayClient, GatewayDaemon, TOKEN } from "../../clients/gateway.mjs";

const [, , gantry, folder, only = ""] = process.argv;

/** Where `found` falls short of `expected`: "re:…" matches a whole text, null only null. */
function shortfalls(expected, found, at = "$") {
  if (typeof expected === "string" && expected.startsWith("re:")) {
    return typeof found === "string" && new RegExp(`^(?:${expected.slice(3)})$`, "s").test(found) ? [] : [`${at}: ${JSON.stringify(found)} does not match ${expected}`];
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(found) || found.length !== expected.length) return [`${at}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`];
    return expected.flatMap((item, i) => shortfalls(item, found[i], `${at}[${i}]`));
  }
  if (expected !== null && typeof expected === "object") {
    if (found === null || typeof found !== "object") return [`${at}: expected an object, found ${JSON.stringify(found)}`];
    return Object.entries(expected).flatMap(([key, value]) => shortfalls(value, found[key], `${at}.${key}`));
  }
  return Object.is(expected, found) ? [] : [`${at}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`];
}

const fits = (expected) => (found) => shortfalls(expected, found).length === 0;

function expect(expected, found) {
  assert.deepEqual(shortfalls(expected, found), [], `heard ${JSON.stringify(found).slice(0, 1500)}`);
}

/** Plays one row. */
class Talk {
  constructor(daemon, unique) {
    this.daemon = daemon;
    this.kept = { token: TOKEN, u: unique };
    this.sockets = new Map();
  }

  /** $name becomes what was kept under it. */
  fill(value) {
    const text = JSON.stringify(value).replace(/\$([a-z_]+)/g, (whole, name) => (name in this.kept ? JSON.stringify(this.kept[name]).replace(/^"|"$/g, "") : whole));
    return JSON.parse(text);
  }

  keep(names, frame) {
    for (const [name, where] of Object.entries(names)) {
      this.kept[name] = where.split("/").slice(1).reduce((at, key) => at?.[key], frame);
      assert.notEqual(this.kept[name], undefined, `nothing at ${where} of ${JSON.stringify(frame)}`);
    }
  }

  async step(raw) {
    const step = this.fill(raw);
    const name = step.on ?? "";
    if (step.as !== undefined || step.open) {
      const opened = await GatewayClient.open(this.daemon);
      this.sockets.set(name, opened);
      if (step.open) return;
      const hello = await opened.call("connect", { token: TOKEN, user_id: `ann${this.kept.u}`, ...step.as });
      expect(step.hello ?? { ok: true }, hello);
      if (step.keep) this.keep(step.keep, hello);
      return;
    }
    const socket = this.sockets.get(name);
    let heard;
    if (step.say !== undefined) socket.send(step.say);
    if (step.say_bytes) socket.send("x".repeat(step.say_bytes));
    if (step.ask) {
      this.kept[step.ask[0]] = socket.request(step.ask[1], step.ask[2]);
    }
    if (step.call) heard = await socket.call(step.call[0], step.call[1]);
    if (step.answer) heard = await socket.answer(step.answer);
    if (step.hear) heard = await socket.take(fits(step.hear));
    if (step.first) heard = await socket.take(() => true);
    if (step.ok !== undefined) expect({ ok: true, ...(step.ok === true ? {} : { payload: step.ok }) }, heard);
    if (step.error) expect({ ok: false, error: { code: step.error[0], ...(step.error[1] && { message: step.error[1] }) } }, heard);
    if (step.is) expect(step.is, heard);
    if (step.lacks) for (const key of step.lacks) assert.equal(key in (heard.payload ?? {}), false, key);
    if (step.keep) this.keep(step.keep, heard);
    if (step.run) await this.run(socket, step.run);
    if (step.quiet) {
      const mark = await socket.call("health");
      assert.equal(mark.ok, true);
      assert.deepEqual(socket.frames.filter(fits(step.quiet)), []);
    }
    if (step.none) assert.deepEqual(socket.frames.filter(fits(step.none)), []);
    if (step.forget) socket.frames = [];
    if (step.closed) expect(step.closed, await socket.closed);
    if (step.drop) { socket.socket.terminate(); await socket.closed; }
  }

  /** Types of the wrapped events of one run until its end; pieces that follow each other are one. */
  async run(socket, expected) {
    const types = [];
    for (;;) {
      const frame = await socket.take((one) => one.event === "agent");
      const { type } = frame.payload;
      if (!(["chunk", "thinking"].includes(type) && types.at(-1) === type)) types.push(type);
      if (["run.completed", "run.failed", "run.cancelled"].includes(type)) break;
    }
    assert.deepEqual(types, expected);
  }

  async play(steps) {
    for (const step of steps) {
      try {
        await this.step(step);
      } catch (problem) {
        problem.message = `${JSON.stringify(step)}: ${problem.message}`;
        throw problem;
      }
    }
    for (const socket of this.sockets.values()) socket.socket.terminate();
  }
}

const rows = readdirSync(folder).filter((file) => file.endsWith(".json")).sort()
  .flatMap((file) => JSON.parse(readFileSync(path.join(folder, file), "utf8")).map((row) => ({ ...row, file })));

let daemon;
let group;
after(() => daemon?.stop());

test("the tables have 150 rows, each with a name and a rule of its own", () => {
  assert.ok(rows.length >= 150, `${rows.length} rows`);
  assert.equal(new Set(rows.map((row) => row.name)).size, rows.length);
  assert.ok(rows.every((row) => row.rule));
});

rows.forEach((row, number) => {
  if (!row.name.includes(only)) return;
  test(`${row.file}: ${row.name} (${row.rule})`, async () => {
    const wanted = JSON.stringify(row.group ?? {});
    if (wanted !== group) {
      await daemon?.stop();
      daemon = undefined;
      daemon = await GatewayDaemon.start(gantry, row.group ?? {});
      group = wanted;
    }
    await new Talk(daemon, String(number)).play(row.talk);
  });
});
