// SPDX-License-Identifier: Apache-2.0
// Reading and writing; search.cpp has the rest.
#include "file_tools.hpp"

#include <gantry/counted.hpp>
#include <gantry/tools/text.hpp>
#include <gantry/tools/tool_server.hpp>
#include <gantry/tools/workspace.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "file_io.hpp"
#include "text_lines.hpp"
#include "unified_diff.hpp"

namespace gantry::files {
namespace {

constexpr std::size_t kHead = 16;  // shows the type of a picture

ToolResult said(std::string text) { return tools::text_result(std::move(text)); }

ToolResult picture(const Found& file, std::string bytes, std::string_view type) {
  ToolResult out =
      said(file.path + ", " + std::to_string(bytes.size()) + " bytes, " + std::string(type));
  ContentBlock& block = out.content.emplace_back();
  block.kind = ContentKind::Image;
  block.data = Buffer::of(std::move(bytes));
  block.media_type = type;
  block.name = file.path;
  return out;
}

/// The lines that were asked for and fit; where they end, and whether the last one was cut.
struct Part {
  std::string text;
  std::size_t first = 0;
  std::size_t last = 0;
  bool cut = false;
};

Part part_of(std::string_view text, const ReadArguments& arguments, std::size_t most) {
  Part out;
  out.first = static_cast<std::size_t>(arguments.offset);
  for (std::size_t i = 1; i < out.first; ++i) (void)take_line(text);
  out.last = out.first - 1;
  const auto limit = static_cast<std::size_t>(arguments.limit);
  while (!out.cut && (limit == 0 || out.last - (out.first - 1) < limit)) {
    const auto line = take_line(text);
    if (!line) break;
    if (out.text.size() + line->size() > most) {
      if (!out.text.empty()) break;
      out.text = line->text.substr(0, most);  // one line longer than everything
      out.text.erase(out.text.size() - tools::unfinished_utf8(out.text));
      out.cut = true;
    } else {
      out.text.append(line->text).append(line->end);
    }
    ++out.last;
  }
  return out;
}

std::string note(const Part& part, std::size_t lines, std::size_t replaced) {
  std::string out;
  const auto add = [&out](const std::string& text) { out += (out.empty() ? "" : "; ") + text; };
  if (part.first > 1 || part.last < lines || part.cut) {
    add("lines " + std::to_string(part.first) + " to " + std::to_string(part.last) + " of " +
        std::to_string(lines));
  }
  if (part.cut) add("the line is longer and was cut");
  if (part.last < lines) add("go on with offset " + std::to_string(part.last + 1));
  if (replaced != 0)
    add(counted(replaced, "byte is", "bytes are") + " no UTF-8 and shown as \xEF\xBF\xBD");
  return out;
}

std::size_t count_of(std::string_view text, std::string_view piece) {
  std::size_t out = 0;
  for (auto at = text.find(piece); at != std::string_view::npos;
       at = text.find(piece, at + piece.size())) {
    ++out;
  }
  return out;
}

Result<void> check_size(std::size_t bytes, const Settings& settings) {
  if (bytes <= static_cast<std::size_t>(settings.limits.file)) return {};
  return Error{Code::OutOfRange,
               "the file would have " + std::to_string(bytes) + " bytes; at most " +
                   std::to_string(settings.limits.file) + " are written (tools_files.limits.file)",
               {}};
}

/// One replacement; InvalidArgument and FailedPrecondition say why not.
Result<void> replace_in(std::string& text, const Replacement& wish, std::size_t number,
                        const Settings& settings) {
  const std::string ending = line_ending(text);
  const std::string old_text = with_ending(wish.old_text, ending);
  const std::string new_text = with_ending(wish.new_text, ending);
  if (old_text.empty() || wish.count < 1) {
    return invalid_argument("replacement " + std::to_string(number) +
                            ": old_text must not be empty and count must be at least 1");
  }
  const std::size_t there = count_of(text, old_text);
  if (there != static_cast<std::size_t>(wish.count)) {
    return failed_precondition("replacement " + std::to_string(number) + ": old_text is there " +
                               counted(there, "time") + ", expected " + std::to_string(wish.count) +
                               (there == 0 ? "; read the file and copy it exactly"
                                           : "; take more of the text around it, or set count"));
  }
  // Before it is made: a small call can ask for any size.
  GANTRY_TRY(check_size(text.size() - there * old_text.size() + there * new_text.size(), settings));
  std::string out;
  std::size_t begin = 0;
  for (auto at = text.find(old_text); at != std::string::npos; at = text.find(old_text, begin)) {
    out.append(text, begin, at - begin).append(new_text);
    begin = at + old_text.size();
  }
  text = out.append(text, begin);
  return {};
}

struct Editable {
  Spot spot;
  Content content;
};

/// A text file that is there, to be changed.
Result<Editable> open_text(const Roots& roots, const Settings& settings, const std::string& path) {
  GANTRY_ASSIGN(const Found found, roots.find_file(path));
  Editable out;
  GANTRY_ASSIGN(out.content, read_file(found, static_cast<std::size_t>(settings.limits.file)));
  if (is_binary(out.content.bytes)) return failed_precondition(path + " is no text");
  GANTRY_ASSIGN(out.spot, roots.spot(path, false));
  return out;
}

Result<Change> changed(Editable file, std::string bytes, const Settings& settings) {
  GANTRY_TRY(check_size(bytes.size(), settings));
  Change out;
  out.spot = std::move(file.spot);
  out.expected = file.content.stamp;
  out.bytes = std::move(bytes);
  return out;
}

/// What one file of a patch comes to.
Result<Change> change_of(const Roots& roots, const Settings& settings, const FileDiff& diff) {
  const std::string& path = diff.old_path.empty() ? diff.new_path : diff.old_path;
  Change out;
  if (diff.old_path.empty()) {
    GANTRY_ASSIGN(out.spot, roots.spot(path, true));
    if (out.spot.facts) return Error{Code::AlreadyExists, path + " exists already", {}};
    GANTRY_ASSIGN(out.bytes, apply_hunks("", diff.hunks));
    GANTRY_TRY(check_size(out.bytes->size(), settings));
    out.must_be_new = true;
    return out;
  }
  GANTRY_ASSIGN(Editable file, open_text(roots, settings, path));
  auto after = apply_hunks(file.content.bytes, diff.hunks);
  if (!after.ok()) return after.error().with_context(path);
  if (!diff.new_path.empty()) return changed(std::move(file), std::move(*after), settings);
  if (!after->empty()) {
    return failed_precondition(path + " would be removed, but has more than the patch takes away");
  }
  out.spot = std::move(file.spot);
  out.expected = file.content.stamp;
  return out;
}

}  // namespace

Result<Roots> roots_of(const Settings& settings, const ToolCallRequest& request) {
  const tools::WorkspaceSettings places{settings.workspace, settings.workspaces};
  std::vector<std::string> folders;
  GANTRY_ASSIGN(folders.emplace_back(), tools::find_workspace(places, request));
  const std::string home = tools::home_folder();
  const auto add = [&](const std::vector<std::string>& from, std::vector<std::string>& to) {
    for (const std::string& path : from) {
      std::error_code error;
      const auto real =
          std::filesystem::canonical(tools::expand_path(path, request.principal, home), error);
      if (!error) to.push_back(real.string());
    }
  };
  add(settings.roots, folders);
  std::vector<std::string> hidden;
  for (const std::string& path : settings.hidden) {
    // What is not there yet stays hidden, too: nobody is to make it.
    std::error_code error;
    const auto real =
        std::filesystem::weakly_canonical(tools::expand_path(path, request.principal, home), error);
    if (!error && real.is_absolute()) hidden.push_back(real.string());
  }
  return Roots(std::move(folders), std::move(hidden));
}

Result<ToolResult> read(const Roots& roots, const Work& work, const ReadArguments& arguments) {
  if (arguments.offset < 1 || arguments.limit < 0) {
    return invalid_argument("offset must be at least 1 and limit at least 0");
  }
  GANTRY_ASSIGN(const Found file, roots.find_file(arguments.file_path));
  const LimitSettings& limits = work.settings->limits;
  GANTRY_ASSIGN(const std::string head, read_beginning(file, kHead));
  if (const std::string_view type = image_type(head); !type.empty()) {
    GANTRY_ASSIGN(Content all, read_file(file, static_cast<std::size_t>(limits.image)));
    return picture(file, std::move(all.bytes), type);
  }
  GANTRY_ASSIGN(const Content all, read_file(file, static_cast<std::size_t>(limits.file)));
  if (is_binary(all.bytes)) {
    return failed_precondition(arguments.file_path + " is no text: it has " +
                               std::to_string(all.bytes.size()) + " bytes, NUL bytes among them");
  }
  const std::size_t lines = count_lines(all.bytes);
  if (arguments.offset > 1 && static_cast<std::size_t>(arguments.offset) > lines) {
    return Error{Code::OutOfRange,
                 arguments.file_path + " has " + counted(lines, "line") + "; offset " +
                     std::to_string(arguments.offset) + " is behind them",
                 {}};
  }
  const Part part = part_of(all.bytes, arguments, static_cast<std::size_t>(limits.read));
  std::size_t replaced = 0;
  ToolResult out = said(tools::repaired_utf8(part.text, &replaced));
  const std::string more = note(part, lines, replaced);
  if (!more.empty()) out.content.emplace_back().text = "[" + more + "]";
  return out;
}

Result<ToolResult> write(const Roots& roots, const Work& work, const WriteArguments& arguments) {
  GANTRY_TRY(check_size(arguments.content.size(), *work.settings));
  std::vector<Change> changes(1);
  Change& change = changes.front();
  GANTRY_ASSIGN(change.spot, roots.spot(arguments.file_path, true));
  const std::string path = change.spot.path;
  const bool replaces = change.spot.facts.has_value();
  if (replaces && arguments.must_be_new) {
    return Error{Code::AlreadyExists, path + " exists already", {}};
  }
  change.must_be_new = arguments.must_be_new;
  change.bytes = arguments.content;
  GANTRY_TRY(make_changes(std::move(changes)));
  return said(path + (replaces ? " replaced, " : " written, ") +
              counted(arguments.content.size(), "byte"));
}

Result<ToolResult> replace(const Roots& roots, const Work& work,
                           const ReplaceArguments& arguments) {
  if (arguments.replacements.empty() == arguments.patch_chunks.empty()) {
    return invalid_argument("either `replacements` or `patch_chunks` is needed, and not both");
  }
  GANTRY_ASSIGN(Editable file, open_text(roots, *work.settings, arguments.file_path));
  const std::string path = file.spot.path;
  std::string text = file.content.bytes;
  std::size_t number = 0;
  for (const Replacement& wish : arguments.replacements) {
    GANTRY_TRY(replace_in(text, wish, ++number, *work.settings));
  }
  if (!arguments.patch_chunks.empty()) {
    std::string patch;
    for (const std::string& chunk : arguments.patch_chunks) {
      patch += chunk + (chunk.ends_with('\n') ? "" : "\n");
      ++number;
    }
    GANTRY_ASSIGN(const std::vector<Hunk> hunks, parse_hunks(patch));
    GANTRY_ASSIGN(text, apply_hunks(file.content.bytes, hunks));
  }
  std::vector<Change> changes;
  GANTRY_ASSIGN(Change change, changed(std::move(file), std::move(text), *work.settings));
  changes.push_back(std::move(change));
  GANTRY_TRY(make_changes(std::move(changes)));
  return said(path + " changed in " + counted(number, "place"));
}

Result<ToolResult> apply_patch(const Roots& roots, const Work& work,
                               const PatchArguments& arguments) {
  GANTRY_ASSIGN(std::vector<FileDiff> files, parse_diff(arguments.patch));
  // New files last: their folders are made only when everything else fits.
  std::stable_partition(files.begin(), files.end(),
                        [](const FileDiff& diff) { return !diff.old_path.empty(); });
  std::vector<Change> changes;
  std::string text;
  for (const FileDiff& diff : files) {
    GANTRY_ASSIGN(Change change, change_of(roots, *work.settings, diff));
    text += change.spot.path + (diff.old_path.empty()   ? " made\n"
                                : diff.new_path.empty() ? " removed\n"
                                                        : " changed\n");
    changes.push_back(std::move(change));
  }
  GANTRY_TRY(make_changes(std::move(changes)));
  return said(std::move(text));
}

}  // namespace gantry::files
