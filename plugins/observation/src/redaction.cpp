// SPDX-License-Identifier: Apache-2.0
#include "redaction.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "act_roles.hpp"
#include "text.hpp"

namespace gantry::observation {
namespace {

/// Shorter values are too common to be removed wherever else they appear.
constexpr std::size_t kMinRepeat = 4;
constexpr std::size_t kMaxRepeats = 64;
/// What was typed in secret is removed from the screen's texts from this length on: shorter words,
/// such as "admin", may well be user names and labels too.
constexpr std::size_t kMinTyped = 8;
constexpr std::size_t kMaxTyped = 32;

/// What a field shows is often repeated by texts inside of it.
bool holds_text(const Node& node) {
  if (node.value) return true;
  static constexpr std::string_view kRoles[] = {"Edit", "Document", "ComboBox", "Spinner", "Text"};
  return std::find(std::begin(kRoles), std::end(kRoles), node.role) != std::end(kRoles);
}

/// True when there was something to replace.
bool replace_all(std::string& text, std::string_view what, std::string_view with) {
  bool found = false;
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
    found = true;
  }
  return found;
}

/// Other texts than passwords may be words like any other: from this length on they are not.
constexpr std::size_t kLong = 8;

/// A text that is hidden goes from a record: a password wherever it stands, another one where it
/// stands for itself: alone, in quotes, or when it is long.
void take_out(std::string& text, const std::string& hidden, bool password, std::string_view with) {
  if (text == hidden) {
    text = with;
  } else if (password || hidden.size() >= kLong) {
    replace_all(text, hidden, with);
  } else {
    for (const char quote : {'"', '\''}) {
      const std::string q(1, quote);
      replace_all(text, q + hidden + q, q + std::string(with) + q);
    }
  }
}

/// Whether cleaned() would leave it as it is.
bool is_clean(std::string_view text, std::size_t limit) {
  return text.size() <= limit && !may_hold_controls(text);
}

std::string cleaned(std::string_view text, std::size_t limit) {
  std::string out = strip_terminal_controls(text);
  if (out.size() <= limit) return out;
  return shorten(out, limit, limit);
}

}  // namespace

bool is_password(const Node& node) {
  constexpr std::string_view kName = "password";
  const auto same = [](char c, char lower) { return c == lower || c == lower - ('a' - 'A'); };
  const std::string& role = node.role;
  return node.password ||
         std::search(role.begin(), role.end(), kName.begin(), kName.end(), same) != role.end();
}

bool Redaction::Patterns::fit(std::string_view text) const {
  if (list.empty()) return false;
  const std::string readable = readable_text(text);
  return std::any_of(list.begin(), list.end(), [&](const Pattern& pattern) {
    pattern.reset_effort();
    // What cannot be judged with reasonable effort is hidden.
    return pattern.search(text) || (readable != text && pattern.search(readable)) ||
           pattern.exhausted() > 0;
  });
}

Redaction::Redaction() {
  rules_.enabled = false;
  rules_.replacement = "[REDACTED]";
  rules_.max_text = 100'000;
  // A digest that can be guessed gives short secrets away; the source does not fail in practice.
  if (RAND_bytes(key_.data(), static_cast<int>(key_.size())) != 1) std::abort();
}

Result<Redaction::Patterns> Redaction::compile(const std::vector<std::string>& expressions) {
  Patterns out;
  for (const std::string& expression : expressions) {
    GANTRY_ASSIGN(Pattern pattern, Pattern::compile(expression));
    out.list.push_back(std::move(pattern));
  }
  return out;
}

Result<void> Redaction::set_rules(const GuardRules& rules) {
  GANTRY_ASSIGN(Patterns titles, compile(rules.window_title_patterns));
  GANTRY_ASSIGN(Patterns names, compile(rules.element_name_patterns));
  GANTRY_ASSIGN(Patterns roles, compile(rules.element_role_patterns));
  GANTRY_ASSIGN(Patterns words, compile(rules.ocr_text_patterns));
  rules_ = rules;
  titles_ = std::move(titles);
  names_ = std::move(names);
  roles_ = std::move(roles);
  words_ = std::move(words);
  return {};
}

