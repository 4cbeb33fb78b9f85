// SPDX-License-Identifier: Apache-2.0
// What differs between the tree before an act and the tree after it, one line for each element.

import { errorView, get } from "./api.js";
import { byId, el, screenText, shown } from "./dom.js";
import { titleOf } from "./model.js";

const SHOWN = 60;

function short(value) {
  if (value === null || value === undefined || value === "") return "nothing";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

function fieldChanges(fields, old) {
  const parts = [];
  for (const [name, value] of Object.entries(fields)) {
    if (name === "id") continue;
    parts.push(el("span", { class: "change" }, parts.length > 0 ? ", " : ": ", `${name}: `,
      old && name in old ? [screenText(short(old[name]), { class: "old" }), " → "] : null,
      screenText(short(value), { class: "new" })));
  }
  return parts;
}

const last = (path) => path.slice(path.lastIndexOf("/") + 1);
const parent = (path) => path.slice(0, Math.max(0, path.lastIndexOf("/")));

/** Positions of the tree before only hold while nothing was added, removed or moved. */
const keepsPlaces = (changes) => changes.every((change) => change.op === "replace");

function line(change, before, after, places) {
  const node = after?.atPath(change.path ?? change.to ?? "");
  const old = places ? before?.atPath(change.path) : null;
  switch (change.op) {
    case "replace":
      return ["~", el("span", {}, screenText(node ? titleOf(node) : change.path), fieldChanges(change.fields, old))];
    case "add":
      return ["+", screenText(titleOf(change.node))];
    case "remove": {
      const gone = before?.atPath(change.path);
      return ["−", gone ? screenText(titleOf(gone))
        : `child ${last(change.path)} of ${shown(titleOf(after?.atPath(parent(change.path)) ?? { role: "?" }))}`];
    }
    case "move":
      return ["↕", el("span", {}, screenText(node ? titleOf(node) : change.to), ` moved from ${change.from}`)];
    default:
      return ["?", shown(JSON.stringify(change))];
  }
}

const WORDS = { "+": "added", "−": "removed", "~": "changed", "↕": "moved" };

function changesView(changes, before, after) {
  const places = keepsPlaces(changes);
  return el("ul", { class: "diff" }, changes.map((change) => {
    const [sign, view] = line(change, before, after, places);
    return el("li", { class: change.op }, el("span", { class: "sign", "aria-hidden": "true" }, sign),
      el("span", { class: "spoken" }, `${WORDS[sign] ?? ""} `), view);
  }));
}

let asked = 0;  // answers may overtake each other, and that to the newest question counts

/** Shows what changed in a window between `before` and now; `after` is the tree as it is now. */
export async function showDiff(window, before, after) {
  if (!before) return;
  const mine = ++asked;
  const view = await diffView(window, before, after);
  if (mine === asked) byId("diff").replaceChildren(view);
}

async function diffView(window, before, after) {
  try {
    const answer = await get("/api/observe", { window_uid: window.window_uid, since: before.token });
    if (answer.format === "full") {
      return el("p", { class: "soft" }, "The tree before is not kept any more, so there is no comparison.");
    }
    if (answer.changes.length === 0) return el("p", { class: "soft" }, "Nothing changed in this window.");
    return changesView(answer.changes, before, after);
  } catch (error) {
    return error.code === "WindowGone" ? el("p", { class: "soft" }, "The window is gone.") : errorView(error);
  }
}

export function startDiff() {
  byId("diff").append(el("p", { class: "soft" }, "Nothing to compare yet."));
}
