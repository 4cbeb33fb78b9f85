// SPDX-License-Identifier: Apache-2.0
// Keeping the page current without being a burden: it asks for what changed since the last time, less
// often while nothing does, and not at all while nobody looks or a trace records.

import { get } from "./api.js";
import { byId } from "./dom.js";
import { TreeModel } from "./model.js";
import { refreshState } from "./state.js";
import { on, store, update } from "./store.js";
import { refreshView, showsPicture } from "./views.js";
import { takeWindows } from "./windows.js";

const QUICK_MS = 1500;
const SLOW_MS = 6000;
const STATE_EVERY = 5;  // rounds

let wait = QUICK_MS;
let timer = null;
let rounds = 0;
let looked = false;  // whether anything has been asked for to its end
let failed = false;  // whether the last look was in vain
let report = () => {};

const depth = () => store.capabilities?.config?.tree_max_depth;

/** What is selected stays selected where it went; what is gone is not selected any more. */
function follow(old, tree) {
  const node = store.selected && old ? old.node(store.selected) : null;
  const selected = node ? tree.sameAs(node)?.id ?? null : null;
  update(selected === store.selected ? { tree } : { tree, selected });
}

/** Reads the chosen window's tree, or only what changed in it. Resolves to whether it is another one. */
export async function refreshTree() {
  const { window, tree } = store;
  if (!window) return false;
  const answer = await get("/api/observe", {
    window_uid: window.window_uid, since: tree?.token, format: "json-patch", depth: depth(),
  });
  if (store.window?.window_uid !== window.window_uid || store.tree !== tree) return false;
  if (answer.format === "full") {
    follow(tree, new TreeModel(answer));
    return true;
  }
  if (answer.changes.length === 0 && answer.unchanged) {
    tree.token = answer.tree_token;
    return false;
  }
  follow(tree, tree.after(answer));
  return true;
}

/** Reads the list of windows. Resolves to whether another one was chosen, which reads its own. */
async function refreshWindows(answer = get("/api/windows")) {
  const uid = store.window?.window_uid;
  takeWindows((await answer).windows);
  return store.window?.window_uid !== uid;
}

/** Everything anew, also what costs a picture: after an act, and when it is asked for. `windows` is an
    answer of /api/windows that is under way already. */
export async function refreshAll(windows = undefined) {
  try {
    const chosen = await refreshWindows(windows);
    if (!chosen) await refreshTree();
    await Promise.all([chosen ? null : refreshView(), refreshState()]);
    settle(true);
  } catch (error) {
    settle(false);
    // The guard and the trace need no desktop, but somebody who answers.
    if (error.status && error.status !== 401) await refreshState();
    throw error;
  }
  wait = QUICK_MS;
}

function settle(good) {
  looked ||= good;
  failed = !good;
  showLive();
}

async function look() {
  const changed = (await refreshWindows()) || (await refreshTree());
  if (changed && !(showsPicture() && store.screenshotBudget)) await refreshView();
  if (++rounds % STATE_EVERY === 0 || store.tracing) await refreshState();
  return changed;
}

function isWanted() {
  return byId("live").checked && !document.hidden;
}

async function round() {
  timer = null;
  if (isWanted()) {
    try {
      if (store.tracing) await refreshState();
      else wait = (await look()) ? QUICK_MS : Math.min(SLOW_MS, wait * 1.5);
      settle(true);
      report(null);
    } catch (error) {
      wait = SLOW_MS;
      settle(error.code === "WindowGone");
      if (error.code === "WindowGone") update({ window: null, tree: null, selected: null });
      else report(error);
    }
  }
  schedule();
}

function showLive() {
  const text = store.unreachable ? "no answer" : !store.capabilities ? "" : !isWanted() ? "paused"
    : store.tracing ? "paused while recording" : failed ? "could not read" : looked ? "up to date" : "reading";
  if (byId("live-state").textContent !== text) byId("live-state").textContent = text;
}

function schedule() {
  clearTimeout(timer);
  showLive();
  timer = isWanted() ? setTimeout(round, wait) : null;
}

/** Begins to look; `reportError` hears of every round: an error, or null. */
export function startLive(reportError) {
  report = reportError;
  const again = () => {
    wait = QUICK_MS;
    if (isWanted()) round();
    else schedule();
  };
  document.addEventListener("visibilitychange", again);
  byId("live").addEventListener("change", again);
  on("tracing capabilities unreachable", schedule);
  schedule();
}
