// SPDX-License-Identifier: Apache-2.0
#include "pdf_text.hpp"

#include <gantry/tools/program.hpp>
#include <gantry/tools/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

namespace gantry::document_poppler {
namespace {

constexpr std::size_t kHeaderWithin = 1024;  // where readers of PDFs look for the header
constexpr std::int64_t kLongestText = 64LL << 20;
constexpr const char* kPackage = "poppler-utils";

void add(std::vector<std::string>& command, std::initializer_list<std::string> words) {
  command.insert(command.end(), words);
}

/// Nothing but /usr, read-only: what the program and its libraries need.
void add_sandbox(std::vector<std::string>& command, const std::string& bubblewrap,
                 const std::string& program) {
  add(command, {bubblewrap,
                "--unshare-all",
                "--die-with-parent",
                "--new-session",
                "--clearenv",
                "--cap-drop",
                "ALL",
                "--ro-bind",
                "/usr",
                "/usr",
                "--ro-bind-try",
                "/lib",
                "/lib",
                "--ro-bind-try",
                "/lib64",
                "/lib64",
                "--ro-bind-try",
                "/etc/ld.so.cache",
                "/etc/ld.so.cache",
                "--dev",
                "/dev"});
  if (!program.starts_with("/usr/")) add(command, {"--ro-bind", program, program});
  add(command, {"--chdir", "/", "--"});
}

/// Without the part of a character that was cut in two at the end.
void drop_half_character(std::string& text) {
  std::size_t at = text.size();
  while (at > 0 && text.size() - at < 4) {
    const auto byte = static_cast<std::uint8_t>(text[--at]);
    if ((byte & 0xC0U) == 0x80U) continue;
    const std::size_t length = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    if (text.size() - at < length) text.resize(at);
    return;
  }
}

Error problem_of(const tools::ProgramEnd& ended) {
  if (ended.complaint.starts_with("bwrap:") || ended.complaint.starts_with("prlimit:")) {
    const std::size_t end = ended.complaint.find('\n');
    return unavailable(
        "the sandbox for documents does not start: " +
            tools::visible_text(ended.complaint.substr(0, end)),
        "let the daemon make user namespaces, or set document_poppler.sandbox: none");
  }
  if (ended.code == -SIGXCPU || ended.code == 128 + SIGXCPU) {
    return {Code::DeadlineExceeded, "the PDF takes too long to read", {}};
  }
  if (ended.complaint.find("ncorrect password") != std::string::npos) {
    return invalid_argument("the PDF needs a password; attach one without");
  }
  return invalid_argument("the PDF is damaged, or needs more than documents may; attach its text");
}

}  // namespace

Result<std::vector<std::string>> command_of(const Settings& settings) {
  GANTRY_ASSIGN(const std::string program, tools::find_program(settings.program, kPackage));
  GANTRY_ASSIGN(const std::string limiter, tools::find_program("prlimit", "util-linux"));
  const std::int64_t seconds = std::max<std::int64_t>(1, (settings.limits.time + 999) / 1000);
  std::vector<std::string> out{limiter,
                               // At the soft limit comes SIGXCPU, at the hard one SIGKILL, which
                               // says nothing of time.
                               fmt::format("--cpu={}:{}", seconds, seconds + 1),
                               fmt::format("--as={}", settings.limits.memory), "--fsize=0",
                               "--nofile=64", "--core=0", "--"};
  if (settings.sandbox == "bubblewrap") {
    GANTRY_ASSIGN(const std::string bubblewrap,
                  tools::find_program(settings.bubblewrap, "bubblewrap"));
    add_sandbox(out, bubblewrap, program);
  }
  add(out, {program, "-enc", "UTF-8", "-nopgbrk", "-l", std::to_string(settings.limits.pages), "-",
            "-"});
  return out;
}

Result<DocumentTextAnswer> pdf_text(const Settings& settings, const DocumentTextRequest& request) {
  const std::string_view head = request.content.text().substr(0, kHeaderWithin);
  if (head.find("%PDF-") == std::string_view::npos) {
    return invalid_argument("this is no PDF (application/pdf)");
  }
  if (std::ssize(request.content.text()) > settings.limits.file) {
    return Error{Code::ResourceExhausted,
                 fmt::format("the PDF is larger than {} bytes (document_poppler.limits.file)",
                             settings.limits.file),
                 {}};
  }
  GANTRY_ASSIGN(const auto command, command_of(settings));
  const auto most =
      static_cast<std::size_t>(std::clamp<std::int64_t>(request.max_bytes, 1, kLongestText));
  GANTRY_ASSIGN(tools::ProgramEnd ended,
                tools::run_program({command, {}, true}, request.content.bytes(), most,
                                   std::chrono::milliseconds(settings.limits.time)));
  if (!ended.cut && ended.code != 0) return problem_of(ended);
  if (ended.cut) drop_half_character(ended.output);
  DocumentTextAnswer out;
  out.text = tools::repaired_utf8(ended.output);
  out.truncated = ended.cut;
  if (out.text.find_first_not_of(" \t\r\n\f") == std::string::npos) {
    return failed_precondition(
        "the PDF has no text, only pictures of it; attach the pages as pictures");
  }
  return out;
}

}  // namespace gantry::document_poppler