std::size_t Redaction::patterns_count() const {
  return rules_.window_title_patterns.size() + rules_.element_name_patterns.size() +
         rules_.element_role_patterns.size() + rules_.ocr_text_patterns.size();
}

bool Redaction::hides_window(std::string_view title) const {
  return rules_.enabled && titles_.fit(title);
}

std::string Redaction::title(std::string_view title) {
  if (hides_window(title)) {
    ++applied_;
    return rules_.replacement;
  }
  return text(title);
}

std::string Redaction::text(std::string_view text) {
  std::string out = cleaned(text, static_cast<std::size_t>(rules_.max_text));
  for (const KnownText& typed : typed_) {
    if (typed.text().size() >= kMinTyped) replace_all(out, typed.text(), rules_.replacement);
  }
  if (!rules_.enabled || words_.list.empty()) return out;
  // What is split by characters that cannot be seen is replaced in the text without them.
  if (std::string readable = readable_text(out); readable != out && words_.fit(readable)) {
    out = std::move(readable);
  }
  for (const Pattern& pattern : words_.list) {
    pattern.reset_effort();
    if (pattern.replace_all(out, rules_.replacement)) ++applied_;
    if (pattern.exhausted() > 0) return rules_.replacement;
  }
  return out;
}

bool Redaction::holds(const Node& node, const std::string& value) const {
  if (node.hidden == nullptr) return node.value == value;
  Node as_captured;
  as_captured.name = node.hidden->name;
  as_captured.value = value;
  return node.hidden->digest == digest(as_captured);
}

void Redaction::remember(std::string typed) {
  if (typed.size() < kMinRepeat) return;
  std::erase(typed_, typed);
  typed_.emplace_back(std::move(typed));
  if (typed_.size() > kMaxTyped) typed_.pop_front();
}

std::string Redaction::recorded(std::string_view text) {
  std::string out = this->text(text);
  const auto take_all = [&](const std::deque<KnownText>& texts, bool password) {
    for (const KnownText& known : texts) {
      take_out(out, known.text(), password, rules_.replacement);
    }
  };
  take_all(typed_, true);
  take_all(passwords_.texts(), true);
  take_all(hidden_.texts(), false);
  return means_hidden(out) ? rules_.replacement : out;
}

/// Whether a hidden text stands there in another writing.
bool Redaction::means_hidden(std::string_view text) const {
  if (text.empty() || text == rules_.replacement) return false;
  const SearchedText searched(text);  // once: texts may be long, and what is hidden is much
  const auto password = [&](const KnownText& secret) {
    const SecretForms& forms = *secret.forms();
    return searched.holds(forms, kMinRepeat) || searched.holds_trimmed(forms);
  };
  const auto hidden = [&](const KnownText& known) { return searched.holds(*known.forms(), kLong); };
  const auto any = [](const std::deque<KnownText>& texts, const auto& stands) {
    return std::any_of(texts.begin(), texts.end(), stands);
  };
  return any(typed_, password) || any(passwords_.texts(), password) || any(hidden_.texts(), hidden);
}

std::string Redaction::digest(const Node& node) const {
  std::string bytes = node.name;
  bytes.push_back('\0');
  if (node.value) bytes += *node.value;
  std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
  unsigned int length = 0;
  HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()),
       reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), out.data(), &length);
  std::string text;
  append_hex(text, std::span(out).first(length));
  return text;
}

void Redaction::learn(const Node& node, bool secret) {
  if (node.value) (secret ? passwords_ : hidden_).add(*node.value);
  // What a control is called is a word that other windows have, too.
  if (!secret && (names_.fit(node.name) || !is_control(node))) hidden_.add(node.name);
}

