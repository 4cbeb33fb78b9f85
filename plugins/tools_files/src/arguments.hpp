// SPDX-License-Identifier: Apache-2.0
#pragma once
// What models pass to the tools, and how the tools describe themselves. Names and required
// arguments of read_file and replace are those of the agent backend's published local tools.

#include <gantry/contracts/tool.hpp>
#include <gantry/result.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace gantry::files {

struct ReadArguments {
  std::string file_path;
  std::int64_t offset = 1;  // first line
  std::int64_t limit = 0;   // lines; 0: as many as fit
  std::string explanation;
};
BOOST_DESCRIBE_STRUCT(ReadArguments, (), (file_path, offset, limit, explanation))

struct WriteArguments {
  std::string file_path;
  std::string content;
  bool must_be_new = false;
  std::string explanation;
};
BOOST_DESCRIBE_STRUCT(WriteArguments, (), (file_path, content, must_be_new, explanation))

struct Replacement {
  std::string old_text;
  std::string new_text;
  std::int64_t count = 1;  // how often old_text must be there
};
BOOST_DESCRIBE_STRUCT(Replacement, (), (old_text, new_text, count))

struct ReplaceArguments {
  std::string file_path;
  std::vector<Replacement> replacements;
  std::vector<std::string> patch_chunks;
  std::string explanation;
};
BOOST_DESCRIBE_STRUCT(ReplaceArguments, (), (file_path, replacements, patch_chunks, explanation))

struct PatchArguments {
  std::string patch;
  std::string explanation;
};
BOOST_DESCRIBE_STRUCT(PatchArguments, (), (patch, explanation))

struct SearchArguments {
  std::string pattern;  // of the content; empty: names only
  std::string glob;     // of paths; empty: all
  std::string path = ".";
  bool case_sensitive = true;
  std::int64_t max_results = 0;  // 0: the configured limit
  std::string explanation;
};
BOOST_DESCRIBE_STRUCT(SearchArguments, (),
                      (pattern, glob, path, case_sensitive, max_results, explanation))

struct ListArguments {
  std::string path = ".";
  std::string glob;
  std::int64_t depth = 1;
  std::string explanation;
};
BOOST_DESCRIBE_STRUCT(ListArguments, (), (path, glob, depth, explanation))

/// InvalidArgument: a wrong type.
template <class T>
[[nodiscard]] Result<T> read_arguments(const Json& json);

[[nodiscard]] ToolDescription read_description();
[[nodiscard]] ToolDescription write_description();
[[nodiscard]] ToolDescription replace_description();
[[nodiscard]] ToolDescription patch_description();
[[nodiscard]] ToolDescription search_description();
[[nodiscard]] ToolDescription list_description();

}  // namespace gantry::files
