// SPDX-License-Identifier: Apache-2.0
//
// Speed of the gateway, as a script sees it: connect and first token with 1, 100 and 400 chats at
// once, processor time of a run, memory of an idle connection, chats beside many idle connections,
// and a page of a long list of sessions. The client's own time is in it; so is its share of the machine.
// Usage: node gateway_bench.mjs GANTRY [IDLE CONNECTIONS] [SESSIONS]
import { readFileSync } from "node:fs";

import { GatewayClient, GatewayDaemon } from "../../clients/gateway.mjs";

const [, , gantry, idleCount = "10000", sessionCount = "10000"] = process.argv;
const TICKS = 100; // of /proc/PID/stat, per second
const STREAMS = [1, 100, 400];
const LIMITS = { limits: { turns: 2000, turns_per_principal: 2000, waiting_per_principal: 2000 } };

const daemon = await GatewayDaemon.start(gantry, {
  plugins: { agent_engine: LIMITS, transport: { connections: 20000, connections_per_address: 20000 } },
});
const pid = daemon.process.pid;
// Users who see their own runs alone; an administrator sees everybody's.
const admin = await GatewayClient.connect(daemon);
const tokens = [];
for (let i = 0; i < Math.max(...STREAMS); i += 1) {
  tokens.push((await admin.call("api_keys.create", { name: "bench", owner_id: `user-${i}`, scopes: ["operator.read", "operator.write"] })).payload.key);
}
await admin.close();

const sorted = (values) => values.sort((a, b) => a - b);
const at = (values, part) => sorted(values)[Math.floor(values.length * part)];

/** Seconds of processor that the daemon has used. */
function cpu() {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** Bytes in memory. */
const rss = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) * 1024;

/** Connects, asks, and waits for the first word and the end. Milliseconds to the first word. */
async function chat(key, token) {
  const began = performance.now();
  const socket = await GatewayClient.connect(daemon, { token }, { perMessageDeflate: false });
  const id = socket.request("chat.send", { sessionKey: `agent:default:ws:direct:${key}`, message: "@script reply one two three four five six seven eight" });
  await socket.take((frame) => frame.event === "chunk", 60000);
  const first = performance.now() - began;
  const answer = await socket.take((frame) => frame.id === id, 60000);
  if (!answer.ok) throw new Error(JSON.stringify(answer));
  socket.socket.close();
  return first;
}

async function chats(name, streams, rounds) {
  const times = [];
  const before = cpu();
  for (let round = 0; round < rounds; round += 1) {
    times.push(...await Promise.all(Array.from({ length: streams }, (_, i) => chat(`${name}-${round}-${i}`, tokens[i]))));
  }
  const used = ((cpu() - before) * 1000) / times.length;
  console.log(`${name}: connect and first token ${at(times, 0.5).toFixed(1)} ms p50, ${at(times, 0.95).toFixed(1)} ms p95, ${used.toFixed(2)} ms processor a run`);
}

await chats("warm", 1, 20);
for (const streams of STREAMS) await chats(`${streams} at once`, streams, streams === 1 ? 50 : 3);

const empty = rss();
const idle = [];
while (idle.length < Number(idleCount)) {
  idle.push(...await Promise.all(Array.from({ length: 200 }, () => GatewayClient.connect(daemon, { token: tokens[399] }, { perMessageDeflate: false }))));
}
console.log(`${((rss() - empty) / idle.length / 1024).toFixed(1)} KiB of memory an idle connection, of ${idle.length}`);
await chats(`100 at once beside ${idle.length} idle`, 100, 3);
idle.forEach((socket) => socket.socket.terminate());

const lister = await GatewayClient.connect(daemon, { token: tokens[0] });
for (let made = 0; made < Number(sessionCount);) {
  const answers = await Promise.all(Array.from({ length: 100 }, () => lister.call("chat.send", { sessionKey: `agent:default:ws:direct:s${made++}`, message: "@script reply x" })));
  if (!answers.every((answer) => answer.ok)) throw new Error(JSON.stringify(answers[0]));
}
const pages = [];
for (let offset = 0; offset < 2000; offset += 20) {
  const began = performance.now();
  await lister.call("sessions.list", { limit: 20, offset });
  pages.push(performance.now() - began);
}
console.log(`a page of ${sessionCount} sessions: ${at(pages, 0.5).toFixed(1)} ms p50, ${at(pages, 0.95).toFixed(1)} ms p95`);
await daemon.stop();
