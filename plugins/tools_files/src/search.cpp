// SPDX-License-Identifier: Apache-2.0
// Finding files and lines.
#include <fcntl.h>
#include <gantry/pattern.hpp>
#include <gantry/tools/text.hpp>
#include <gantry/tools/tool_server.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "explore.hpp"
#include "file_io.hpp"
#include "file_tools.hpp"
#include "glob.hpp"
#include "text_lines.hpp"

namespace gantry::files {
namespace {

constexpr std::int64_t kNsInMs = 1'000'000;
constexpr std::size_t kLongestLine = 300;

Bounds bounds_of(const Work& work) {
  Bounds out;
  out.entries = static_cast<std::size_t>(work.settings->limits.entries);
  out.stop = [&work, until = work.monotonic_ns() + work.settings->limits.search_time * kNsInMs] {
    return work.over() || work.monotonic_ns() > until;
  };
  return out;
}

Result<std::optional<Glob>> glob_of(const std::string& pattern) {
  if (pattern.empty()) return std::optional<Glob>();
  GANTRY_ASSIGN(Glob glob, Glob::compile(pattern));
  return std::optional<Glob>(std::move(glob));
}

std::string shown(const std::string& name) { return tools::repaired_utf8(name); }

/// Lines of results until there are enough of them, or too many bytes.
class Results {
 public:
  Results(const Work& work, std::int64_t wanted)
      : most_(static_cast<std::size_t>(wanted > 0 ? std::min(wanted, work.settings->limits.results)
                                                  : work.settings->limits.results)),
        bytes_(static_cast<std::size_t>(work.settings->limits.read)) {}

  /// False: there is no room for more.
  bool add(const std::string& line) {
    if (count_ == most_ || text_.size() + line.size() + 1 > bytes_) {
      full_ = true;
      return false;
    }
    ++count_;
    text_ += line + "\n";
    return true;
  }

  ToolResult finish(const std::string& reason, const std::string& nothing) && {
    if (count_ == 0) text_ = nothing + "\n";
    if (full_) {
      text_ += "[only the first " + std::to_string(count_) + "; narrow the search]\n";
    } else if (!reason.empty()) {
      text_ += "[not everything was looked at: " + reason + "]\n";
    }
    return tools::text_result(std::move(text_));
  }

 private:
  std::size_t most_;
  std::size_t bytes_;
  std::size_t count_ = 0;
  std::string text_;
  bool full_ = false;
};

/// False: the results are full.
bool search_lines(const Entry& entry, const Pattern& pattern, std::size_t most, Results& results) {
  Found file;
  file.descriptor =
      Descriptor(::openat(entry.folder.get(), entry.name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  file.path = entry.path;
  // Between the look and the opening something else may have come in its place.
  if (!file.descriptor || ::fstat(file.descriptor.get(), &file.facts) != 0 ||
      !S_ISREG(file.facts.st_mode)) {
    return true;
  }
  const auto content = read_file(file, most);
  if (!content.ok() || is_binary(content->bytes)) return true;
  std::size_t number = 0;
  std::string_view rest = content->bytes;
  while (const auto line = take_line(rest)) {
    ++number;
    std::string text = tools::repaired_utf8(line->text);
    if (!pattern.search(text)) continue;
    if (text.size() > kLongestLine) {
      text.resize(kLongestLine);
      text.resize(text.size() - tools::unfinished_utf8(text));
      text += " […]";
    }
    if (!results.add(shown(entry.relative) + ":" + std::to_string(number) + ": " + text)) {
      return false;
    }
  }
  return true;
}

std::string list_line(const Entry& entry) {
  const std::string name = shown(entry.relative);
  if (S_ISDIR(entry.facts.st_mode)) return name + "/";
  if (S_ISLNK(entry.facts.st_mode)) return name + "  (link)";
  if (S_ISREG(entry.facts.st_mode)) {
    return name + "  " + std::to_string(entry.facts.st_size) + " bytes";
  }
  return name + "  (special)";
}

}  // namespace

Result<ToolResult> search(const Roots& roots, const Work& work, const SearchArguments& arguments) {
  if (arguments.pattern.empty() && arguments.glob.empty()) {
    return invalid_argument("`pattern` or `glob` is needed");
  }
  GANTRY_ASSIGN(const std::optional<Glob> glob, glob_of(arguments.glob));
  std::optional<Pattern> pattern;
  if (!arguments.pattern.empty()) {
    GANTRY_ASSIGN(pattern,
                  Pattern::compile((arguments.case_sensitive ? "" : "(?i)") + arguments.pattern));
  }
  GANTRY_ASSIGN(const Found top, roots.find_folder(arguments.path));
  Results results(work, arguments.max_results);
  const auto most = static_cast<std::size_t>(work.settings->limits.file);
  std::string reason = explore(roots, top, bounds_of(work), [&](const Entry& entry) {
    if (S_ISDIR(entry.facts.st_mode)) {
      return entry.name == ".git" ? Next::Past : Next::Into;  // no text of anybody's
    }
    if (!S_ISREG(entry.facts.st_mode) || (glob && !glob->matches(entry.relative))) {
      return Next::Past;
    }
    const bool room =
        pattern ? search_lines(entry, *pattern, most, results) : results.add(shown(entry.relative));
    return room ? Next::Past : Next::Stop;
  });
  if (pattern && pattern->exhausted() > 0)
    reason = "the pattern takes too much effort on some lines";
  return std::move(results).finish(reason, "Nothing was found.");
}

Result<ToolResult> list(const Roots& roots, const Work& work, const ListArguments& arguments) {
  GANTRY_ASSIGN(const std::optional<Glob> glob, glob_of(arguments.glob));
  if (arguments.depth < 1) return invalid_argument("`depth` must be at least 1");
  GANTRY_ASSIGN(const Found top, roots.find_folder(arguments.path));
  Results results(work, 0);
  const std::string reason = explore(roots, top, bounds_of(work), [&](const Entry& entry) {
    const bool fits = !glob || glob->matches(entry.relative);
    if (fits && !results.add(list_line(entry))) return Next::Stop;
    return entry.depth + 1 < arguments.depth ? Next::Into : Next::Past;
  });
  return std::move(results).finish(reason, "There is nothing.");
}

}  // namespace gantry::files
