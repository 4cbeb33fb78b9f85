// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "line_index.hpp"
#include "text_lines.hpp"
#include "unified_diff.hpp"

namespace gantry::files {
namespace {

/// A patch made of a file with CRLF has the CR in its lines, or has lost it on the way.
std::string_view without_return(std::string_view text) {
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

class Fitting {
 public:
  explicit Fitting(std::string_view content) : lines_(content), ending_(line_ending(content)) {}

  Result<void> add(const Hunk& hunk, std::size_t number) {
    std::vector<const DiffLine*> old;
    for (const DiffLine& line : hunk.lines) {
      if (line.kind != DiffKind::Added) old.push_back(&line);
    }
    const std::size_t wanted = wanted_place(hunk);
    const auto place = find(old, wanted);
    if (!place) return misfit(old, wanted, number);
    copy_until(*place);
    shift_ = static_cast<std::ptrdiff_t>(*place) - static_cast<std::ptrdiff_t>(stated(hunk));
    for (const DiffLine& line : hunk.lines) put(line);
    return {};
  }

  std::string finish() {
    copy_until(lines_.size());
    return std::move(out_);
  }

 private:
  /// Where the head says that the hunk is, as an index.
  static std::size_t stated(const Hunk& hunk) {
    return hunk.old_count == 0 ? hunk.old_start : hunk.old_start - 1;
  }
  [[nodiscard]] std::size_t wanted_place(const Hunk& hunk) const {
    const auto place = static_cast<std::ptrdiff_t>(stated(hunk)) + shift_;
    return std::clamp<std::size_t>(place < 0 ? 0 : static_cast<std::size_t>(place), next_,
                                   std::max(next_, lines_.size()));
  }

  /// `is_last`: nothing stands behind the line.
  [[nodiscard]] static bool same(const DiffLine& wanted, const LineView& line, bool is_last) {
    // A line that is said to end the file must end it.
    if (wanted.without_end && !(is_last && line.end.empty())) return false;
    return line.text == wanted.text ||
           (line.end == "\r\n" && line.text == without_return(wanted.text));
  }

  /// How many of the wanted lines stand at `place`, one after the other.
  [[nodiscard]] std::size_t fitting(const std::vector<const DiffLine*>& old,
                                    std::size_t place) const {
    std::string_view rest = lines_.from(place);
    for (std::size_t i = 0; i < old.size(); ++i) {
      const auto line = take_line(rest);
      if (!line || !same(*old[i], *line, rest.empty())) return i;
    }
    return old.size();
  }

  [[nodiscard]] bool fits_at(const std::vector<const DiffLine*>& old, std::size_t place) const {
    if (place < next_ || place + old.size() > lines_.size()) return false;
    return fitting(old, place) == old.size();
  }

  /// The nearest place; of two that are equally near the later one.
  [[nodiscard]] std::optional<std::size_t> find(const std::vector<const DiffLine*>& old,
                                                std::size_t wanted) const {
    for (std::size_t away = 0; away <= lines_.size(); ++away) {
      if (fits_at(old, wanted + away)) return wanted + away;
      if (away <= wanted && fits_at(old, wanted - away)) return wanted - away;
      if (old.empty()) break;  // nothing to look for: it is where it is said to be, or nowhere
    }
    return std::nullopt;
  }

  [[nodiscard]] Error misfit(const std::vector<const DiffLine*>& old, std::size_t wanted,
                             std::size_t number) const {
    const std::size_t i = fitting(old, wanted);
    std::string out =
        "hunk " + std::to_string(number) + " does not fit: line " + std::to_string(wanted + i + 1);
    const std::string expected = i < old.size() ? old[i]->text : "";
    if (wanted + i >= lines_.size()) {
      out += " is behind the end of the file; expected '" + expected + "'";
    } else {
      std::string_view rest = lines_.from(wanted + i);
      out += " is '" + std::string(take_line(rest)->text) + "', expected '" + expected + "'";
    }
    return failed_precondition(out + "; read the file again");
  }

  void copy_until(std::size_t place) {
    if (next_ >= place) return;
    write(lines_.part(next_, place));
    next_ = place;
  }

  /// Only the last line may be without an end.
  void write(std::string_view lines) {
    if (open_) out_ += ending_;
    open_ = false;
    out_ += lines;
    if (!lines.empty()) open_ = !lines.ends_with('\n');
  }

  void put(const DiffLine& line) {
    if (line.kind == DiffKind::Removed) {
      ++next_;
    } else if (line.kind == DiffKind::Context) {
      copy_until(next_ + 1);
    } else {
      std::string text(ending_ == "\r\n" ? without_return(line.text) : line.text);
      if (!line.without_end) text += ending_;
      write(text);
    }
  }

  LineIndex lines_;
  std::string ending_;
  std::string out_;
  bool open_ = false;  // the last line that was written has no end yet
  std::size_t next_ = 0;
  std::ptrdiff_t shift_ =
      0;  // of the hunk before, between where it was said to be and where it was
};

}  // namespace

Result<std::string> apply_hunks(std::string_view content, const std::vector<Hunk>& hunks) {
  Fitting fitting(content);
  for (std::size_t i = 0; i < hunks.size(); ++i) GANTRY_TRY(fitting.add(hunks[i], i + 1));
  return fitting.finish();
}

}  // namespace gantry::files
