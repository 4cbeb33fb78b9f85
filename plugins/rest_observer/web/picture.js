// SPDX-License-Identifier: Apache-2.0
// The picture of the window with the boxes of its elements. Boxes have screen coordinates: the drawing
// over the picture has the picture's own area of the screen as its view.

import { get } from "./api.js";
import { el, shown, svg, byId } from "./dom.js";
import { titleOf } from "./model.js";
import { on, store, update } from "./store.js";

const image = el("img", { alt: "" });
const boxes = svg("svg", { "aria-hidden": "true", preserveAspectRatio: "none" });
const stage = el("div", { class: "stage", hidden: true }, image, boxes);
const caption = el("p", { class: "caption" });
const note = el("p", { class: "soft" });
const everything = el("input", { type: "checkbox", id: "all-boxes", onchange: () => draw() });

let area = null;  // what the picture shows, in screen pixels

function box(bounds, kind) {
  return svg("rect", {
    class: `box ${kind}`, x: bounds.x, y: bounds.y,
    width: Math.max(1, bounds.width), height: Math.max(1, bounds.height),
  });
}

/** A box with its number at its corner. */
function numbered(bounds, number) {
  const text = svg("text", { class: "number", x: bounds.x, y: bounds.y + 4 });
  text.textContent = String(number);
  return [box(bounds, "match"), svg("circle", { class: "tag", cx: bounds.x, cy: bounds.y, r: 9 }), text];
}

function nodeBox(id, kind) {
  const bounds = id && store.tree?.node(id)?.bounds;
  return bounds ? [box(bounds, kind)] : [];
}

function draw() {
  if (!area) return;
  const shapes = [];
  if (everything.checked && store.tree) {
    for (const { node } of store.tree.places.values()) if (node.bounds) shapes.push(box(node.bounds, "any"));
  }
  store.matches.forEach((match, i) => shapes.push(...numbered(match.bounds, i + 1)));
  shapes.push(...nodeBox(store.selected, "selected"), ...nodeBox(store.hovered, "hovered"));
  if (store.point) shapes.push(svg("circle", { class: "point", cx: store.point.x, cy: store.point.y, r: 5 }));
  boxes.replaceChildren(...shapes);
  describe();
}

/** What is under the pointer, or selected, in words below the picture. */
function describe() {
  const node = store.tree?.node(store.hovered ?? store.selected);
  if (!node) {
    caption.textContent = "Point at the picture to see what is there; click to select it.";
    return;
  }
  const b = node.bounds;
  caption.replaceChildren(el("bdi", {}, shown(titleOf(node))),
    el("span", { class: "soft" }, b ? `  ${b.width} × ${b.height} at ${b.x}, ${b.y}` : "  no place on the screen"));
}

function screenPoint(event) {
  const place = image.getBoundingClientRect();
  return {
    x: Math.floor(area.x + ((event.clientX - place.left) / place.width) * area.width),
    y: Math.floor(area.y + ((event.clientY - place.top) / place.height) * area.height),
  };
}

function onMove(event) {
  if (!area || !store.tree) return;
  const point = screenPoint(event);
  const id = store.tree.at(point.x, point.y)?.id ?? null;
  if (id !== store.hovered) update({ hovered: id });
}

function onClick(event) {
  if (!area || !store.tree) return;
  const point = screenPoint(event);
  update({ point, selected: store.tree.at(point.x, point.y)?.id ?? null });
}

/** Takes a new picture of the chosen window; asks for nothing while no window is chosen. */
export async function refreshPicture() {
  const { window } = store;
  if (!window) return;
  try {
    const answer = await get("/api/screenshot", { window_uid: window.window_uid });
    if (store.window?.window_uid !== window.window_uid) return;
    area = answer.bounds ?? window.bounds;
    image.src = `data:image/${answer.format};base64,${answer.data}`;
    image.alt = `Picture of the window ${shown(window.title)}`;
    boxes.setAttribute("viewBox", `${area.x} ${area.y} ${area.width} ${area.height}`);
    stage.hidden = false;
    note.textContent = store.screenshotBudget
      ? "Pictures are counted against a limit, so a new one is only taken after an act or by Refresh." : "";
  } catch (error) {
    stage.hidden = true;
    area = null;
    note.textContent = `There is no picture: ${error.message}`;
  }
  draw();
}

export function startPicture() {
  stage.addEventListener("pointermove", onMove);
  stage.addEventListener("pointerleave", () => update({ hovered: null }));
  stage.addEventListener("click", onClick);
  byId("picture").append(stage, caption,
    el("p", { class: "soft" }, el("label", {}, everything, " Show the boxes of all elements")), note);
  on("tree selected hovered matches point", draw);
  on("window", () => {
    stage.hidden = true;
    area = null;
    note.textContent = store.window ? "" : "No window is chosen.";
    describe();
  });
}
