// SPDX-License-Identifier: Apache-2.0
#pragma once
// What an act answers: the published receipt (observer contract 1.4), and beside it which way it
// went, what came of it and how that is known.

#include <gantry/contracts/window.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine.hpp"
#include "tree.hpp"

namespace gantry::observation {

enum class Effect {
  Confirmed,   ///< A property that was read after the act, and that the act causes, says so.
  Unverified,  ///< Delivered; nothing that was read says what came of it.
  NoOp,        ///< Nothing was asked for, or nothing can happen: a dry run, the made-up desktop.
  Refused,     ///< Not delivered, or the application said no.
};
[[nodiscard]] std::string_view effect_name(Effect effect);

/// How an act was carried out.
struct Deed {
  Effect effect = Effect::Unverified;
  std::string route;     ///< "a11y:click", "xtest", "mock", "scenario", …
  std::string evidence;  ///< What was read after it, or what the adapter said.
  std::string note;
};

/// The state of a window around an act.
struct Moment {
  std::string tree_hash;         ///< Empty: the window or its tree is gone.
  std::string focused_selector;  ///< Empty: no element has the focus.
};
[[nodiscard]] Moment moment_of(const Tree& tree);

struct Receipt {
  std::string_view action;
  bool dry_run = false;
  std::string window_uid;
  std::string element_id;
  std::string selector;
  Rect bounds;
  Moment before;
  Moment after;
  bool state_changed = false;  ///< Something that the hash leaves out: selection, value, focus.
  std::vector<WindowInfo> new_windows;
  std::int64_t duration_ms = 0;
  Deed deed;
  std::string warning;
  std::string rematched;    ///< As in FoundElement.
  std::size_t matches = 1;  ///< As in FoundElement.
};

[[nodiscard]] JsonObject receipt_json(const Receipt& receipt);

/// A failure that carries the whole receipt, as the protocol has it for acts that failed half way.
[[nodiscard]] Failure failed_act(Failure why, const Receipt& receipt, const Step& step);

/// True when an element's selection, expansion or number, or the focus, differs between captures of
/// equal hash.
[[nodiscard]] bool state_differs(const Node& before, const Node& after);

/// What about the element itself changed, such as "selected: false -> true"; empty when nothing
/// did. Values of password fields are not named.
[[nodiscard]] std::string element_change(const Node& before, const Node& after);

/// Windows of `after` whose uid is not in `before`.
[[nodiscard]] std::vector<WindowInfo> windows_added(const std::vector<WindowInfo>& before,
                                                    const std::vector<WindowInfo>& after);
/// The published list of them.
[[nodiscard]] RawJson new_dialogs_json(const std::vector<WindowInfo>& windows);

}  // namespace gantry::observation
