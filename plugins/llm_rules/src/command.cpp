// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace gantry::rules {
namespace {

struct Phrase {
  std::string_view words;
  Verb verb;
};

/// The longest phrase that a step begins with counts.
constexpr std::array kPhrases{
    Phrase{"list windows", Verb::ListWindows},
    Phrase{"list the windows", Verb::ListWindows},
    Phrase{"list all windows", Verb::ListWindows},
    Phrase{"list open windows", Verb::ListWindows},
    Phrase{"show windows", Verb::ListWindows},
    Phrase{"show the windows", Verb::ListWindows},
    Phrase{"show all windows", Verb::ListWindows},
    Phrase{"show open windows", Verb::ListWindows},
    Phrase{"what windows are open", Verb::ListWindows},
    Phrase{"which windows are open", Verb::ListWindows},
    Phrase{"describe", Verb::Describe},
    Phrase{"look at", Verb::Describe},
    Phrase{"what is on", Verb::Describe},
    Phrase{"what's on", Verb::Describe},
    Phrase{"what is in", Verb::Describe},
    Phrase{"what's in", Verb::Describe},
    Phrase{"click", Verb::Click},
    Phrase{"click on", Verb::Click},
    Phrase{"tap", Verb::Click},
    Phrase{"tap on", Verb::Click},
    Phrase{"double-click", Verb::DoubleClick},
    Phrase{"double-click on", Verb::DoubleClick},
    Phrase{"double click", Verb::DoubleClick},
    Phrase{"double click on", Verb::DoubleClick},
    Phrase{"right-click", Verb::RightClick},
    Phrase{"right-click on", Verb::RightClick},
    Phrase{"right click", Verb::RightClick},
    Phrase{"right click on", Verb::RightClick},
    Phrase{"type", Verb::Type},
    Phrase{"write", Verb::Type},
    Phrase{"press", Verb::Press},
    Phrase{"hit", Verb::Press},
    Phrase{"scroll up", Verb::ScrollUp},
    Phrase{"scroll down", Verb::ScrollDown},
    Phrase{"scroll", Verb::ScrollDown},
    Phrase{"open", Verb::Open},
    Phrase{"launch", Verb::Open},
    Phrase{"start", Verb::Open},
    Phrase{"switch to", Verb::Switch},
    Phrase{"focus", Verb::Switch},
    Phrase{"focus on", Verb::Switch},
    Phrase{"go to", Verb::Switch},
    Phrase{"activate", Verb::Switch},
    Phrase{"wait for", Verb::WaitFor},
    Phrase{"wait until", Verb::WaitFor},
    Phrase{"wait", Verb::WaitSeconds},
    Phrase{"read", Verb::Read},
    Phrase{"screenshot", Verb::Screenshot},
    Phrase{"screenshot of", Verb::Screenshot},
    Phrase{"take a screenshot", Verb::Screenshot},
    Phrase{"take a screenshot of", Verb::Screenshot},
    Phrase{"help", Verb::Help},
    Phrase{"what can you do", Verb::Help},
    Phrase{"who are you", Verb::Help},
    Phrase{"what are you", Verb::Help},
    Phrase{"hello", Verb::Help},
    Phrase{"hi", Verb::Help},
};

constexpr std::array<std::string_view, 6> kPolite{"please",    "can you",        "could you",
                                                  "would you", "can you please", "now"};

bool begins_with_words(std::string_view text, std::string_view words) {
  if (text.size() < words.size() || lower(text.substr(0, words.size())) != words) return false;
  return text.size() == words.size() ||
         std::isalnum(static_cast<unsigned char>(text[words.size()])) == 0;
}

const Phrase* phrase_of(std::string_view text) {
  const Phrase* best = nullptr;
  for (const Phrase& phrase : kPhrases) {
    if (!begins_with_words(text, phrase.words)) continue;
    if (best == nullptr || phrase.words.size() > best->words.size()) best = &phrase;
  }
  return best;
}

std::string_view without_politeness(std::string_view text) {
  text = trim(text);
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view words : kPolite) {
      if (!begins_with_words(text, words)) continue;
      text = text.substr(words.size());
      text = trim(text.substr(std::min(text.find_first_not_of(", "), text.size())));
      again = true;
    }
  }
  return text;
}

/// The closing quote of one that opens here, or npos. Apostrophes inside words open nothing.
std::size_t closing_quote(std::string_view text, std::size_t at) {
  constexpr std::string_view kLeft = "\xE2\x80\x9C", kRight = "\xE2\x80\x9D";
  if (text.substr(at).starts_with(kLeft)) {
    const std::size_t end = text.find(kRight, at);
    return end == std::string_view::npos ? end : end + kRight.size() - 1;
  }
  const char c = text[at];
  if (c != '"' && c != '\'') return std::string_view::npos;
  if (c == '\'' && at > 0 && std::isalnum(static_cast<unsigned char>(text[at - 1])) != 0) {
    return std::string_view::npos;
  }
  return text.find(c, at + 1);
}

