// SPDX-License-Identifier: Apache-2.0
// Trying a selector: what it matches, drawn on the picture; where it is wrong, shown under its column.

import { errorView, get } from "./api.js";
import { byId, el, field, say, screenText, shown } from "./dom.js";
import { titleOf } from "./model.js";
import { on, store, update } from "./store.js";

const { input, row } = field('Selector, such as //Button[name="OK"]', { "aria-describedby": "selector-result" });
const result = el("div", { id: "selector-result" });

/** The column that a parse error names, from 1; null when it names none. */
export function columnOf(message) {
  const found = /column (\d+)/.exec(message);
  return found ? Number(found[1]) : null;
}

function matchList(answer) {
  const total = answer.total_matches;
  const items = answer.all_matches.map((match) => el("li", {},
    el("button", { type: "button", class: "link", onclick: () => update({ selected: match.element_id }) },
      screenText(titleOf(match)))));
  const head = total === 1 ? "1 element matches." : `${total} elements match` +
    (total > items.length ? `; the first ${items.length}:` : ".");
  return [el("p", {}, head), el("ol", { class: "matches" }, items)];
}

/** The selector with a mark under the character that is the matter. */
function pointer(text, column) {
  const characters = [...text];
  return el("pre", { class: "pointer", "aria-hidden": "true" },
    `${shown(characters.join(""))}\n${" ".repeat(Math.max(0, column - 1))}^`);
}

function near(error) {
  const others = error.context.did_you_mean ?? [];
  if (others.length === 0) return null;
  return el("div", {}, el("p", { class: "soft" }, "Near it:"), el("ul", { class: "matches" },
    others.map((other) => el("li", {}, el("button", {
      type: "button", class: "link", onclick: () => tryOut(other.selector),
    }, screenText(other.selector))))));
}

function showError(text, error) {
  const column = error.code === "BadRequest" ? columnOf(error.message) : null;
  input.setAttribute("aria-invalid", "true");
  result.replaceChildren(...[column ? pointer(text, column) : null, errorView(error), near(error)].filter(Boolean));
  if (column) {
    // Columns count characters, the input counts UTF-16 units.
    const at = [...text].slice(0, column - 1).join("").length;
    input.setSelectionRange(at, Math.min(at + 1, text.length));
  }
  say(`${error.code}: ${error.message}`);
  update({ matches: [] });
}

/** Puts a selector into the tester and looks what it matches. */
export async function tryOut(text) {
  input.value = text;
  input.removeAttribute("aria-invalid");
  if (!text.trim() || !store.window) {
    result.replaceChildren();
    return update({ matches: [] });
  }
  try {
    const answer = await get("/api/find_element", { selector: text, window_uid: store.window.window_uid });
    result.replaceChildren(...matchList(answer));
    say(result.firstChild.textContent);
    update({ matches: answer.all_matches });
  } catch (error) {
    showError(text, error);
  }
}

export function startSelector() {
  const form = el("form", { class: "inline" }, row, el("button", { type: "submit" }, "Try"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    tryOut(input.value);
  });
  byId("selector").append(form, result);
  on("window", () => result.replaceChildren());
}
