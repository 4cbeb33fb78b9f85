// SPDX-License-Identifier: Apache-2.0
// Which elements of a tree are rows of the list at the moment: open branches, or what a search finds.

import { valueOf } from "./model.js";

/** Whether every word of the query stands in role, name, value or id, in any case. */
export function matcher(query) {
  const words = query.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  return (node) => {
    const text = `${node.role} ${node.name ?? ""} ${valueOf(node)} ${node.id}`.toLocaleLowerCase();
    return words.every((word) => text.includes(word));
  };
}

/**
 * Rows in document order: {node, level, position, size, branch, open, hit}. With a query these are
 * the elements that it fits and their ancestors, else the branches in `open` (a set of ids).
 */
export function rowsOf(model, open, query) {
  const rows = [];
  const fits = query ? matcher(query) : null;
  const visit = (node, level, position, size) => {
    const at = rows.length;
    const branch = model.countOf(node) > 0;
    const hit = Boolean(fits?.(node));
    const row = { node, level, position, size, branch, open: branch && open.has(node.id), hit };
    rows.push(row);
    if (!fits && !row.open) return false;
    const children = model.childrenOf(node);
    let found = hit;
    children.forEach((child, i) => {
      found = visit(child, level + 1, i, children.length) || found;
    });
    if (fits) {
      row.open = rows.length > at + 1;
      if (!found) rows.length = at;
    }
    return found;
  };
  visit(model.root, 1, 0, 1);
  return rows;
}

/** The branches that are open at first: all of a small tree, the first levels of a large one. */
export function firstOpen(model, few = 150, levels = 3) {
  const open = new Set();
  for (const { node, level } of model.places.values()) {
    if (model.childrenOf(node).length > 0 && (model.size <= few || level <= levels)) open.add(node.id);
  }
  return open;
}
