// SPDX-License-Identifier: Apache-2.0
// The one file that pays for the codecs.
#include "arguments.hpp"

#include <gantry/codec.hpp>
#include <gantry/tools/tool_server.hpp>

#include "settings.hpp"

GANTRY_INSTANTIATE(gantry::files::Settings)
GANTRY_INSTANTIATE(gantry::files::ReadArguments)
GANTRY_INSTANTIATE(gantry::files::WriteArguments)
GANTRY_INSTANTIATE(gantry::files::ReplaceArguments)
GANTRY_INSTANTIATE(gantry::files::PatchArguments)
GANTRY_INSTANTIATE(gantry::files::SearchArguments)
GANTRY_INSTANTIATE(gantry::files::ListArguments)

namespace gantry::files {
namespace {

constexpr const char* kReadSchema =
    R"({"type":"object","properties":{)"
    R"("file_path":{"type":"string","minLength":1,"description":)"
    R"("Absolute, or relative to the workspace."},)"
    R"("offset":{"type":"integer","minimum":1,"default":1,"description":"First line, from 1."},)"
    R"("limit":{"type":"integer","minimum":0,"default":0,"description":)"
    R"("How many lines; 0: as many as fit."},)"
    R"("explanation":{"type":"string"}},"required":["file_path"],"additionalProperties":false})";

constexpr const char* kWriteSchema =
    R"({"type":"object","properties":{)"
    R"("file_path":{"type":"string","minLength":1,"description":)"
    R"("Absolute, or relative to the workspace; missing folders are made."},)"
    R"("content":{"type":"string","description":"All of the file."},)"
    R"("must_be_new":{"type":"boolean","default":false,"description":)"
    R"("Fail when the file exists."},)"
    R"("explanation":{"type":"string","description":"Why, in one sentence, for the user."}},)"
    R"("required":["file_path","content"],"additionalProperties":false})";

constexpr const char* kReplaceSchema =
    R"({"type":"object","properties":{)"
    R"("file_path":{"type":"string","minLength":1},)"
    R"("replacements":{"type":"array","items":{"type":"object","properties":{)"
    R"("old_text":{"type":"string","minLength":1,"description":"Exactly as in the file."},)"
    R"("new_text":{"type":"string"},)"
    R"("count":{"type":"integer","minimum":1,"default":1,"description":)"
    R"("How often old_text is there; all of them are replaced."}},)"
    R"("required":["old_text","new_text"],"additionalProperties":false}},)"
    R"("patch_chunks":{"type":"array","items":{"type":"string"},"description":)"
    R"("Instead of replacements: hunks of a unified diff, each from its @@ line on."},)"
    R"("explanation":{"type":"string","description":"Why, in one sentence, for the user."}},)"
    R"("required":["file_path"],"additionalProperties":false})";

constexpr const char* kPatchSchema =
    R"({"type":"object","properties":{)"
    R"("patch":{"type":"string","minLength":1,"description":)"
    R"("A unified diff; --- /dev/null makes a file, +++ /dev/null removes one."},)"
    R"("explanation":{"type":"string","description":"Why, in one sentence, for the user."}},)"
    R"("required":["patch"],"additionalProperties":false})";

constexpr const char* kSearchSchema =
    R"({"type":"object","properties":{)"
    R"("pattern":{"type":"string","description":)"
    R"("Regular expression that a line must fit; without it names are searched."},)"
    R"("glob":{"type":"string","description":)"
    R"("Which files: *.cpp, src/**/*.hpp, {a,b}*. Without a / it looks at names."},)"
    R"("path":{"type":"string","default":".","description":"Folder to begin in."},)"
    R"("case_sensitive":{"type":"boolean","default":true},)"
    R"("max_results":{"type":"integer","minimum":0,"default":0},)"
    R"("explanation":{"type":"string"}},"required":[],"additionalProperties":false})";

constexpr const char* kListSchema =
    R"({"type":"object","properties":{)"
    R"("path":{"type":"string","default":"."},)"
    R"("glob":{"type":"string","description":"Only what fits."},)"
    R"("depth":{"type":"integer","minimum":1,"maximum":20,"default":1},)"
    R"("explanation":{"type":"string"}},"required":[],"additionalProperties":false})";

ToolDescription description(const char* name, const char* title, const char* text,
                            const char* schema, bool read_only) {
  ToolDescription out = tools::reading_tool(name, title, text, schema);
  out.read_only = read_only;
  out.destructive = !read_only;
  out.idempotent = read_only;
  return out;
}

}  // namespace

template <class T>
Result<T> read_arguments(const Json& json) {
  return from_json<T>(json.text);
}
template Result<ReadArguments> read_arguments(const Json&);
template Result<WriteArguments> read_arguments(const Json&);
template Result<ReplaceArguments> read_arguments(const Json&);
template Result<PatchArguments> read_arguments(const Json&);
template Result<SearchArguments> read_arguments(const Json&);
template Result<ListArguments> read_arguments(const Json&);

Result<Settings> read_settings(std::string_view json) { return from_json<Settings>(json); }

ToolDescription read_description() {
  return description("read_file", "Read a file",
                     "Read a text file, or some lines of it, exactly as it is. PNG, JPEG, GIF and "
                     "WebP files are shown as pictures.",
                     kReadSchema, true);
}

ToolDescription write_description() {
  return description("write_file", "Write a file",
                     "Write all of a text file; one that is there is replaced. To change a part "
                     "use replace or apply_patch.",
                     kWriteSchema, false);
}

ToolDescription replace_description() {
  return description("replace", "Replace text in a file",
                     "Replace exact pieces of text in one file. Each old_text must be there "
                     "exactly count times; otherwise nothing is changed.",
                     kReplaceSchema, false);
}

ToolDescription patch_description() {
  return description("apply_patch", "Apply a patch",
                     "Apply a unified diff to one or several files: all of it or nothing. Context "
                     "and removed lines must be exactly as in the files.",
                     kPatchSchema, false);
}

ToolDescription search_description() {
  auto out = description("search_files", "Search files",
                         "Find files by name, or lines by a regular expression, below a folder. "
                         "Answers path:line: text.",
                         kSearchSchema, true);
  out.long_running = true;
  return out;
}

ToolDescription list_description() {
  return description("list_directory", "List a folder",
                     "List what is in a folder: folders end with /, files have their size.",
                     kListSchema, true);
}

}  // namespace gantry::files