/// Calls `use(position)` for every place outside of quotes until that is true; npos when never.
template <class F>
std::size_t find_outside_quotes(std::string_view text, F&& use) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (const std::size_t end = closing_quote(text, at); end != std::string_view::npos) {
      at = end;
    } else if (use(at)) {
      return at;
    }
  }
  return std::string_view::npos;
}

/// The last place of ` word ` outside of quotes.
std::size_t last_word(std::string_view text, std::string_view word) {
  const std::string padded = ' ' + std::string(word) + ' ';
  std::size_t found = std::string_view::npos;
  (void)find_outside_quotes(text, [&](std::size_t at) {
    if (lower(text.substr(at, padded.size())) == padded) found = at;
    return false;
  });
  return found;
}

/// Length of the separator of steps that begins at `at`, 0 when none does. "and" and a comma
/// separate only in front of a verb, so that texts may have them.
std::size_t separator(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.front() == ';' || rest.front() == '\n') return 1;
  for (const std::string_view word : {", and then ", ", then ", " and then ", " then "}) {
    if (lower(rest.substr(0, word.size())) == word) return word.size();
  }
  for (const std::string_view word : {", and ", " and ", ", "}) {
    if (lower(rest.substr(0, word.size())) != word) continue;
    if (phrase_of(without_politeness(rest.substr(word.size()))) != nullptr) return word.size();
  }
  return 0;
}

std::string unquoted(std::string_view text) {
  text = trim(text);
  if (text.empty() || closing_quote(text, 0) != text.size() - 1) return std::string(text);
  const std::size_t mark = text.front() == '"' || text.front() == '\'' ? 1 : 3;
  return std::string(text.substr(mark, text.size() - 2 * mark));
}

bool is_quoted(std::string_view text) {
  text = trim(text);
  return !text.empty() && closing_quote(text, 0) == text.size() - 1;
}

/// A name as people say it: without quotes, article, and the word window at its end.
std::string name_of(std::string_view text, bool window = false) {
  if (is_quoted(text)) return unquoted(text);
  text = observed::without_article(text);
  constexpr std::string_view kWindow = " window";
  if (window && text.size() > kWindow.size() &&
      lower(text.substr(text.size() - kWindow.size())) == kWindow) {
    text.remove_suffix(kWindow.size());
  }
  return unquoted(text);
}

/// Takes ` in W` off the end.
void take_where(std::string_view& rest, Step& step) {
  const std::size_t at = last_word(rest, "in");
  if (at == std::string_view::npos) return;
  step.where = name_of(rest.substr(at + 4), true);
  rest = trim(rest.substr(0, at));
}

std::optional<std::int64_t> number_in(std::string_view text) {
  const std::size_t begin = text.find_first_of("0123456789");
  if (begin == std::string_view::npos) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data() + begin, text.data() + text.size(), number);
  return error == std::errc() && number < 1'000'000 ? std::optional(number) : std::nullopt;
}

/// "at 10, 20" or "10,20".
std::optional<Point> point_of(std::string_view text) {
  text = trim(text);
  if (begins_with_words(text, "at")) text = trim(text.substr(2));
  const auto x = number_in(text);
  const std::size_t comma = text.find_first_of(", ");
  if (!x || comma == std::string_view::npos ||
      text.find_first_not_of("0123456789, ") != std::string_view::npos) {
    return std::nullopt;
  }
  const auto y = number_in(text.substr(comma));
  if (!y) return std::nullopt;
  return Point{*x, *y};
}

void read_type(Step& step, std::string_view rest) {
  std::size_t into = last_word(rest, "into");
  const std::size_t quote = rest.empty() ? std::string_view::npos : closing_quote(rest, 0);
  if (quote != std::string_view::npos && into == std::string_view::npos)
    into = last_word(rest, "in");
  if (into != std::string_view::npos) {
    std::string_view field = trim(rest.substr(rest.find(' ', into + 1)));
    take_where(field, step);
    step.into = name_of(field);
    rest = rest.substr(0, into);
  }
  step.what = unquoted(rest);
}

