// SPDX-License-Identifier: Apache-2.0
// What is known of the selected element, and the selector that leads to it.

import { get } from "./api.js";
import { byId, el, facts, say, screenText, shown } from "./dom.js";
import { flagsOf, titleOf } from "./model.js";
import { tryOut } from "./selector.js";
import { on, store } from "./store.js";

let selectorOf = { id: null, hash: null, text: null };

function selectorView() {
  const code = el("code", { id: "element-selector" }, shown(selectorOf.text ?? "…"));
  const copy = el("button", { type: "button", class: "small", onclick: copySelector }, "Copy");
  const use = el("button", { type: "button", class: "small", onclick: () => tryOut(selectorOf.text) }, "Try");
  return el("div", {}, code, el("p", { class: "buttons selector-buttons" }, copy, use));
}

async function copySelector() {
  try {
    await navigator.clipboard.writeText(selectorOf.text);
    say("The selector is copied.");
  } catch {
    getSelection().selectAllChildren(byId("element-selector"));
    say("The selector is marked; copy it with the keyboard.");
  }
}

function show() {
  const place = byId("element");
  const node = store.selected ? store.tree?.node(store.selected) : null;
  byId("element-acts").hidden = !node;
  if (!node) {
    place.replaceChildren(el("p", { class: "soft" }, "Select an element in the tree or on the picture."));
    return;
  }
  const b = node.bounds;
  place.replaceChildren(
    el("p", { class: "element-name" }, el("span", { class: "role" }, shown(node.role)), " ",
      screenText(node.name || "(no name)")),
    facts([
      ["Selector", selectorView()],
      ["Value", node.value === null || node.value === "" ? null : screenText(node.value)],
      ["Number", node.value_now === undefined ? null
        : `${node.value_now} (from ${node.value_min ?? "?"} to ${node.value_max ?? "?"})`],
      ["State", [...flagsOf(node), node.expanded === undefined ? null : node.expanded ? "open" : "closed"]
        .filter(Boolean).join(", ")],
      ["Description", node.description ? screenText(node.description) : null],
      ["Shortcut", node.keyboard_shortcut ? screenText(node.keyboard_shortcut) : null],
      ["Bounds", b ? `${b.width} × ${b.height} at ${b.x}, ${b.y}` : null],
      ["Id", el("code", {}, shown(node.id))],
    ]));
}

/** Has the observer derive the element's selector, once for each tree. */
async function derive() {
  const { selected: id, tree, window } = store;
  if (!id || !tree || (selectorOf.id === id && selectorOf.hash === tree.hash)) return;
  selectorOf = { id, hash: tree.hash, text: null };
  try {
    const answer = await get("/api/find_element", { selector: tree.pathOf(id), window_uid: window.window_uid });
    if (selectorOf.id !== id) return;
    selectorOf.text = answer.element_id === id ? answer.element_selector : tree.pathOf(id);
  } catch {
    selectorOf.text = tree.pathOf(id);
  }
  if (store.selected === id) show();
}

export function startElement() {
  on("selected tree", () => {
    show();
    derive();
  });
  on("selected", () => {
    const node = store.selected && store.tree?.node(store.selected);
    if (node) say(`Selected ${shown(titleOf(node))}`);
  });
  show();
}
