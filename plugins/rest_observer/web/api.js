// SPDX-License-Identifier: Apache-2.0
// Requests to the observer that served this page: its routes, its token, its errors.

import { el, byId, shown } from "./dom.js";
import { update } from "./store.js";

const TOKEN = "gantry.token";

// What a person can do about an error, by its code. What the server itself suggests stands beside it.
const CURES = {
  ElementNotFound: "The element may have gone or moved: refresh the tree and select it again.",
  WindowGone: "Choose a window from the list; this one has been closed.",
  ElementDisabled: "The application has switched it off: do first what enables it.",
  ElementOccluded: "Another window covers it: bring this window to the front.",
  WindowOccluded: "Another window covers it: bring this window to the front.",
  PermissionDenied: "The guard's configuration forbids it (plugins.guard.config.actions).",
  ConfirmationRequired: "The guard asks for a confirmation: act again and confirm.",
  ConfirmationInvalid: "The confirmation was used up, too old, or the target has moved: act again.",
  RateLimited: "Wait a little: the budget of this minute is used up.",
  BudgetExceeded: "The budget is used up (plugins.guard.config.budgets).",
  SnapshotExpired: "It is too old: read the window again.",
  Timeout: "The application did not answer in time: try again, or look whether it hangs.",
  PlatformUnsupported: "This machine cannot do that at the moment; the message says what is missing.",
  PatternUnsupported: "This element has no such ability: try a click.",
  Unreachable: "Is the daemon running? The page goes on by itself when it is back.",
  Unauthenticated: "Give the token of plugins.rest_observer.config.bearer_token.",
};

export class ApiError extends Error {
  constructor(status, code, message, answer = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.answer = answer;
    const error = typeof answer.error === "object" ? answer.error : answer.error_object;
    this.context = error?.context ?? {};
    this.next = error?.suggested_next_tool ?? null;
  }

  get cure() {
    return this.context.hint ?? CURES[this.code] ?? null;
  }
}

function errorOf(status, answer) {
  const object = typeof answer?.error === "object" ? answer.error : answer?.error_object;
  if (object) return new ApiError(status, object.code, object.message, answer);
  const code = status === 401 ? "Unauthenticated" : `HTTP ${status}`;
  return new ApiError(status, code, String(answer?.error ?? "The answer says nothing more."), answer);
}

let askForToken = null;

/** How the page asks for the token: an async function that returns one, or null. It is told whether
    there was one already, which then was refused. */
export function setTokenPrompt(prompt) {
  askForToken = prompt;
}

export const hasToken = () => sessionStorage.getItem(TOKEN) !== null;
export const forgetToken = () => sessionStorage.removeItem(TOKEN);

async function send(path, options) {
  const headers = { ...options.headers };
  const token = sessionStorage.getItem(TOKEN);
  if (token) headers.Authorization = `Bearer ${token}`;
  let response;
  try {
    response = await fetch(path, { ...options, headers, cache: "no-store", credentials: "omit" });
  } catch {
    throw new ApiError(0, "Unreachable", "The observer does not answer.");
  }
  const answer = await response.json().catch(() => null);
  if (!response.ok || answer === null || answer.ok === false) throw errorOf(response.status, answer);
  return answer;
}

let asking = null;

/** Asks for a token once, however many requests need it. Resolves to whether there is a new one. */
function newToken() {
  asking ??= askForToken(hasToken()).then((token) => {
    asking = null;
    if (token) sessionStorage.setItem(TOKEN, token);
    return Boolean(token);
  });
  return asking;
}

async function request(path, options = {}) {
  try {
    return await send(path, options);
  } catch (error) {
    if (error.status !== 401 || !askForToken || !(await newToken())) throw error;
    return request(path, options);
  }
}

/** GET of a route; parameters that are undefined are left out. */
export function get(path, parameters = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== null) query.set(name, value);
  }
  const text = query.toString();
  return request(text ? `${path}?${text}` : path);
}

export function post(path, body = {}) {
  return request(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** Any tool by its name: what acts has the same arguments here, in propose_action and in MCP. */
export const tool = (name, args) => post(`/api/tool/${encodeURIComponent(name)}`, args);

/** Code, message and cure of an error, as the page shows every one. */
export function errorView(error) {
  const code = error.code ?? error.name;
  return el("div", { class: "error" },
    el("p", {}, el("strong", { class: "code" }, code), " ", el("bdi", {}, shown(error.message))),
    error.cure ? el("p", { class: "cure" }, el("span", { class: "soft" }, "What helps: "),
      el("bdi", {}, shown(error.cure))) : null);
}

let problem = null;

/** The page's own place for what concerns all of it; null takes away what the same `owner` showed, and
    that there was no answer, because now there is one. */
export function showProblem(error, owner = "person") {
  if (!error && problem?.owner !== owner && problem?.code !== "Unreachable") return;
  problem = error ? { owner, code: error.code } : null;
  update({ unreachable: problem?.code === "Unreachable" });
  const place = byId("problem");
  place.hidden = !error;
  place.replaceChildren(...(error ? [errorView(error)] : []));
}
