// SPDX-License-Identifier: Apache-2.0
#include <gantry/llm/json.hpp>
#include <gantry/observed.hpp>

#include <algorithm>
#include <array>
#include <cctype>

namespace gantry::observed {

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::string_view without_article(std::string_view text) {
  text = trim(text);
  for (const std::string_view article : {"the ", "a ", "an ", "my "}) {
    if (lower(text.substr(0, article.size())) == article) return trim(text.substr(article.size()));
  }
  return text;
}

namespace {

namespace bj = boost::json;

struct Kind {
  std::string_view word;                  // as people say it
  std::array<std::string_view, 4> roles;  // parts of roles, in lower case
};
constexpr std::array kKinds{
    Kind{"button", {"button", "button", "button", "button"}},
    Kind{"link", {"link", "hyperlink", "link", "link"}},
    Kind{"checkbox", {"check", "check", "check", "check"}},
    Kind{"tab", {"tab", "tab", "tab", "tab"}},
    Kind{"menu", {"menu", "menu", "menu", "menu"}},
    Kind{"item", {"item", "item", "item", "item"}},
    Kind{"field", {"edit", "entry", "text", "document"}},
    Kind{"box", {"edit", "entry", "text", "combo"}},
    Kind{"list", {"list", "combo", "list", "list"}},
};
constexpr std::array<std::string_view, 13> kActionable{
    "button", "link",  "item",       "check",   "radio",    "tab", "edit",
    "entry",  "combo", "text field", "textbox", "document", "icon"};
/// Have something to read although it may be empty.
constexpr std::array<std::string_view, 8> kHoldsText{"edit",    "entry",    "combo",  "text field",
                                                     "textbox", "document", "slider", "spin"};

/// For comparing: lower case, without mnemonics and the dots of "Save as…".
std::string plain(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name.substr(i).starts_with("\xE2\x80\xA6")) {
      i += 2;
    } else if (name[i] != '_' && name[i] != '&') {
      out += name[i];
    }
  }
  while (out.ends_with('.') || out.ends_with(':')) out.pop_back();
  return lower(trim(out));
}

bool begins_word(std::string_view text, std::size_t at) {
  return at == 0 || std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0;
}

}  // namespace

int closeness(std::string_view found, std::string_view wanted) {
  const std::string have = plain(found), want = plain(wanted);
  if (want.empty() || have.empty()) return 0;
  if (have == want) return 3;
  if (have.starts_with(want)) return 2;
  for (std::size_t at = have.find(want); at != std::string::npos; at = have.find(want, at + 1)) {
    if (begins_word(have, at)) return 1;
  }
  return 0;
}

namespace {

template <class T, class F>
std::vector<T> closest(const std::vector<T>& all, F&& name, std::string_view wanted) {
  int best = 1;
  std::vector<T> out;
  for (const T& one : all) {
    const int close = closeness(name(one), wanted);
    if (close < best) continue;
    if (close > best) out.clear();
    best = close;
    out.push_back(one);
  }
  return out;
}

const Kind* kind_at_end(std::string_view name) {
  for (const Kind& kind : kKinds) {
    const std::size_t size = kind.word.size();
    if (name.size() > size + 1 && name[name.size() - size - 1] == ' ' &&
        lower(name.substr(name.size() - size)) == kind.word) {
      return &kind;
    }
  }
  return nullptr;
}

template <class List>
bool role_has(const Element& element, const List& parts) {
  const std::string role = lower(element.role);
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return role.find(part) != std::string::npos; });
}

template <class List>
std::vector<Element> of_roles(const std::vector<Element>& elements, const List& roles) {
  std::vector<Element> out;
  std::copy_if(elements.begin(), elements.end(), std::back_inserter(out),
               [&](const Element& element) { return role_has(element, roles); });
  return out;
}

bool is_true(const bj::value& object, std::string_view name) {
  const auto* found = llm::member(object, name);
  return found != nullptr && found->is_bool() && found->get_bool();
}

void read_node(const bj::value& node, std::vector<Element>& out) {
  Element element;
  element.id = llm::text_of(node, "id");
  element.role = llm::text_of(node, "role");
  element.name = llm::text_of(node, "name");
  element.value = llm::text_of(node, "value");
  if (const auto* bounds = llm::member(node, "bounds")) {
    const auto side = [&](std::string_view name) {
      return static_cast<int>(llm::number_of(*bounds, name).value_or(0));
    };
    element.x = side("x");
    element.y = side("y");
    element.width = side("width");
    element.height = side("height");
  }
  if (!element.id.empty()) out.push_back(std::move(element));
  for (const bj::value& child : llm::array_of(node, "children")) read_node(child, out);
}

}  // namespace

std::vector<Window> read_windows(std::string_view json) {
  std::vector<Window> windows;
  (void)llm::read_json(json, [&](const bj::value& root) {
    for (const bj::value& entry : llm::array_of(root, "windows")) {
      Window window;
      window.uid = llm::text_of(entry, "window_uid");
      window.title = llm::text_of(entry, "title");
      window.process = llm::text_of(entry, "process");
      window.pid = llm::number_of(entry, "pid").value_or(0);
      window.focused = is_true(entry, "focused");
      window.minimized = is_true(entry, "minimized");
      windows.push_back(std::move(window));
    }
  });
  return windows;
}

std::vector<Element> read_elements(std::string_view json) {
  std::vector<Element> elements;
  (void)llm::read_json(json, [&](const bj::value& root) {
    if (const auto* tree = llm::member(root, "tree")) read_node(*tree, elements);
  });
  return elements;
}

std::vector<Window> match_windows(const std::vector<Window>& windows, std::string_view name) {
  if (!name.empty())
    return closest(
        windows, [](const Window& w) { return w.title; }, name);
  std::vector<Window> out;
  std::copy_if(windows.begin(), windows.end(), std::back_inserter(out),
               [](const Window& window) { return window.focused; });
  if (out.empty() && !windows.empty()) out.push_back(windows.front());
  return out;
}

std::vector<Element> match_elements(const std::vector<Element>& elements, std::string_view name,
                                    bool to_act) {
  const auto by_name = [](const Element& element) { return element.name; };
  std::vector<Element> found;
  if (const Kind* kind = kind_at_end(name)) {
    const std::string_view shorter = name.substr(0, name.size() - kind->word.size() - 1);
    found = closest(of_roles(elements, kind->roles), by_name, shorter);
  }
  if (found.empty()) found = closest(elements, by_name, name);
  std::vector<Element> better;
  std::copy_if(found.begin(), found.end(), std::back_inserter(better), [&](const Element& element) {
    return to_act ? role_has(element, kActionable)
                  : !element.value.empty() || role_has(element, kHoldsText);
  });
  return better.empty() ? found : better;
}

std::string name_pattern(std::string_view name) {
  const Kind* kind = kind_at_end(name);
  if (kind != nullptr) name = name.substr(0, name.size() - kind->word.size() - 1);
  std::string out = "(?i)";
  for (const char c : plain(name)) {
    // A letter may be preceded by the mark of its mnemonic.
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      out += "[_&]?";
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x80) {
      out += '\\';
      out += c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string describe(const Element& element) {
  std::string out = element.role;
  if (!element.name.empty()) out += " \"" + element.name + '"';
  return out + " at (" + std::to_string(element.x) + ", " + std::to_string(element.y) + ')';
}

}  // namespace gantry::observed
