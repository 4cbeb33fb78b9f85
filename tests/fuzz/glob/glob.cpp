// SPDX-License-Identifier: Apache-2.0
//
// The first line as a pattern, the rest as a path: any pattern is refused or answers soon; a path
// without special characters fits itself, and ** with a name fits it in any folder.
#include "glob.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using gantry::files::Glob;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t line = text.find('\n');
  const std::string_view pattern = text.substr(0, line);
  const std::string path(line == std::string_view::npos ? "" : text.substr(line + 1));
  const auto glob = Glob::compile(pattern);
  if (glob.ok()) (void)glob->matches(path);

  std::string quoted;
  for (const char c : path) {
    if (c != '/') quoted += '\\';
    quoted += c;
  }
  if (const auto same = Glob::compile(quoted); same.ok() && !path.ends_with('/')) {
    if (!same->matches(path)) std::abort();
    const auto anywhere = Glob::compile("**/" + quoted);
    if (anywhere.ok() && !anywhere->matches("some/folder/" + path)) std::abort();
  }
  return 0;
}
