// SPDX-License-Identifier: Apache-2.0
//
// Speed of Cortask's chat, as a script sees it: connect and first token with 1, 100 and 400 chats at
// once, processor time of a run, memory of an idle connection. The client's own time is in it.
// Usage: node cortask_bench.mjs GANTRY
import { readFileSync } from "node:fs";

import { CortaskDaemon } from "../../clients/cortask.mjs";
import { WebSocket, opened } from "../../clients/chromium.mjs";

const [, , gantry] = process.argv;
const TICKS = 100; // of /proc/PID/stat, per second
const STREAMS = [1, 100, 400];
const IDLE = 2000;

const daemon = await CortaskDaemon.start(gantry, "", { turns: 1000 });
const workspace = await daemon.workspace();
const pid = daemon.process.pid;

const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** Seconds of processor that the daemon has used. */
function cpu() {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** Bytes in memory. */
const rss = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) * 1024;

/** Connects, asks, and waits for the first word and the end. Milliseconds to the first word. */
function chat(key) {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const socket = new WebSocket(`ws://${daemon.address}/ws`, { perMessageDeflate: false });
    let first;
    socket.on("open", () => socket.send(JSON.stringify({ type: "chat", sessionKey: key, workspaceId: workspace, message: "@script reply one two three four five six seven eight" })));
    socket.on("error", reject);
    socket.on("message", (data) => {
      const frame = JSON.parse(data);
      first ??= performance.now() - began;
      if (frame.type === "error") reject(new Error(frame.error));
      if (frame.type !== "done") return;
      socket.close();
      resolve(first);
    });
  });
}

for (const streams of STREAMS) {
  const rounds = streams === 1 ? 50 : 3;
  const times = [];
  const before = cpu();
  for (let round = 0; round < rounds; round += 1) {
    times.push(...await Promise.all(Array.from({ length: streams }, (_, i) => chat(`bench-${streams}-${round}-${i}`))));
  }
  const used = ((cpu() - before) * 1000) / times.length;
  console.log(`${streams} at once: connect and first token ${median(times).toFixed(1)} ms p50, ${used.toFixed(2)} ms processor a run`);
}

const empty = rss();
const idle = await Promise.all(Array.from({ length: IDLE }, async () => {
  const socket = new WebSocket(`ws://${daemon.address}/ws`, { perMessageDeflate: false });
  await opened(socket);
  return socket;
}));
console.log(`${((rss() - empty) / IDLE / 1024).toFixed(1)} KiB of memory an idle connection, of ${IDLE}`);
idle.forEach((socket) => socket.terminate());
await daemon.stop();
