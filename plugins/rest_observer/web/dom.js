// SPDX-License-Identifier: Apache-2.0
// Building the page. Text becomes text nodes only, never markup, and what would reorder or hide text
// is shown as what it is.

const NAMES = new Map([
  ["\n", "↵"], ["\t", "⇥"], ["\r", "␍"],
]);
// C0 and C1 controls, bidi controls, zero-width and tag characters, and the byte order mark.
const UNSHOWN =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu;

function named(character) {
  const code = character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
  return NAMES.get(character) ?? `⟨U+${code}⟩`;
}

/** Text from the screen on one line, with every character that has no shape of its own named. */
export function shown(text) {
  return String(text ?? "").replace(UNSHOWN, named);
}

/** The same over several lines: line ends stay. */
export function shownLines(text) {
  return String(text ?? "").replace(UNSHOWN, (c) => (c === "\n" || c === "\t" ? c : named(c)));
}

function assign(element, name, value) {
  if (value === false || value === null || value === undefined) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (name in element && typeof value !== "string") element[name] = value;
  else element.setAttribute(name, value === true ? "" : value);
}

/** An element with attributes (`onclick` and the like are listeners) and children (texts or nodes). */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) assign(element, name, value);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export function svg(tag, attributes = {}) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

/** Text from the screen: kept apart from the direction of what stands around it. */
export function screenText(text, attributes = {}) {
  return el("bdi", attributes, shown(text));
}

/** A list of terms and what they are; rows without a value are left out. */
export function facts(rows) {
  const list = el("dl", { class: "facts" });
  for (const [term, value] of rows) {
    if (value === null || value === undefined || value === "") continue;
    list.append(el("div", {}, el("dt", {}, term), el("dd", {}, value)));
  }
  return list;
}

let lastId = 0;

/** An input with its visible label. */
export function field(label, attributes = {}) {
  const id = `field-${++lastId}`;
  const input = el(attributes.options ? "select" : "input",
    { id, autocomplete: "off", spellcheck: "false", ...attributes, options: undefined });
  for (const option of attributes.options ?? []) input.append(el("option", { value: option }, option));
  return { input, row: el("div", { class: "field" }, el("label", { for: id }, label), input) };
}

export const byId = (id) => document.getElementById(id);

/** Says something in the line at the bottom; a screen reader reads it out. */
export function say(text) {
  byId("spoken").textContent = text;
}
