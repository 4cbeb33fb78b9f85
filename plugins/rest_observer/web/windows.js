// SPDX-License-Identifier: Apache-2.0
// The list of windows.

import { byId, el, screenText, shown } from "./dom.js";
import { on, store, update } from "./store.js";

function sizeOf(bounds) {
  return `${bounds.width} × ${bounds.height} at ${bounds.x}, ${bounds.y}`;
}

function entry(window) {
  const current = window.window_uid === store.window?.window_uid;
  const button = el("button", {
    type: "button", "aria-current": current ? "true" : null, onclick: () => choose(window),
  },
  screenText(window.title || "(no title)", { class: "title" }),
  el("span", { class: "soft" }, shown(window.process), ` · ${sizeOf(window.bounds)}`,
    window.focused ? " · has the focus" : "", window.minimized ? " · minimised" : ""));
  button.dataset.uid = window.window_uid;
  return el("li", {}, button);
}

/** Shows a window: its tree, its picture; what was selected in another one is forgotten. */
export function choose(window) {
  if (window?.window_uid === store.window?.window_uid) return;
  update({ window, tree: null, selected: null, hovered: null, matches: [], point: null });
}

function show() {
  const list = byId("windows");
  const focused = document.activeElement?.dataset?.uid;
  const windows = store.windows ?? [];
  list.replaceChildren(...windows.map(entry));
  if (store.windows?.length === 0) list.append(el("li", { class: "soft" }, "There is no window."));
  if (focused) list.querySelector(`[data-uid="${CSS.escape(focused)}"]`)?.focus();
}

/** Takes a new list. The chosen window stays chosen while it exists, else the focused one is. */
export function takeWindows(windows) {
  if (JSON.stringify(windows) !== JSON.stringify(store.windows)) update({ windows });
  const same = windows.find((window) => window.window_uid === store.window?.window_uid);
  if (!same) choose(windows[0] ?? null);
  else if (JSON.stringify(same) !== JSON.stringify(store.window)) store.window = same;
}

export function startWindows() {
  on("windows window", show);
}