void read_wait(Step& step, std::string_view rest) {
  constexpr std::array<std::string_view, 3> kLimits{"up to", "at most", "for at most"};
  if (step.verb == Verb::WaitSeconds) {
    const auto number = number_in(rest);
    const bool known = number && (rest.find("sec") != std::string_view::npos ||
                                  rest.find_first_not_of("0123456789 s") == std::string_view::npos);
    if (!known) step.verb = Verb::Unknown;
    step.number = number.value_or(0) * 1000;
    return;
  }
  for (const std::string_view words : kLimits) {
    const std::size_t at = last_word(rest, words);
    if (at == std::string_view::npos) continue;
    step.number = number_in(rest.substr(at)).value_or(0) * 1000;
    rest = trim(rest.substr(0, at));
  }
  if (const auto seconds = number_in(rest);
      seconds && rest.find("second") != std::string_view::npos &&
      std::isdigit(static_cast<unsigned char>(rest.front())) != 0) {
    step.verb = Verb::WaitSeconds;  // wait for 3 seconds
    step.number = *seconds * 1000;
    return;
  }
  for (const std::string_view end : {" appears", " is there", " shows up", " to appear"}) {
    if (rest.ends_with(end)) rest.remove_suffix(end.size());
  }
  take_where(rest, step);
  step.what = name_of(rest);
}

void read_window_only(Step& step, std::string_view rest) {
  for (const std::string_view screen : {"the screen", "screen", "the desktop", "my screen"}) {
    if (lower(trim(rest)) == screen) return;
  }
  if (begins_with_words(rest, "of")) rest = rest.substr(2);
  step.where = name_of(rest, true);
}

void read_rest(Step& step, std::string_view rest) {
  switch (step.verb) {
    case Verb::Click:
    case Verb::DoubleClick:
    case Verb::RightClick: step.at = point_of(rest); [[fallthrough]];
    case Verb::Read:
      if (step.at) return;
      take_where(rest, step);
      step.what = name_of(rest);
      break;
    case Verb::Type: read_type(step, rest); break;
    case Verb::ScrollUp:
    case Verb::ScrollDown: step.number = number_in(rest).value_or(0); return;
    case Verb::WaitFor:
    case Verb::WaitSeconds: read_wait(step, rest); break;
    case Verb::Describe:
    case Verb::Screenshot: read_window_only(step, rest); return;
    case Verb::Open: step.what = name_of(rest); break;
    case Verb::Press: step.what = unquoted(rest); break;
    case Verb::Switch: step.where = name_of(rest, true); break;
    case Verb::ListWindows:
    case Verb::Help:
    case Verb::Unknown: return;
  }
  const bool needs_words = step.verb != Verb::WaitSeconds && step.verb != Verb::Switch;
  if ((needs_words && step.what.empty()) || (step.verb == Verb::Switch && step.where.empty())) {
    step.verb = Verb::Unknown;
  }
}

Step parse_step(std::string_view text) {
  text = without_politeness(text);
  while (!text.empty() && std::string_view(".!?,").find(text.back()) != std::string_view::npos) {
    text = trim(text.substr(0, text.size() - 1));
  }
  Step step;
  step.said = text;
  const Phrase* phrase = phrase_of(text);
  if (phrase == nullptr) {
    step.what = text;
    return step;
  }
  step.verb = phrase->verb;
  read_rest(step, trim(text.substr(phrase->words.size())));
  if (step.verb == Verb::Unknown) step.what = text;
  return step;
}

}  // namespace

std::vector<Step> parse_command(std::string_view text) {
  std::vector<Step> steps;
  text = trim(text);
  while (!text.empty()) {
    std::size_t length = 0;
    std::size_t end = find_outside_quotes(text, [&](std::size_t at) {
      length = separator(text, at);
      return length != 0;
    });
    if (end == std::string_view::npos) end = text.size();
    if (const std::string_view words = trim(text.substr(0, end)); !words.empty()) {
      steps.push_back(parse_step(words));
    }
    text = trim(text.substr(std::min(end + std::max<std::size_t>(length, 1), text.size())));
  }
  return steps;
}

std::size_t parse_choice(std::string_view text) {
  constexpr std::array<std::string_view, 6> kWords{"",      "first",  "second",
                                                   "third", "fourth", "fifth"};
  std::string words = lower(trim(text));
  for (const std::string_view before : {"the ", "number ", "no. ", "#"}) {
    if (words.starts_with(before)) words.erase(0, before.size());
  }
  for (const std::string_view after : {".", ")", " one"}) {
    if (words.ends_with(after)) words.erase(words.size() - after.size());
  }
  for (std::size_t i = 1; i < kWords.size(); ++i) {
    if (words == kWords.at(i)) return i;
  }
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), number);
  return error == std::errc() && end == words.data() + words.size() && number <= 99 ? number : 0;
}

}  // namespace gantry::rules
