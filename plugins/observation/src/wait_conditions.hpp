// SPDX-License-Identifier: Apache-2.0
#pragma once
// The seven conditions of wait_for (observer contract 2.11), against one look at the desktop.

#include <gantry/contracts/window.hpp>
#include <gantry/pattern.hpp>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "json_object.hpp"
#include "selector.hpp"
#include "sought_values.hpp"
#include "trees.hpp"

namespace gantry::observation {

/// What the desktop looks like at one moment, as clients may see it.
struct Scene {
  std::vector<WindowInfo> windows;
  std::optional<WindowInfo> window;  ///< The one that the wait is about.
  std::shared_ptr<const Tree> tree;  ///< Of that window; empty: unreadable, or not needed.
};

struct WaitMatch {
  std::size_t index = 0;  ///< In any_of.
  JsonObject detail;
};

class WaitConditions {
 public:
  /// What is wrong with the first condition of `any_of` (the JSON text of each) that is no object,
  /// has no type that there is, or a member that its type does not have, or lacks what it needs:
  /// "any_of[0] has no type; …". Nothing when all are as they should be.
  [[nodiscard]] static std::optional<std::string> first_misnamed(
      const std::vector<std::string>& any_of);

  /// `any_of`: the JSON text of each condition. One whose regular expression cannot be read is
  /// never met, as the protocol has it; warnings() says which and why. Of selectors unreadable()
  /// does.
  explicit WaitConditions(const std::vector<std::string>& any_of);

  /// The first condition that is met. The first look is also what focused_changes compares with.
  [[nodiscard]] std::optional<WaitMatch> first_met(const Scene& scene, const Trees& trees);

  /// After a look: which conditions ask for values of elements, and of which.
  void note_values(const Scene& scene);
  /// Conditions, by their place in any_of, of which every value that they ask for was looked for
  /// where anybody may read.
  [[nodiscard]] std::vector<std::size_t> readable() const;

  /// The first selector that cannot be read: "any_of[0]: selector parse error: column 5: …".
  [[nodiscard]] const std::optional<std::string>& unreadable() const { return unreadable_; }
  /// The first title_regex of a window that is waited for; empty: none.
  [[nodiscard]] const std::string& title_wanted() const { return title_wanted_; }
  [[nodiscard]] bool need_tree() const { return need_tree_; }
  [[nodiscard]] bool about_focus() const { return about_focus_; }
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }
  [[nodiscard]] RawJson warnings_json() const;

 private:
  struct Condition;
  using Test = std::optional<JsonObject> (WaitConditions::*)(const Condition&, const Scene&,
                                                             const Trees&) const;
  struct Row;
  struct Condition {
    Test test = nullptr;  ///< nullptr: not understood.
    std::optional<Selector> selector;
    std::optional<Pattern> pattern;
    std::string element_id;
    std::string window_uid;
    std::string since;
    bool tree_only = false;
    Sought sought = Sought::Nowhere;
    std::shared_ptr<const Tree> judged;    ///< In which it was not met, if tree_only.
    std::shared_ptr<const Tree> noted_in;  ///< What its values are asked of.

    [[nodiscard]] bool judged_before(const Scene& scene) const {
      return scene.tree != nullptr && scene.tree == judged;
    }
  };
  static std::span<const Row> rows();
  static const Row* row_of(std::string_view type);
  /// "element_appears needs selector"
  static std::string words_of(const Row& row);
  /// What is wrong with one condition; empty: nothing.
  static std::string misnamed(const std::string& json);
  [[nodiscard]] static bool takes_too_much(const Condition& condition);

  void read(std::size_t index, const std::string& json);

  [[nodiscard]] std::optional<JsonObject> element_appears(const Condition&, const Scene&,
                                                          const Trees&) const;
  [[nodiscard]] std::optional<JsonObject> element_disappears(const Condition&, const Scene&,
                                                             const Trees&) const;
  [[nodiscard]] std::optional<JsonObject> text_visible(const Condition&, const Scene&,
                                                       const Trees&) const;
  [[nodiscard]] std::optional<JsonObject> window_appears(const Condition&, const Scene&,
                                                         const Trees&) const;
  [[nodiscard]] std::optional<JsonObject> window_disappears(const Condition&, const Scene&,
                                                            const Trees&) const;
  [[nodiscard]] std::optional<JsonObject> tree_changes(const Condition&, const Scene&,
                                                       const Trees&) const;
  [[nodiscard]] std::optional<JsonObject> focused_changes(const Condition&, const Scene&,
                                                          const Trees&) const;

  std::vector<Condition> conditions_;
  std::vector<std::string> warnings_;
  std::optional<std::string> unreadable_;
  std::string title_wanted_;
  std::optional<std::string> first_focus_;
  bool need_tree_ = false;
  bool about_focus_ = false;
};

}  // namespace gantry::observation
