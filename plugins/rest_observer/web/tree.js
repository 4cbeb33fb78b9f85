// SPDX-License-Identifier: Apache-2.0
// The tree of elements: a list of which only the visible rows exist, operated as the ARIA pattern for
// trees says (arrows, Home, End, Enter, *, typing a name).

import { get } from "./api.js";
import { byId, el, field, say, screenText, shown } from "./dom.js";
import { flagsOf, titleOf, valueOf } from "./model.js";
import { firstOpen, rowsOf } from "./rows.js";
import { on, store, update } from "./store.js";

const ROW_HEIGHT = 26;  // CSS pixels, as style.css has it
const SPARE_ROWS = 8;   // kept beyond both edges, so that scrolling shows no gap
const TYPING_MS = 700;

let open = new Set();
let query = "";
let rows = [];
let active = null;  // id of the row that the keyboard is at
let typed = { text: "", at: 0 };
let report = () => {};

const list = byId("tree");
const space = el("div", { role: "none", class: "space" });

const rowId = (id) => `row-${id}`;
const indexOf = (id) => rows.findIndex((row) => row.node.id === id);

function rowView(row, index) {
  const { node } = row;
  const flags = flagsOf(node);
  const value = valueOf(node);
  const item = el("div", {
    id: rowId(node.id), role: "treeitem", class: row.hit ? "row hit" : "row",
    "aria-level": String(row.level), "aria-posinset": String(row.position + 1),
    "aria-setsize": String(row.size), "aria-selected": String(node.id === store.selected),
    "aria-label": [shown(titleOf(node)), value ? `value ${shown(value)}` : "", ...flags]
      .filter(Boolean).join(", "),
    "aria-expanded": row.branch ? String(row.open) : null,
  },
  el("span", { class: "twist", "aria-hidden": "true" }, row.branch ? (row.open ? "▾" : "▸") : ""),
  el("span", { class: "role" }, shown(node.role)), " ",
  screenText(node.name, { class: "name" }),
  value ? screenText(value, { class: "value" }) : null,
  flags.map((flag) => el("span", { class: "flag" }, flag)));
  item.classList.toggle("active", node.id === active);
  item.style.top = `${index * ROW_HEIGHT}px`;
  item.style.paddingInlineStart = `${6 + (row.level - 1) * 14}px`;
  item.dataset.id = node.id;
  return item;
}

/** Makes the rows that can be seen, and the one that the keyboard is at. */
function paint() {
  space.style.height = `${rows.length * ROW_HEIGHT}px`;
  const first = Math.max(0, Math.floor(list.scrollTop / ROW_HEIGHT) - SPARE_ROWS);
  const last = Math.min(rows.length,
    Math.ceil((list.scrollTop + list.clientHeight) / ROW_HEIGHT) + SPARE_ROWS);
  const wanted = [];
  for (let i = first; i < last; ++i) wanted.push(i);
  const at = indexOf(active);
  if (at >= 0 && (at < first || at >= last)) wanted.push(at);
  space.replaceChildren(...wanted.map((i) => rowView(rows[i], i)));
  if (at >= 0) list.setAttribute("aria-activedescendant", rowId(active));
  else list.removeAttribute("aria-activedescendant");
}

function note() {
  const model = store.tree;
  const cut = model.cutCount();
  const hits = rows.filter((row) => row.hit).length;
  const parts = [query ? `${hits} of ${model.size} elements` : `${model.size} elements`];
  if (cut > 0) parts.push(`${cut} deeper ${cut === 1 ? "branch is" : "branches are"} read when opened`);
  byId("tree-note").textContent = parts.join("; ");
  return parts[0];
}

function rebuild() {
  if (!store.tree) {
    rows = [];
    byId("tree-note").textContent = store.window
      ? "No elements have been read yet." : "Choose a window to see its elements.";
  } else {
    rows = rowsOf(store.tree, open, query);
    if (indexOf(active) < 0) active = rows[0]?.node.id ?? null;
    note();
  }
  paint();
}

function scrollTo(index) {
  const top = index * ROW_HEIGHT;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + ROW_HEIGHT > list.scrollTop + list.clientHeight) {
    list.scrollTop = top + ROW_HEIGHT - list.clientHeight;
  }
}

function moveTo(index) {
  if (index < 0 || index >= rows.length) return;
  active = rows[index].node.id;
  scrollTo(index);
  paint();
  update({ hovered: active });
}

/** Reads the children of an element that was cut. */
async function readMore(node) {
  const depth = store.capabilities?.config?.tree_max_depth;
  const model = store.tree;
  const answer = await get("/api/structure", { window_uid: store.window.window_uid, scope: node.id, depth });
  if (store.tree !== model) return;
  model.graft(node.id, answer.tree?.children ?? []);
}

/** Reads again what stands open below elements that were cut: a new tree comes without it. */
async function regrow() {
  const model = store.tree;
  const wanted = () => [...model.places.values()].map((place) => place.node)
    .filter((node) => open.has(node.id) && model.isCut(node));
  try {
    for (let cut = wanted(); cut.length > 0 && store.tree === model; cut = wanted()) {
      for (const node of cut) await readMore(node);
      if (store.tree === model) rebuild();
    }
  } catch (error) {
    report(error);
  }
}

