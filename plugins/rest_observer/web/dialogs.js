// SPDX-License-Identifier: Apache-2.0
// The two questions of the page: for the token, and whether an act that the guard wants confirmed is
// meant.

import { tool } from "./api.js";
import { el, facts, field, screenText, shown } from "./dom.js";

/** Opens a modal dialog; resolves to the value of the button that closed it, "" for Escape. */
function ask(dialog) {
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue);
    });
  });
}

/** With `careful` the keyboard is at the second button first: a key that is held down confirms nothing. */
function buttons(dialog, yes, no, careful = false) {
  return el("p", { class: "buttons" },
    el("button", { type: "button", class: "primary", onclick: () => dialog.close("yes") }, yes),
    el("button", { type: "button", autofocus: careful, onclick: () => dialog.close("") }, no));
}

/** The bearer token, or null when it is not given. */
export async function askForToken(refused) {
  const { input, row } = field("Token", { type: "password", autocomplete: "off" });
  const dialog = el("dialog", { "aria-labelledby": "token-title" });
  dialog.append(el("h2", { id: "token-title" }, "This observer wants a token"),
    el("p", {}, "It is the bearer_token of the plugin rest_observer. It is kept for this tab only."),
    refused ? el("p", { class: "error", role: "alert" }, "The token that was given is not the right one.") : "",
    row, buttons(dialog, "Use it", "Cancel"));
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") dialog.close("yes");
  });
  const answer = await ask(dialog);
  return answer === "yes" && input.value ? input.value : null;
}

function proposalView(proposal, name) {
  const target = proposal.would_target ?? {};
  const b = target.bounds;
  const picture = target.screenshot_b64
    ? el("img", { class: "preview", alt: "Picture of the target", src: `data:image/png;base64,${target.screenshot_b64}` })
    : null;
  return [facts([
    ["Act", el("code", {}, shown(name))],
    ["On", screenText(target.selector || "what has the keyboard")],
    ["Place", b ? `${b.width} × ${b.height} at ${b.x}, ${b.y}` : null],
    ["Good until", new Date(proposal.expires_at * 1000).toLocaleTimeString()],
  ]), picture].filter(Boolean);
}

/**
 * Proposes an act that the guard wants confirmed, shows what it would hit, and resolves to the token
 * when it is confirmed, to null when it is not.
 */
export async function askToConfirm(name, args) {
  const proposal = await tool("propose_action", { action: name, args });
  const dialog = el("dialog", { "aria-labelledby": "confirm-title" });
  dialog.append(el("h2", { id: "confirm-title" }, "Confirm this act"),
    el("p", {}, "The guard's rules ask for a confirmation before it is done."),
    ...proposalView(proposal, name), buttons(dialog, "Confirm and act", "Cancel", true));
  return (await ask(dialog)) === "yes" ? proposal.confirm_token : null;
}

