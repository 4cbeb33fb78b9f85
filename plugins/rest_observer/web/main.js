// SPDX-License-Identifier: Apache-2.0
// Puts the parts of the page together.

import { forgetToken, get, hasToken, setTokenPrompt, showProblem } from "./api.js";
import { startActions } from "./actions.js";
import { askForToken } from "./dialogs.js";
import { showDiff, startDiff } from "./diff.js";
import { byId, shown } from "./dom.js";
import { startElement } from "./element.js";
import { refreshAll, refreshTree, startLive } from "./live.js";
import { startPicture } from "./picture.js";
import { addReceipt, startReceipts } from "./receipts.js";
import { startReplay } from "./replay.js";
import { startSelector } from "./selector.js";
import { startState } from "./state.js";
import { on, store, update } from "./store.js";
import { startTree } from "./tree.js";
import { refreshView, startViews } from "./views.js";
import { startWindows } from "./windows.js";

/** Runs work of the page and shows what went wrong with it. */
async function guarded(work) {
  try {
    await work();
    showProblem(null);
  } catch (error) {
    showProblem(error);
  }
}

async function afterAct(what, outcome, before) {
  addReceipt(what, outcome);
  const { window } = store;
  await guarded(async () => {
    await refreshAll();
    const same = store.window?.window_uid === window.window_uid;
    await showDiff(window, before, same ? store.tree : null);
  });
}

async function connect() {
  const capabilities = await get("/api/capabilities");
  update({ capabilities });
  byId("server").textContent = `${shown(capabilities.adapter)} on ${shown(capabilities.platform)}, version ${shown(capabilities.version)}`;
  byId("forget-token").hidden = !hasToken();
}

function startBar() {
  byId("refresh").addEventListener("click", () => guarded(async () => {
    if (!store.capabilities) await connect();
    await refreshAll();
  }));
  byId("forget-token").addEventListener("click", () => {
    forgetToken();
    location.reload();
  });
}

setTokenPrompt(askForToken);
startBar();
startWindows();
startViews();
startPicture();
startTree(showProblem);
startElement();
startSelector();
startActions(afterAct);
startReceipts();
startDiff();
startState();
startReplay(() => guarded(refreshAll));
// The tree first: a picture takes longer, and is not needed to begin.
on("window", () => {
  if (store.window && !store.tree) guarded(() => refreshTree().finally(refreshView));
});
guarded(async () => {
  const windows = get("/api/windows");
  windows.catch(() => {});  // refreshAll() hears of it, when there is somebody to tell
  await connect();
  await refreshAll(windows);
});
startLive((error) => showProblem(error, "live"));
