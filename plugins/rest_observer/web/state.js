// SPDX-License-Identifier: Apache-2.0
// What the guard counts and hides, and whether a trace is recorded.

import { errorView, get, post } from "./api.js";
import { byId, el, facts, field, say, screenText, shown } from "./dom.js";
import { offerReplay } from "./replay.js";
import { store, update } from "./store.js";

const BUDGETS = [
  ["actions", "Acts", "used"],
  ["screenshots", "Pictures", "used"],
  ["actions_per_minute", "Acts in this minute", "in_window"],
  ["session_seconds", "Seconds", "elapsed"],
  ["vlm_tokens", "Vision model tokens", "used"],
];

const budgets = el("div");
const redaction = el("div");
const trace = el("div");

function budgetRow([name, label, used], answer) {
  const budget = answer[name];
  if (!budget) return null;
  const count = budget[used];
  if (budget.limit === null) return el("p", { class: "budget" }, `${label}: ${count}, no limit`);
  const text = `${label}: ${count} of ${budget.limit}`;
  return el("p", { class: "budget" }, el("span", {}, text),
    el("meter", { min: "0", max: String(Math.max(1, budget.limit)), value: String(count),
      high: String(budget.limit * 0.8), optimum: "0", "aria-label": text }));
}

function showBudgets(answer) {
  update({ screenshotBudget: Boolean(answer.configured && answer.screenshots?.limit !== null) });
  budgets.replaceChildren(el("h3", {}, "Budgets"), ...(answer.configured
    ? BUDGETS.map((row) => budgetRow(row, answer)).filter(Boolean)
    : [el("p", { class: "soft" }, "No limits are configured.")]));
}

function showRedaction(answer) {
  redaction.replaceChildren(el("h3", {}, "Redaction"), facts([
    ["Rules", answer.enabled === false ? "switched off" : answer.active ? `${answer.patterns_count} in force` : "none; passwords are always hidden"],
    ["Texts hidden", answer.applied_count === undefined ? null : String(answer.applied_count)],
    ["In pictures", answer.blur_screenshots ? "painted over" : "only password fields are painted over"],
  ]));
}

async function startTrace(label) {
  try {
    const answer = await post("/api/trace/start", label ? { label } : {});
    say(`Recording ${answer.trace_id}`);
  } catch (error) {
    trace.append(errorView(error));
    return;
  }
  await refreshState();
}

async function stopTrace() {
  try {
    const answer = await post("/api/trace/stop");
    offerReplay(answer.path);
    say(`Recorded ${answer.step_count} steps`);
    await refreshState();
    trace.append(el("p", {}, "Last recording: ", el("code", {}, shown(answer.path)), `, ${answer.step_count} steps`));
  } catch (error) {
    trace.append(errorView(error));
  }
}

function traceForm() {
  const { input, row } = field("Label, if you like");
  const form = el("form", { class: "inline" }, row, el("button", { type: "submit" }, "Start recording"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    startTrace(input.value.trim());
  });
  return form;
}

/** Makes the trace's part anew only when it starts or ends, so that nobody loses what they type. */
function showTrace(answer) {
  const id = answer.active_trace_id ?? "";
  update({ tracing: Boolean(id) });
  if (trace.dataset.id !== id) {
    trace.dataset.id = id;
    trace.replaceChildren(el("h3", {}, "Trace"), ...(id
      ? [el("p", {}, el("strong", { class: "recording" }, "Recording "), screenText(id)),
        el("p", { class: "soft" }, "Live is paused, so that only your acts and what you look at are in it."),
        el("p", { class: "steps" }), el("button", { type: "button", onclick: stopTrace }, "Stop recording")]
      : [traceForm()]));
  }
  const steps = trace.querySelector(".steps");
  if (steps) steps.textContent = `${answer.step_count} steps so far` + (answer.write_error ? `; ${answer.write_error}` : "");
}

async function part(place, heading, path, show) {
  try {
    show(await get(path));
  } catch (error) {
    delete place.dataset.id;
    place.replaceChildren(el("h3", {}, heading), errorView(error));
  }
}

/** Reads all three anew. While a trace records only its own status, which is not recorded. */
export async function refreshState() {
  await part(trace, "Trace", "/api/trace/status", showTrace);
  if (store.tracing) return;
  await Promise.all([
    part(budgets, "Budgets", "/api/budget_status", showBudgets),
    part(redaction, "Redaction", "/api/redaction_status", showRedaction),
  ]);
}

export function startState() {
  byId("state").append(budgets, redaction, trace);
}
