// SPDX-License-Identifier: Apache-2.0
#include "unified_diff.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <utility>

namespace gantry::files {
namespace {

constexpr std::size_t kMostNumber = 1'000'000'000;

/// What git writes between files and that changes nothing here.
constexpr std::array<std::string_view, 4> kHarmless{"diff --git ", "index ", "new file mode ",
                                                    "deleted file mode "};
struct Unfit {
  std::string_view prefix;
  std::string_view reason;
};
constexpr std::array<Unfit, 9> kUnfit{{{"rename ", "renames"},
                                       {"copy ", "copies"},
                                       {"similarity index ", "renames and copies"},
                                       {"dissimilarity index ", "rewrites"},
                                       {"old mode ", "changes of modes"},
                                       {"new mode ", "changes of modes"},
                                       {"Binary files ", "binary files"},
                                       {"GIT binary patch", "binary files"},
                                       {"diff --cc ", "merges"}}};

class Parser {
 public:
  explicit Parser(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      lines_.push_back(text.substr(0, end));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
  }

  Result<std::vector<FileDiff>> files() {
    std::vector<FileDiff> out;
    std::set<std::string> seen;
    while (true) {
      GANTRY_TRY(skip_headers());
      if (at_end()) break;
      GANTRY_ASSIGN(FileDiff file, one_file());
      const std::string& name = file.new_path.empty() ? file.old_path : file.new_path;
      if (!seen.insert(name).second) return wrong("'" + name + "' is in the patch twice");
      out.push_back(std::move(file));
    }
    if (out.empty()) return invalid_argument("the patch has no file: '--- a/path' was expected");
    return out;
  }

  Result<std::vector<Hunk>> hunks() {
    std::vector<Hunk> out;
    while (!at_end() && line().starts_with("@@")) {
      GANTRY_ASSIGN(Hunk hunk, one_hunk());
      out.push_back(std::move(hunk));
    }
    if (out.empty()) return wrong("'@@ -line,count +line,count @@' was expected");
    return out;
  }
  [[nodiscard]] bool at_end() const { return next_ >= lines_.size(); }
  [[nodiscard]] Error left_over() const { return wrong("no hunk begins so"); }
  void skip_empty() {
    while (!at_end() && line().empty()) ++next_;
  }

 private:
  [[nodiscard]] std::string_view line() const { return lines_[next_]; }

  [[nodiscard]] Error wrong(const std::string& what) const {
    std::string out = "line " + std::to_string(next_ + 1) + " of the patch: " + what;
    if (!at_end()) out += "; found '" + std::string(line().substr(0, 80)) + "'";
    return invalid_argument(out);
  }

  Result<void> skip_headers() {
    while (!at_end() && !line().starts_with("--- ")) {
      const auto fits = [this](std::string_view prefix) { return line().starts_with(prefix); };
      for (const Unfit& unfit : kUnfit) {
        if (fits(unfit.prefix)) {
          return wrong(std::string(unfit.reason) + " cannot be applied, only changes of text");
        }
      }
      if (!line().empty() && std::none_of(kHarmless.begin(), kHarmless.end(), fits)) {
        return wrong("'--- a/path' was expected");
      }
      ++next_;
    }
    return {};
  }

  /// What follows "--- " or "+++ ", without time and a/ or b/.
  Result<std::string> path_after(std::string_view mark, std::string_view side) {
    if (at_end() || !line().starts_with(mark)) {
      return wrong("'" + std::string(mark) + std::string(side) + "path' was expected");
    }
    std::string_view path = line().substr(mark.size());
    path = path.substr(0, path.find('\t'));
    if (path.ends_with('\r')) path.remove_suffix(1);
    if (path == "/dev/null") {
      ++next_;
      return std::string();
    }
    if (path.starts_with(side)) path.remove_prefix(side.size());
    // Git writes names with quotes or control characters in quotes, which are not read here.
    const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
    if (path.empty() || path.front() == '"' || std::any_of(path.begin(), path.end(), control)) {
      return wrong("a plain path was expected");
    }
    ++next_;
    return std::string(path);
  }

  Result<FileDiff> one_file() {
    FileDiff out;
    GANTRY_ASSIGN(out.old_path, path_after("--- ", "a/"));
    GANTRY_ASSIGN(out.new_path, path_after("+++ ", "b/"));
    if (out.old_path.empty() && out.new_path.empty()) return wrong("both sides are /dev/null");
    if (!out.old_path.empty() && !out.new_path.empty() && out.old_path != out.new_path) {
      return wrong("renames cannot be applied: " + out.old_path + " is not " + out.new_path);
    }
    GANTRY_ASSIGN(out.hunks, hunks());
    for (const Hunk& hunk : out.hunks) {
      if (out.old_path.empty() && hunk.old_count != 0) return wrong("a new file has no old lines");
      if (out.new_path.empty() && hunk.new_count != 0) {
        return wrong("a removed file has no new lines");
      }
    }
    return out;
  }

