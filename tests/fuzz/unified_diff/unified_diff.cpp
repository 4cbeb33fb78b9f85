// SPDX-License-Identifier: Apache-2.0
//
// Any text as a patch: it is refused, or means the same when it is written and read again; each
// file's hunks fit the text that they say they were made from, and make of it what they say.
#include "unified_diff.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "text_lines.hpp"

namespace {

using namespace gantry::files;

/// One side of a hunk as a text, without what the format leaves open: where the other lines are.
std::string side_of(const Hunk& hunk, DiffKind other) {
  std::string out;
  for (const DiffLine& line : hunk.lines) {
    if (line.kind == other) continue;
    out += line.text;
    if (!line.without_end) out += '\n';
  }
  return out;
}

/// A line in the middle that is said to end the file makes a hunk that nothing fits.
bool ends_in_the_middle(const Hunk& hunk, DiffKind other) {
  const DiffLine* last = nullptr;
  for (const DiffLine& line : hunk.lines) {
    if (line.kind == other) continue;
    if (last != nullptr && last->without_end) return true;
    last = &line;
  }
  return false;
}

bool has_return(const Hunk& hunk) {
  for (const DiffLine& line : hunk.lines) {
    if (line.text.ends_with('\r')) return true;
  }
  return false;
}

void check_hunk(const Hunk& from) {
  if (ends_in_the_middle(from, DiffKind::Added) || ends_in_the_middle(from, DiffKind::Removed)) {
    return;
  }
  Hunk hunk = from;
  hunk.old_start = hunk.old_count == 0 ? 0 : 1;
  const auto made = apply_hunks(side_of(hunk, DiffKind::Added), {hunk});
  if (!made.ok()) std::abort();
  // Lines that end with CR are taken for lines of a file with CRLF; then endings are the file's.
  if (has_return(hunk)) return;
  const std::string wanted = side_of(hunk, DiffKind::Removed);
  // A context line says the ending of both sides at once, and the other side may contradict.
  if (*made != wanted && *made + "\n" != wanted && *made != wanted + "\n") std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto files = parse_diff(text);
  if (files.ok()) {
    const std::string again = diff_text(*files);
    const auto reread = parse_diff(again);
    if (!reread.ok() || diff_text(*reread) != again) std::abort();
    for (const FileDiff& file : *files) {
      for (const Hunk& hunk : file.hunks) check_hunk(hunk);
    }
  }
  // Hunks on whatever text: they fit or not; all that is kept is kept as it was.
  const std::size_t cut = text.find("@@");
  if (cut == std::string_view::npos) return 0;
  const auto hunks = parse_hunks(text.substr(cut));
  if (hunks.ok()) (void)apply_hunks(text.substr(0, cut), *hunks);
  if (joined(lines_of(text)) != text) std::abort();
  return 0;
}