void Redaction::hide(Node& node) {
  if (node.hidden) return;
  learn(node, is_password(node));
  node.hidden = std::make_shared<Hidden>(Hidden{node.name, digest(node)});
  ++applied_;
  const auto replace = [this](std::optional<std::string>& text) {
    if (text && !text->empty()) text = rules_.replacement;
  };
  if (!node.name.empty()) node.name = rules_.replacement;
  replace(node.value);
  replace(node.description);
  replace(node.identifier);
  replace(node.keyboard_shortcut);
  node.value_now.reset();
  node.value_min.reset();
  node.value_max.reset();
}

void Redaction::hide_all(Node& node) {
  hide(node);
  for (Node& child : node.children) hide_all(child);
}

bool Redaction::shows_secret(std::string_view text) const {
  if (rules_.enabled && !words_.list.empty() && words_.fit(text)) return true;
  return std::any_of(typed_.begin(), typed_.end(), [text](const KnownText& typed) {
    return typed.text().size() >= kMinTyped && text.find(typed.text()) != std::string_view::npos;
  });
}

void Redaction::clean(Node& node) {
  if (node.hidden == nullptr &&
      (shows_secret(node.name) || (node.value && shows_secret(*node.value)))) {
    node.hidden = std::make_shared<Hidden>(Hidden{node.name, digest(node)});
  }
  const auto limit = static_cast<std::size_t>(rules_.max_text);
  const bool watches = !typed_.empty() || (rules_.enabled && !words_.list.empty());
  const auto clean_text = [&](std::string& field) {
    // Most texts are as they should be and stay where they are.
    if (watches || !is_clean(field, limit)) field = text(field);
  };
  clean_text(node.name);
  for (auto* field : {&node.value, &node.description, &node.identifier, &node.keyboard_shortcut}) {
    if (*field) clean_text(**field);
  }
  for (auto* words : {&node.actions, &node.states}) {
    for (std::string& word : *words) {
      if (!is_clean(word, limit)) word = cleaned(word, limit);
    }
  }
}

/// `inside` a field that is hidden: its texts repeat it. The values that were hidden are collected.
void Redaction::visit(Node& node, bool inside, std::vector<std::string>& values) {
  const bool secret = is_password(node);
  const bool fits = rules_.enabled && (names_.fit(node.name) || roles_.fit(node.role));
  const bool hidden = inside || fits;
  if ((secret || hidden) && node.value && node.value->size() >= kMinRepeat &&
      values.size() < kMaxRepeats) {
    values.push_back(*node.value);
  }
  if (hidden) {
    hide(node);
  } else if (secret && node.value) {
    learn(node, true);
    node.hidden = std::make_shared<Hidden>(Hidden{node.name, digest(node)});
    ++applied_;
  }
  if (secret) node.value.reset();
  if (!hidden) clean(node);
  const bool spreads = inside || secret || (fits && holds_text(node));
  for (Node& child : node.children) visit(child, spreads, values);
}

void Redaction::remove_repeats(Node& node, const std::vector<std::string>& values) {
  const Hidden before{node.name, node.hidden == nullptr ? digest(node) : std::string()};
  bool shown = false;  // so that its pixels go as well
  for (const std::string& value : values) {
    shown = replace_all(node.name, value, rules_.replacement) || shown;
    if (node.value) shown = replace_all(*node.value, value, rules_.replacement) || shown;
    for (auto* field : {&node.description, &node.identifier, &node.keyboard_shortcut}) {
      if (*field) replace_all(**field, value, rules_.replacement);
    }
  }
  if (shown && node.hidden == nullptr) node.hidden = std::make_shared<Hidden>(before);
  for (Node& child : node.children) remove_repeats(child, values);
}

void Redaction::redact(Node& root, std::string_view title) {
  if (hides_window(title)) hide_all(root);
  std::vector<std::string> values;
  visit(root, false, values);
  if (!values.empty()) remove_repeats(root, values);
}

}  // namespace gantry::observation
