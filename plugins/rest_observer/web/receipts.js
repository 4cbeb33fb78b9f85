// SPDX-License-Identifier: Apache-2.0
// What came of each act: the way it took, its effect and the evidence for it, newest first.

import { errorView } from "./api.js";
import { byId, el, facts, say, screenText, shown } from "./dom.js";

const KEPT = 30;

const EFFECTS = {
  confirmed: "the change was read back",
  unverified: "delivered, not read back: look before you go on",
  no_op: "no input was sent: nothing to do, a dry run, or a made-up desktop",
  refused: "not delivered",
};

function effectView(effect) {
  return el("span", {}, el("strong", { class: `effect ${effect}` }, shown(effect)), " ",
    el("span", { class: "soft" }, EFFECTS[effect] ?? ""));
}

function dialogsView(dialogs) {
  if (!dialogs?.length) return null;
  return el("span", {}, dialogs.map((d, i) => [i ? ", " : "", screenText(d.title || d.window_uid)]).flat());
}

function receiptFacts(answer) {
  return facts([
    ["Effect", answer.effect ? effectView(answer.effect) : null],
    ["Route", answer.route ? el("code", {}, shown(answer.route)) : null],
    ["Evidence", answer.evidence ? screenText(answer.evidence) : null],
    ["Note", answer.note ? screenText(answer.note) : null],
    ["Warning", answer.warning ? screenText(answer.warning) : null],
    ["Target", answer.target?.selector ? screenText(answer.target.selector) : null],
    ["New windows", dialogsView(answer.new_dialogs)],
    ["Tree", answer.changed === undefined ? null : answer.changed ? "changed" : "unchanged"],
    ["Took", answer.duration_ms === undefined ? null : `${answer.duration_ms} ms`],
    ["Step", answer.step_id === undefined ? null : String(answer.step_id)],
  ]);
}

function summaryOf(what, { answer, error }) {
  const came = error ? error.code : answer.dry_run ? "dry run" : answer.effect ?? "done";
  return `${what.label}: ${shown(what.on)}: ${came}`;
}

/** Puts the receipt that was the newest to the earlier ones. */
function shelve() {
  const earlier = byId("earlier");
  const old = byId("receipts").querySelector("details");
  if (!old) return;
  old.open = false;
  earlier.querySelector("h3").after(old);
  earlier.hidden = false;
  while (earlier.querySelectorAll("details").length > KEPT) earlier.lastElementChild.remove();
}

/** Shows the receipt of an act as the newest one. */
export function addReceipt(what, outcome) {
  shelve();
  const { answer, error } = outcome;
  const view = el("details", { class: error ? "receipt failed" : "receipt", open: true },
    el("summary", {}, screenText(summaryOf(what, outcome))),
    error ? errorView(error) : null,
    receiptFacts(error ? error.answer ?? {} : answer));
  byId("receipts").replaceChildren(view);
  const more = error ? error.message : answer.evidence ?? answer.note ?? "";
  say([summaryOf(what, outcome), more].filter(Boolean).join(". "));
}

export function startReceipts() {
  byId("receipts").append(el("p", { class: "soft" }, "Nothing has been done yet."));
}
