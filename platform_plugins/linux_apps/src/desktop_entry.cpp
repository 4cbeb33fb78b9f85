// SPDX-License-Identifier: Apache-2.0
#include "desktop_entry.hpp"

#include <algorithm>

#include "key_file.hpp"

namespace gantry::apps {
namespace {

std::string raw(const KeyGroup& group, std::string_view key) {
  const auto found = group.find(key);
  return found == group.end() ? std::string() : found->second;
}

bool flag(const KeyGroup& group, std::string_view key) { return raw(group, key) == "true"; }

/// lang_COUNTRY@MODIFIER, then with less and less of it (section 5).
std::string localized(const KeyGroup& group, std::string_view key, std::string_view locale) {
  const std::size_t dot = locale.find('.'), at = locale.find('@');
  const std::string modifier(at == std::string_view::npos ? std::string_view() : locale.substr(at));
  const std::string full(locale.substr(0, std::min(dot, at)));
  const std::string language = full.substr(0, full.find('_'));
  for (const std::string& name : {full + modifier, full, language + modifier, language}) {
    if (name.empty()) continue;
    const std::string value = raw(group, std::string(key) + '[' + name + ']');
    if (!value.empty()) return unescaped(value);
  }
  return unescaped(raw(group, key));
}

bool names_one_of(const std::vector<std::string>& list, std::string_view desktops) {
  while (!desktops.empty()) {
    const std::size_t colon = desktops.find(':');
    const std::string_view one = desktops.substr(0, colon);
    if (std::find(list.begin(), list.end(), one) != list.end()) return true;
    desktops = colon == std::string_view::npos ? std::string_view() : desktops.substr(colon + 1);
  }
  return false;
}

bool shown_here(const KeyGroup& group, const Locale& locale) {
  if (flag(group, "NoDisplay")) return false;
  const std::vector<std::string> only = list_of(raw(group, "OnlyShowIn"));
  if (!only.empty() && !names_one_of(only, locale.desktop)) return false;
  return !names_one_of(list_of(raw(group, "NotShowIn")), locale.desktop);
}

/// "env", and the variables that it sets, stand in front of the program.
std::string program_in(const std::vector<std::string>& command) {
  const auto file_name = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
  auto word = command.begin();
  if (word != command.end() && file_name(*word) == "env") {
    ++word;
    while (word != command.end() && (word->starts_with('-') || word->find('=') != word->npos)) {
      const bool takes_another = *word == "-u" || *word == "-C";
      if (++word != command.end() && takes_another) ++word;
    }
  }
  return word == command.end() ? std::string() : file_name(*word);
}

/// A field code and what stands for it; nothing for files, addresses and icons.
std::string meaning_of(char code, const DesktopEntry& entry) {
  if (code == '%') return "%";
  return code == 'c' ? entry.info.name : std::string();
}

}  // namespace

std::optional<DesktopEntry> read_entry(std::string id, std::string_view text,
                                       const Locale& locale) {
  const auto groups = read_key_file(text);
  const auto found = groups.find("Desktop Entry");
  if (found == groups.end() || raw(found->second, "Type") != "Application") return std::nullopt;
  const KeyGroup& group = found->second;
  DesktopEntry entry;
  entry.info.id = std::move(id);
  entry.info.name = localized(group, "Name", locale.language);
  entry.info.plain_name = unescaped(raw(group, "Name"));
  entry.info.generic_name = localized(group, "GenericName", locale.language);
  entry.info.window_class = unescaped(raw(group, "StartupWMClass"));
  entry.info.keywords = list_of(raw(group, "Keywords"));
  entry.info.categories = list_of(raw(group, "Categories"));
  entry.info.in_terminal = flag(group, "Terminal");
  entry.info.listed = shown_here(group, locale);
  entry.exec = unescaped(raw(group, "Exec"));
  entry.try_exec = unescaped(raw(group, "TryExec"));
  entry.folder = unescaped(raw(group, "Path"));
  entry.media_types = list_of(raw(group, "MimeType"));
  entry.hidden = flag(group, "Hidden");
  const auto command = command_of(entry);
  if (command.ok()) entry.info.program = program_in(*command);
  return entry;
}

Result<std::vector<std::string>> command_of(const DesktopEntry& entry) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false, begun = false, only_codes = false;
  const auto finish = [&] {
    // A word that was nothing but a field code without a meaning is not there at all.
    if (begun && !(only_codes && word.empty())) words.push_back(word);
    word.clear();
    begun = only_codes = false;
  };
  const std::string& exec = entry.exec;
  for (std::size_t i = 0; i < exec.size(); ++i) {
    const char c = exec[i];
    if (c == '"') {
      quoted = !quoted;
      begun = true;
    } else if (quoted && c == '\\' && i + 1 < exec.size()) {
      word += exec[++i];
    } else if (!quoted && (c == ' ' || c == '\t' || c == '\n')) {
      finish();
    } else if (c == '%' && i + 1 < exec.size()) {
      only_codes = only_codes || !begun;
      begun = true;
      word += meaning_of(exec[++i], entry);
    } else {
      word += c;
      begun = true;
    }
  }
  finish();
  if (quoted) return invalid_argument("its Exec line has a quote that is not closed");
  if (words.empty()) return invalid_argument("its Exec line names no program");
  return words;
}

}  // namespace gantry::apps
