// SPDX-License-Identifier: Apache-2.0
// Acts on the selected element and on the window. Each is a tool of the observer by its own name, so
// that the guard's proposal and the act itself have the same arguments.

import { tool } from "./api.js";
import { byId, el, field } from "./dom.js";
import { askToConfirm } from "./dialogs.js";
import { titleOf } from "./model.js";
import { on, store } from "./store.js";

const text = (name, label, more = {}) => ({ name, label, ...more });
const number = (name, label, more = {}) => ({ name, label, type: "number", step: "1", ...more });

const ON_ELEMENT = [
  { tool: "click_element", label: "Click" },
  { tool: "double_click_element", label: "Double-click" },
  { tool: "right_click_element", label: "Right-click" },
  { tool: "hover_element", label: "Hover" },
  { tool: "focus_element", label: "Focus" },
  { tool: "invoke_element", label: "Invoke" },
  { tool: "clear_text", label: "Clear text" },
  { tool: "set_value", label: "Set value", fields: [text("value", "New value")] },
  { tool: "key_into_element", label: "Press keys", fields: [text("keys", "Keys in it, such as enter or ctrl+s")] },
  { tool: "select_option", label: "Select", fields: [text("option_name", "Option's name")] },
];
const ON_WINDOW = [
  { tool: "bring_to_foreground", label: "Bring to front", dry: false },
  { tool: "type_text", label: "Type", fields: [text("text", "Text for what has the focus")] },
  { tool: "press_key", label: "Press", fields: [text("keys", "Keys, such as enter or ctrl+s")] },
  { tool: "click_at", label: "Click there", fields: [number("x", "x", { point: true }), number("y", "y", { point: true })] },
  { tool: "scroll", label: "Scroll", fields: [number("x", "At x", { point: true }), number("y", "at y", { point: true }), number("clicks", "clicks (down is −)", { value: "-3" })] },
  { tool: "drag", label: "Drag", fields: [number("from.x", "From x"), number("from.y", "y"), number("to.x", "to x", { point: true }), number("to.y", "y", { point: true })] },
];

let done = () => {};
let busy = false;
// What is typed for such an element is not shown on the page either.
const SECRET = /password|passphrase|passcode|\bpin\b/i;
const dryRun = el("input", { type: "checkbox", id: "dry-run" });

/** Puts a field's value where its name says; "from.x" is x in from. Empty fields are left out. */
function put(args, name, value) {
  const [outer, inner] = name.split(".");
  if (inner) (args[outer] ??= {})[inner] = value;
  else args[outer] = value;
}

/** Text for a value, the number or yes and no that the element has. */
function typedValue(node, value) {
  if (node.value_now !== undefined && value.trim() !== "" && Number.isFinite(Number(value))) return Number(value);
  if (node.selected !== undefined && /^(true|false)$/.test(value)) return value === "true";
  return value;
}

function argumentsOf(act, inputs, target) {
  const args = { window_uid: store.window?.window_uid };
  if (target) Object.assign(args, { element_id: target.id, tree_token: store.tree.token });
  for (const { input, spec } of inputs) {
    if (spec.type === "number" && input.value === "") continue;
    put(args, spec.name, spec.type === "number" ? Number(input.value) : input.value);
  }
  if (act.tool === "set_value") args.value = typedValue(target, args.value);
  if (dryRun.checked && act.dry !== false) args.dry_run = true;
  return args;
}

/** Runs a tool; where the guard wants a confirmation, asks the person and runs it with the token. */
async function runConfirmed(name, args) {
  try {
    return await tool(name, args);
  } catch (error) {
    if (error.code !== "ConfirmationRequired") throw error;
    const token = await askToConfirm(name, args);
    if (token === null) throw error;
    return tool(name, { ...args, confirm_token: token });
  }
}

async function perform(act, inputs, onElement) {
  const target = onElement ? store.tree?.node(store.selected) : null;
  if (busy || !store.window || (onElement && !target)) return;
  busy = true;
  document.body.classList.add("acting");
  const before = store.tree;
  const what = { label: act.label, tool: act.tool, on: target ? titleOf(target) : store.window.title };
  let outcome;
  try {
    outcome = { answer: await runConfirmed(act.tool, argumentsOf(act, inputs, target)) };
  } catch (error) {
    outcome = { error };
  } finally {
    busy = false;
    document.body.classList.remove("acting");
  }
  await done(what, outcome, before);
}

function actForm(act, onElement) {
  const inputs = (act.fields ?? []).map((spec) => {
    const { name, label, point, ...attributes } = spec;
    const made = field(label, attributes);
    if (point) made.input.dataset.point = name.endsWith("y") ? "y" : "x";
    return { ...made, spec };
  });
  const form = el("form", { class: "inline act" }, inputs.map((made) => made.row),
    el("button", { type: "submit" }, act.label));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    perform(act, inputs, onElement);
  });
  return form;
}

function actButton(act, onElement) {
  return el("button", { type: "button", onclick: () => perform(act, [], onElement) }, act.label);
}

function fill(place, acts, onElement) {
  const plain = acts.filter((act) => !act.fields);
  place.append(el("p", { class: "buttons" }, plain.map((act) => actButton(act, onElement))),
    ...acts.filter((act) => act.fields).map((act) => actForm(act, onElement)));
}

/** Texts belong to the element that they were typed for: another one begins with empty fields. */
function onSelected() {
  const node = store.selected && store.tree?.node(store.selected);
  const secret = Boolean(node) && SECRET.test(`${node.role} ${node.name}`);
  for (const form of byId("element-acts").querySelectorAll("form")) form.reset();
  for (const input of byId("element-acts").querySelectorAll("input")) input.type = secret ? "password" : "text";
}

/** `whenDone(what, {answer} or {error}, treeBefore)` is called after every act. */
export function startActions(whenDone) {
  done = whenDone;
  fill(byId("element-acts"), ON_ELEMENT, true);
  fill(byId("window-acts"), ON_WINDOW, false);
  byId("window-acts").append(el("p", {}, el("label", {}, dryRun, " Only check, do not act (dry run), here and above")));
  on("selected", onSelected);
  on("point", () => {
    if (!store.point) return;
    for (const input of document.querySelectorAll("[data-point]")) input.value = store.point[input.dataset.point];
  });
}
