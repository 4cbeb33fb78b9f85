// SPDX-License-Identifier: Apache-2.0
//
// The pages of the chat: to sign in, and a plain one to chat. Texts only.
#pragma once

#include <string_view>

namespace gantry::chat_aide {

inline constexpr std::string_view kPageHead = R"(<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Chat</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'%3E%3Cpath fill='%2336c' d='M1 1h6v4H4L2 7V5H1z'/%3E%3C/svg%3E">
<style>
:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{margin:0}main{max-width:44rem;margin:0 auto;padding:1rem}
label{display:block;margin:.5rem 0}input,textarea,select,button{font:inherit;padding:.4rem}
textarea{width:100%;box-sizing:border-box}
#log>div{white-space:pre-wrap;margin:.5rem 0;padding:.5rem;border-left:3px solid #8888}
#log>.user{border-color:#36c}#log>.error,[role=alert]{border-color:#c33;color:#c33}
#log>.tool{font-size:.85rem;opacity:.8}img{max-width:100%}
pre{margin:.3rem 0;overflow:auto;max-height:20rem}figure{margin:.5rem 0}
figure>img{display:block;max-height:8rem}figcaption{font-size:.85rem;opacity:.8}
</style>
)";

inline constexpr std::string_view kChatPage = R"(<main><h1>Chat</h1>
<p><label>Model <select id="model"></select></label></p>
<div id="log" aria-live="polite"></div>
<form id="form"><textarea id="text" rows="3" aria-label="Message" required></textarea>
<input id="files" type="file" multiple aria-label="Attachments"
 accept="image/png,image/jpeg,image/webp,application/pdf">
<button>Send</button></form>
<form method="post" action="/logout"><button>Sign out</button></form></main>
<script>
const byId = id => document.getElementById(id);
// Not randomUUID: pages of a plain http address of another machine have none.
const stored = sessionStorage.getItem("session") ||
  [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, "0")).join("");
sessionStorage.setItem("session", stored);
let socket, answer = null, wait = 500;
function add(kind, text) {
  const row = document.createElement("div");
  row.className = kind; row.textContent = text;
  byId("log").append(row); row.scrollIntoView();
  return row;
}
function confirmRow(frame) {
  const row = add("tool", frame.description);
  // The description is a sentence that may be cut; whoever decides can see the whole.
  const whole = document.createElement("details");
  whole.append(document.createElement("summary"), document.createElement("pre"));
  whole.firstChild.textContent = "Arguments";
  whole.lastChild.textContent = JSON.stringify(frame.arguments, null, 2);
  row.append(whole);
  for (const [label, response] of [["Allow", true], ["Deny", false]]) {
    const button = document.createElement("button");
    button.textContent = label;
    button.onclick = () => {
      socket.send(JSON.stringify({type: "confirm", call_id: frame.call_id, response}));
      row.querySelectorAll("button").forEach(one => one.remove());
    };
    row.append(button);
  }
}
function attachedRow(row, file) {
  const figure = document.createElement("figure"), name = document.createElement("figcaption");
  name.textContent = file.name;
  if (file.media_type.startsWith("image/")) {
    const image = new Image();
    image.src = "data:" + file.media_type + ";base64," + file.data;
    image.alt = "";
    figure.append(image);
  }
  figure.append(name); row.append(figure);
}
const handlers = {
  models(frame) {
    byId("model").replaceChildren(...frame.models.map(model =>
      new Option(model.name, model.id, false, model.id === frame.default)));
  },
  text(frame) { answer = answer || add("aide", ""); answer.textContent += frame.content; },
  tool_start(frame) { answer = null; add("tool", "▸ " + frame.tool_name); },
  tool_done(frame) { add("tool", (frame.success ? "✓ " : "✗ ") + frame.result_summary); },
  confirmation_required: confirmRow,
  images(frame) {
    for (const url of frame.data_urls) {
      const image = new Image(); image.src = url; add("aide", "").append(image);
    }
  },
  done() { answer = null; },
  error(frame) { answer = null; add("error", frame.message); },
};
function connect() {
  socket = new WebSocket(location.origin.replace("http", "ws") + "/ws/" + stored);
  socket.onopen = () => { wait = 500; };
  socket.onmessage = event => {
    const frame = JSON.parse(event.data);
    if (handlers[frame.type]) handlers[frame.type](frame);
  };
  socket.onclose = async () => {
    const home = await fetch("/", {redirect: "manual"}).catch(() => null);
    if (home && home.type === "opaqueredirect") { location = "/login"; return; }  // signed out
    setTimeout(connect, wait); wait = Math.min(wait * 2, 15000);
  };
}
const read = file => new Promise((resolve, reject) => {
  const reader = new FileReader();
  reader.onerror = reject;
  reader.onload = () => resolve({media_type: file.type, name: file.name,
                                 data: reader.result.split(",")[1]});
  reader.readAsDataURL(file);
});
byId("form").onsubmit = async event => {
  event.preventDefault();
  const text = byId("text").value;
  const attachments = await Promise.all([...byId("files").files].map(read));
  if (socket.readyState !== WebSocket.OPEN) { add("error", "Not connected. Try again."); return; }
  const row = add("user", text);
  attachments.forEach(file => attachedRow(row, file));
  socket.send(JSON.stringify({type: "message", text, model: byId("model").value || undefined,
                              session_id: stored, attachments}));
  byId("form").reset();
};
byId("text").onkeydown = event => {
  if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); byId("form").requestSubmit(); }
};
connect();
</script></html>
)";

}  // namespace gantry::chat_aide