  /// "12,3" or "12" (one line) at the front of `text`, which goes on behind it.
  static bool read_range(std::string_view& text, std::size_t& start, std::size_t& count) {
    const auto number = [&text](std::size_t& out) {
      const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), out);
      if (problem != std::errc() || out > kMostNumber) return false;
      text.remove_prefix(static_cast<std::size_t>(end - text.data()));
      return true;
    };
    if (!number(start)) return false;
    count = 1;
    if (!text.starts_with(',')) return true;
    text.remove_prefix(1);
    return number(count);
  }

  static bool take(std::string_view& text, std::string_view what) {
    if (!text.starts_with(what)) return false;
    text.remove_prefix(what.size());
    return true;
  }

  Result<Hunk> one_hunk() {
    Hunk out;
    std::string_view head = line();
    const bool fits = take(head, "@@ -") && read_range(head, out.old_start, out.old_count) &&
                      take(head, " +") && read_range(head, out.new_start, out.new_count) &&
                      take(head, " @@");
    if (!fits || (out.old_count == 0 && out.new_count == 0)) {
      return wrong("'@@ -line,count +line,count @@' was expected");
    }
    if ((out.old_count != 0 && out.old_start == 0) || (out.new_count != 0 && out.new_start == 0)) {
      return wrong("lines are counted from 1");
    }
    ++next_;
    std::size_t old_left = out.old_count;
    std::size_t new_left = out.new_count;
    while (old_left > 0 || new_left > 0 || (!at_end() && line().starts_with("\\"))) {
      if (at_end()) return wrong("the hunk has fewer lines than its head says");
      GANTRY_TRY(one_line(out, old_left, new_left));
    }
    return out;
  }

  Result<void> one_line(Hunk& hunk, std::size_t& old_left, std::size_t& new_left) {
    std::string_view text = line();
    if (text.starts_with("\\")) {
      if (hunk.lines.empty() || hunk.lines.back().without_end) {
        return wrong("'\\ No newline' follows no line");
      }
      // Nothing without a line end is not a line: no file holds it, so no text could fit the hunk.
      if (hunk.lines.back().text.empty()) {
        return wrong("'\\ No newline' follows an empty line, which is nothing but its end");
      }
      hunk.lines.back().without_end = true;
      ++next_;
      return {};
    }
    // Mail and editors take the blank off an empty context line.
    const char mark = text.empty() || text == "\r" ? ' ' : text.front();
    const bool is_old = mark == ' ' || mark == '-';
    const bool is_new = mark == ' ' || mark == '+';
    if (!is_old && !is_new) return wrong("a line of a hunk begins with blank, - or +");
    if ((is_old && old_left == 0) || (is_new && new_left == 0)) {
      return wrong("the hunk has more lines than its head says");
    }
    if (!text.empty() && text.front() == mark) text.remove_prefix(1);
    hunk.lines.push_back({static_cast<DiffKind>(mark), std::string(text), false});
    old_left -= is_old ? 1 : 0;
    new_left -= is_new ? 1 : 0;
    ++next_;
    return {};
  }

  std::vector<std::string_view> lines_;
  std::size_t next_ = 0;
};

std::string range_text(std::size_t start, std::size_t count) {
  return std::to_string(start) + (count == 1 ? "" : "," + std::to_string(count));
}

}  // namespace

Result<std::vector<FileDiff>> parse_diff(std::string_view text) { return Parser(text).files(); }

Result<std::vector<Hunk>> parse_hunks(std::string_view text) {
  Parser parser(text);
  parser.skip_empty();
  GANTRY_ASSIGN(std::vector<Hunk> out, parser.hunks());
  parser.skip_empty();
  if (!parser.at_end()) return parser.left_over();
  return out;
}

std::string diff_text(const std::vector<FileDiff>& files) {
  std::string out;
  for (const FileDiff& file : files) {
    out += "--- " + (file.old_path.empty() ? "/dev/null" : "a/" + file.old_path) + "\n";
    out += "+++ " + (file.new_path.empty() ? "/dev/null" : "b/" + file.new_path) + "\n";
    for (const Hunk& hunk : file.hunks) {
      out += "@@ -" + range_text(hunk.old_start, hunk.old_count) + " +" +
             range_text(hunk.new_start, hunk.new_count) + " @@\n";
      for (const DiffLine& line : hunk.lines) {
        out += static_cast<char>(line.kind) + line.text + "\n";
        if (line.without_end) out += "\\ No newline at end of file\n";
      }
    }
  }
  return out;
}

}  // namespace gantry::files
