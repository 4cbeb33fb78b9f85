// SPDX-License-Identifier: Apache-2.0
// The three ways to look at a window: picture, sketch and words, as tabs.

import { errorView, get } from "./api.js";
import { byId, el, shownLines } from "./dom.js";
import { refreshPicture } from "./picture.js";
import { store } from "./store.js";

const VIEWS = ["picture", "sketch", "prose"];
let current = "picture";

async function textOf(name, window_uid) {
  if (name === "sketch") return (await get("/api/sketch", { window_uid })).sketch;
  const answer = await get("/api/description", { window_uid });
  return answer.description ?? answer.accessibility;
}

async function refreshText(name) {
  const place = byId(name);
  const uid = store.window?.window_uid;
  if (!uid) return place.replaceChildren(el("p", { class: "soft" }, "No window is chosen."));
  try {
    const text = await textOf(name, uid);
    if (store.window?.window_uid !== uid) return;
    place.replaceChildren(el("pre", { class: name }, shownLines(text)));
  } catch (error) {
    place.replaceChildren(errorView(error));
  }
}

/** Brings the visible view up to date. */
export function refreshView() {
  return current === "picture" ? refreshPicture() : refreshText(current);
}

/** Whether what is visible costs a picture. */
export const showsPicture = () => current === "picture";

function select(name) {
  current = name;
  for (const view of VIEWS) {
    const tab = byId(`tab-${view}`);
    tab.setAttribute("aria-selected", String(view === name));
    tab.tabIndex = view === name ? 0 : -1;
    byId(view).hidden = view !== name;
  }
  refreshView();
}

function onKey(event) {
  const steps = { ArrowRight: 1, ArrowLeft: -1 };
  let at = VIEWS.indexOf(current);
  if (event.key in steps) at = (at + steps[event.key] + VIEWS.length) % VIEWS.length;
  else if (event.key === "Home") at = 0;
  else if (event.key === "End") at = VIEWS.length - 1;
  else return;
  event.preventDefault();
  select(VIEWS[at]);
  byId(`tab-${VIEWS[at]}`).focus();
}

export function startViews() {
  for (const view of VIEWS) {
    const tab = byId(`tab-${view}`);
    tab.addEventListener("click", () => select(view));
    tab.addEventListener("keydown", onKey);
  }
}
