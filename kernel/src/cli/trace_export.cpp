// SPDX-License-Identifier: Apache-2.0
// gantry trace export: a recording of the screen observer as one HTML page.
#include <gantry/contracts/observe.hpp>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "cli/access.hpp"

namespace gantry::cli {
namespace {

int no_trace(const Error& error) {
  complain(error.message + " [" + std::string(code_name(error.code)) + "]");
  return exit_of(error);
}

bool write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  return !out.fail();
}

}  // namespace

int trace_export(const Invocation& invocation) {
  const auto& words = invocation.arguments;
  if (words.size() != 3) {
    complain("usage: gantry trace export FOLDER OUT.html");
    return kUsage;
  }
  // In this process: the files are the user's, whatever a running daemon may read.
  Invocation here = invocation;
  here.in_process = true;
  auto access = open_access(here, Need::kProvider, std::string(TraceExport::kName));
  if (!access.ok()) return no_trace(access.error());
  std::error_code error;
  const auto folder = std::filesystem::absolute(words[1], error);
  const auto page = call_typed<TraceExport>(**access, {folder.string()});
  if (!page.ok()) return no_trace(page.error());
  for (const std::string& problem : (*page)->problems) complain("note: " + problem);
  if (!write_file(words[2], (*page)->html)) {
    return no_trace({Code::Unavailable,
                     "cannot write " + words[2] + ": " +
                         std::generic_category().message(errno != 0 ? errno : EIO),
                     {}});
  }
  std::printf("%s: %lld calls\n", words[2].c_str(), static_cast<long long>((*page)->calls));
  return kOk;
}

}  // namespace gantry::cli
