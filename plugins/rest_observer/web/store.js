// SPDX-License-Identifier: Apache-2.0
// What the page knows, and who wants to hear when it changes. Parts of the page talk through here and
// not to each other.

const listeners = new Map();

export const store = {
  capabilities: null,  // answer of /api/capabilities
  windows: null,       // entries of /api/windows, when they have been read
  window: null,        // the chosen entry
  tree: null,          // TreeModel of the chosen window
  selected: null,      // id of an element, or null
  hovered: null,       // id of an element, or null
  matches: [],         // elements that the selector under test matches
  point: null,         // {x, y} on the screen where the picture was clicked last
  unreachable: false,  // whether the last request had no answer
  tracing: false,      // whether a trace is being recorded
  screenshotBudget: false,  // whether pictures are counted against a limit
};

/** Calls `listener` after each change of one of the names (separated by spaces). */
export function on(names, listener) {
  for (const name of names.split(" ")) {
    if (!listeners.has(name)) listeners.set(name, []);
    listeners.get(name).push(listener);
  }
}

/** Takes new values, then tells of them once, also where the value is the same object. */
export function update(changes) {
  Object.assign(store, changes);
  const told = new Set();
  for (const name of Object.keys(changes)) {
    for (const listener of listeners.get(name) ?? []) told.add(listener);
  }
  for (const listener of told) listener();
}