async function setOpen(row, wanted) {
  if (!row?.branch || query) return;
  if (wanted) open.add(row.node.id);
  else open.delete(row.node.id);
  rebuild();
  if (wanted) await regrow();
}

function openBranches(id) {
  for (let node = store.tree.parentOf(id); node; node = store.tree.parentOf(node.id)) open.add(node.id);
}

function typeAhead(character) {
  const now = performance.now();
  typed = { text: now - typed.at < TYPING_MS ? typed.text + character : character, at: now };
  const wanted = typed.text.toLocaleLowerCase();
  const start = indexOf(active) + (typed.text.length > 1 ? 0 : 1);
  for (let i = 0; i < rows.length; ++i) {
    const at = (start + i) % rows.length;
    const { node } = rows[at];
    if ((node.name || node.role).toLocaleLowerCase().startsWith(wanted)) return moveTo(at);
  }
}

const page = () => Math.max(1, Math.floor(list.clientHeight / ROW_HEIGHT) - 1);

const KEYS = {
  ArrowDown: (at) => moveTo(at + 1),
  ArrowUp: (at) => moveTo(at - 1),
  Home: () => moveTo(0),
  End: () => moveTo(rows.length - 1),
  PageDown: (at) => moveTo(Math.min(rows.length - 1, at + page())),
  PageUp: (at) => moveTo(Math.max(0, at - page())),
  ArrowRight: (at) => (rows[at].branch && !rows[at].open ? setOpen(rows[at], true)
    : rows[at].open && moveTo(at + 1)),
  ArrowLeft: (at) => (rows[at].open && !query ? setOpen(rows[at], false)
    : moveTo(indexOf(store.tree.parentOf(rows[at].node.id)?.id))),
  Enter: (at) => update({ selected: rows[at].node.id }),
  " ": (at) => update({ selected: rows[at].node.id }),
  "*": (at) => {
    const level = rows[at].level;
    for (const row of rows) if (row.level === level && row.branch) open.add(row.node.id);
    rebuild();
  },
};

function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || rows.length === 0) return;
  const at = Math.max(0, indexOf(active));
  const handler = KEYS[event.key];
  if (handler) handler(at);
  else if (event.key.length === 1) typeAhead(event.key);
  else return;
  event.preventDefault();
}

function onClick(event) {
  const item = event.target.closest("[data-id]");
  if (!item) return;
  const at = indexOf(item.dataset.id);
  if (event.target.classList.contains("twist")) {
    setOpen(rows[at], !rows[at].open);
    return;
  }
  active = item.dataset.id;
  update({ selected: active });
}

function search(text) {
  query = text.trim();
  rebuild();
  list.scrollTop = 0;
  const first = rows.findIndex((row) => row.hit);
  if (query) {
    if (first >= 0) moveTo(first);
    say(first >= 0 ? note() : "No element fits.");
  }
}

function makeSearch() {
  const { input, row } = field("Search by role, name, value or id", { type: "search" });
  input.addEventListener("input", () => search(input.value));
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== "ArrowDown") return;
    event.preventDefault();
    if (event.key === "ArrowDown") return list.focus();
    const at = indexOf(active);
    const next = rows.findIndex((r, i) => r.hit && i > at);
    moveTo(next >= 0 ? next : rows.findIndex((r) => r.hit));
  });
  byId("tree-search").append(row);
}

/** What was open stays open where it still is; a new window begins with its own. */
function onTree() {
  if (store.tree && open.window !== store.window.window_uid) {
    open = firstOpen(store.tree);
    open.window = store.window.window_uid;
    active = null;
    list.scrollTop = 0;
  }
  rebuild();
  if (!store.tree) return;
  performance.mark("gantry:tree");
  regrow();
}

function onSelected() {
  if (store.selected && store.tree) {
    openBranches(store.selected);
    active = store.selected;
    rebuild();
    if (indexOf(active) >= 0) scrollTo(indexOf(active));
  }
  paint();
}

export function startTree(reportError) {
  report = reportError;
  list.append(space);
  makeSearch();
  list.addEventListener("keydown", onKey);
  list.addEventListener("click", onClick);
  list.addEventListener("dblclick", (event) => {
    const item = event.target.closest("[data-id]");
    const row = item && rows[indexOf(item.dataset.id)];
    if (row) setOpen(row, !row.open);
  });
  list.addEventListener("pointermove", (event) => {
    const id = event.target.closest("[data-id]")?.dataset.id ?? null;
    if (id && id !== store.hovered) update({ hovered: id });
  });
  list.addEventListener("pointerleave", () => update({ hovered: null }));
  list.addEventListener("scroll", paint, { passive: true });
  new ResizeObserver(paint).observe(list);
  on("tree window", onTree);
  on("selected", onSelected);
  rebuild();
}
