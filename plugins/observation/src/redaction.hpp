// SPDX-License-Identifier: Apache-2.0
#pragma once
// What of the screen nobody gets to see. Every tree and every title is redacted once, where it
// enters the engine (trees.cpp, shield.cpp), so that no tool, trace or error can forget it: what is
// hidden is not there. Used from the plugin's strand.

#include <gantry/contracts/guard.hpp>
#include <gantry/pattern.hpp>
#include <gantry/result.hpp>

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "recent_texts.hpp"
#include "tree.hpp"

namespace gantry::observation {

class Redaction {
 public:
  Redaction();

  /// Takes over the guard's rules, or keeps the ones before when a pattern does not compile
  /// (InvalidArgument): the guard has checked them, so this does not happen.
  [[nodiscard]] Result<void> set_rules(const GuardRules& rules);
  [[nodiscard]] const GuardRules& rules() const { return rules_; }
  /// Patterns are switched on and there is one.
  [[nodiscard]] bool active() const { return rules_.enabled && patterns_count() > 0; }
  [[nodiscard]] std::size_t patterns_count() const;
  /// How many texts were hidden since the start.
  [[nodiscard]] std::uint64_t applied_count() const { return applied_; }

  [[nodiscard]] bool hides_window(std::string_view title) const;
  /// A title as clients see it: cleaned, and replaced when the window is hidden.
  [[nodiscard]] std::string title(std::string_view title);

  /// Cleans every text of a captured tree and hides what the rules say. Of password fields the
  /// value goes whatever the rules are. `title` is the true one of the window.
  void redact(Node& root, std::string_view title);

  /// Free text of the screen (recognised words, evidence): cleaned; what ocr_text_patterns fit is
  /// replaced.
  [[nodiscard]] std::string text(std::string_view text);

  /// Whether the element's value is this text, also where nobody gets to read it.
  [[nodiscard]] bool holds(const Node& node, const std::string& value) const;

  /// Something was typed where nobody gets to read it: it is not shown elsewhere either. The last
  /// 32 such texts are known, and forgotten with the process.
  void remember(std::string typed);
  /// `text` as it may be written down (traces, audit): as text(), and without what was typed in
  /// secret even where that is short, because a record need not be exact; also without what hidden
  /// elements were seen to hold, because callers know it from elsewhere and look for it.
  [[nodiscard]] std::string recorded(std::string_view text);
  /// Some text may have to go from a record.
  [[nodiscard]] bool cleans_records() const {
    return active() || !typed_.empty() || !passwords_.empty() || !hidden_.empty();
  }

 private:
  struct Patterns {
    std::vector<Pattern> list;
    [[nodiscard]] bool fit(std::string_view text) const;
  };
  [[nodiscard]] static Result<Patterns> compile(const std::vector<std::string>& expressions);
  [[nodiscard]] std::string digest(const Node& node) const;
  void hide(Node& node);
  void hide_all(Node& node);
  void learn(const Node& node, bool secret);
  [[nodiscard]] bool means_hidden(std::string_view text) const;
  void visit(Node& node, bool inside, std::vector<std::string>& values);
  [[nodiscard]] bool shows_secret(std::string_view text) const;
  void clean(Node& node);
  void remove_repeats(Node& node, const std::vector<std::string>& values);

  GuardRules rules_;
  Patterns titles_;
  Patterns names_;
  Patterns roles_;
  Patterns words_;
  std::array<unsigned char, 32> key_{};  ///< Of this process: digests mean nothing elsewhere.
  std::uint64_t applied_ = 0;
  std::deque<KnownText> typed_;  ///< Newest last.
  // Of what was hidden, for records only.
  static constexpr std::size_t kMostSeen = 256;
  static constexpr std::size_t kShortestSeen = 4;
  RecentTexts passwords_{kMostSeen, kShortestSeen};
  RecentTexts hidden_{kMostSeen, kShortestSeen};
};

/// Whether an element holds a secret by its nature.
[[nodiscard]] bool is_password(const Node& node);

}  // namespace gantry::observation
