// SPDX-License-Identifier: Apache-2.0
// Repeating a recording, step by step.

import { errorView, post } from "./api.js";
import { byId, el, field, say, screenText, shown } from "./dom.js";

const path = field("Folder of the recording");
const mode = field("Mode", { options: ["verify", "execute"] });
const divergence = field("On a difference", { options: ["warn", "stop", "resume"] });
const progress = el("progress", { "aria-label": "Steps repeated", value: "0", max: "1" });
const status = el("p");
const steps = el("ol", { class: "steps-list", "aria-label": "Repeated steps" });
const begin = el("button", { type: "submit" }, "Open");
const next = el("button", { type: "button", onclick: () => step() }, "Step");
const rest = el("button", { type: "button", onclick: () => runAll() }, "Run to the end");
const stop = el("button", { type: "button", onclick: () => close() }, "Close");
const running = el("div", { hidden: true }, status, progress, el("p", { class: "buttons" }, next, rest, stop), steps);

let id = null;
let finished = false;
let changed = () => {};

function showError(error) {
  steps.append(el("li", {}, errorView(error)));
}

function showPosition(position, total) {
  progress.max = Math.max(1, total);
  progress.value = position;
  status.textContent = `Step ${position} of ${total}${finished ? ", finished" : ""}`;
  next.disabled = rest.disabled = finished;
}

async function open() {
  try {
    const answer = await post("/api/replay/start",
      { path: path.input.value.trim(), mode: mode.input.value, on_divergence: divergence.input.value });
    id = answer.replay_id;
    finished = answer.total === 0;
    steps.replaceChildren();
    for (const problem of answer.problems ?? []) steps.append(el("li", { class: "bad" }, screenText(problem)));
    running.hidden = false;
    showPosition(0, answer.total);
    say(status.textContent);
    next.focus();
  } catch (error) {
    running.hidden = false;
    steps.replaceChildren();
    status.textContent = "";
    showError(error);
  }
}

function differences(list) {
  return el("ul", {}, list.map((d) => el("li", {}, el("code", {}, shown(d.path)),
    " wanted ", screenText(JSON.stringify(d.want)), ", got ", screenText(JSON.stringify(d.got)))));
}

async function step() {
  if (!id || finished) return;
  try {
    const answer = await post("/api/replay/step", { replay_id: id });
    finished = answer.finished;
    if (answer.tool) {
      const differs = answer.divergence?.length > 0;
      steps.append(el("li", { class: differs ? "bad" : "good" }, el("code", {}, shown(answer.tool)),
        differs ? " differs" : " as recorded", differs ? differences(answer.divergence) : null));
    }
    showPosition(answer.position, answer.total);
    say(`${status.textContent}. ${steps.lastElementChild?.textContent ?? ""}`);
    await changed();
  } catch (error) {
    finished = true;
    next.disabled = rest.disabled = true;
    showError(error);
  }
}

async function runAll() {
  while (id && !finished) await step();
}

async function close() {
  if (id) await post("/api/replay/stop", { replay_id: id }).catch(() => {});
  id = null;
  running.hidden = true;
}

/** Puts the path of a recording that was just made into the form. */
export function offerReplay(recording) {
  path.input.value = recording;
}

/** `whenChanged` is called after every step: it may have acted. */
export function startReplay(whenChanged) {
  changed = whenChanged;
  const form = el("form", {}, path.row, mode.row, divergence.row, el("p", { class: "buttons" }, begin));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    open();
  });
  byId("replay").append(form, running);
}
