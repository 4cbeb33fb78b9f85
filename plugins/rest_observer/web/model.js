// SPDX-License-Identifier: Apache-2.0
// The accessibility tree of one window, as /api/observe sends it: where each element stands, what is
// under a point, and what a JSON patch makes of it.

const unescape = (part) => part.replaceAll("~1", "/").replaceAll("~0", "~");

function holderOf(document, pointer) {
  const parts = pointer.split("/").slice(1).map(unescape);
  const last = parts.pop();
  let place = document;
  for (const part of parts) place = place[part];
  return { place, last };
}

function take(document, pointer) {
  const { place, last } = holderOf(document, pointer);
  if (!Array.isArray(place)) {
    const value = place[last];
    delete place[last];
    return value;
  }
  return place.splice(Number(last), 1)[0];
}

function put(document, pointer, value) {
  const { place, last } = holderOf(document, pointer);
  if (Array.isArray(place)) place.splice(last === "-" ? place.length : Number(last), 0, value);
  else place[last] = value;
}

function replace(document, pointer, value) {
  const { place, last } = holderOf(document, pointer);
  place[last] = value;
}

const OPERATIONS = {
  add: (root, op) => put(root, op.path, op.value),
  remove: (root, op) => take(root, op.path),
  replace: (root, op) => replace(root, op.path, op.value),
  move: (root, op) => put(root, op.path, take(root, op.from)),
};

/** A copy of `document` with a JSON patch (RFC 6902) applied; throws when it does not fit. */
export function patched(document, operations) {
  const holder = { root: structuredClone(document) };
  for (const op of operations) {
    const inside = { ...op, path: `/root${op.path}`, from: op.from && `/root${op.from}` };
    OPERATIONS[op.op](holder, inside);
  }
  return holder.root;
}

/** `Button "OK"`: how an element is called everywhere on the page. */
export function titleOf(node) {
  return node.name ? `${node.role} "${node.name}"` : node.role;
}

/** What an element holds, as text: its value, or where a slider, spin button or bar stands. */
export function valueOf(node) {
  return node.value || (node.value_now === undefined ? "" : String(node.value_now));
}

/** What is special about an element, in words. */
export function flagsOf(node) {
  const flags = [];
  if (node.focused) flags.push("focused");
  if (node.enabled === false) flags.push("disabled");
  if (node.selected) flags.push("selected");
  return flags;
}

const area = (bounds) => bounds.width * bounds.height;

function contains(bounds, x, y) {
  return x >= bounds.x && y >= bounds.y && x < bounds.x + bounds.width && y < bounds.y + bounds.height;
}

export class TreeModel {
  /** `answer` is a full one of /api/observe. */
  constructor(answer, root = answer.tree) {
    this.root = root;
    this.token = answer.tree_token;
    this.hash = answer.tree_hash;
    this.grafts = new Map();  // id of a cut element: its children, read later
    this.reindex();
  }

  /** The tree after an answer with a JSON patch. */
  after(answer) {
    return new TreeModel(answer, patched(this.root, answer.changes));
  }

  /** Children, also of an element that was cut. */
  childrenOf(node) {
    return this.grafts.get(node.id) ?? node.children;
  }

  /** How many children an element has, whether they were read or not. */
  countOf(node) {
    return this.grafts.get(node.id)?.length ?? node.child_count ?? node.children.length;
  }

  /** Whether an element has children that have not been read. */
  isCut(node) {
    return Boolean(node.truncated) && !this.grafts.has(node.id);
  }

  /** Takes the children of a cut element from an answer of /api/structure with it as scope. */
  graft(id, children) {
    this.grafts.set(id, children);
    this.reindex();
  }

  reindex() {
    this.places = new Map();
    const visit = (node, parent, level, position, size) => {
      this.places.set(node.id, { node, parent, level, position, size });
      const children = this.childrenOf(node);
      children.forEach((child, i) => visit(child, node, level + 1, i, children.length));
    };
    visit(this.root, null, 1, 0, 1);
  }

  get size() {
    return this.places.size;
  }

  node(id) {
    return this.places.get(id)?.node ?? null;
  }

  parentOf(id) {
    return this.places.get(id)?.parent ?? null;
  }

  /** Elements that were cut and not read yet. */
  cutCount() {
    let count = 0;
    for (const { node } of this.places.values()) count += this.isCut(node) ? 1 : 0;
    return count;
  }

  /** The smallest element under a point of the screen; of equal ones the deepest. */
  at(x, y) {
    let best = null;
    for (const { node } of this.places.values()) {
      const bounds = node.bounds;
      if (!bounds || area(bounds) <= 0 || !contains(bounds, x, y)) continue;
      if (!best || area(bounds) <= area(best.bounds)) best = node;
    }
    return best;
  }

  /** A path of positions that leads to the element and to no other one. */
  pathOf(id) {
    const steps = [];
    for (let place = this.places.get(id); place; place = this.places.get(place.parent?.id)) {
      const role = /^[\p{L}_][\p{L}\p{N}_-]*$/u.test(place.node.role)
        ? place.node.role : JSON.stringify(place.node.role);
      if (!place.parent) {
        steps.unshift(role);
        break;
      }
      const twins = this.childrenOf(place.parent).filter((n) => n.role === place.node.role);
      steps.unshift(`${role}[index=${twins.indexOf(place.node)}]`);
    }
    return steps.join("/");
  }

  /** The child with this path of positions ("0/3/1"), or null. */
  atPath(path) {
    let node = this.root;
    for (const part of path === "" ? [] : path.split("/")) {
      node = this.childrenOf(node)[Number(part)];
      if (!node) return null;
    }
    return node;
  }

  /** The element that in this tree is what `old` was in an earlier one; null when there is none. */
  sameAs(old) {
    const here = this.node(old.id);
    if (here && here.role === old.role && here.name === old.name) return here;
    const others = [...this.places.values()].map((place) => place.node)
      .filter((node) => node.role === old.role && node.name === old.name);
    return others.length === 1 ? others[0] : null;
  }
}
