// SPDX-License-Identifier: Apache-2.0
#include "query_marks.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>

#include "text.hpp"

namespace gantry::agent_ws {
namespace {

constexpr std::string_view kCaller = "agent_ws";
constexpr std::string_view kDefinitionMark = "+definition";
constexpr std::string_view kManifestMark = "+manifest";
constexpr std::string_view kSpeechMark = "+speech";
constexpr std::string_view kMuteMark = "+mute:";  // and the reason, two digits a byte
constexpr std::size_t kMuteLimit = 160;           // bytes of the reason
constexpr char kRevisionMark = '@';

std::string mute_reason(std::string_view caller) {
  std::string out;
  const std::size_t at = caller.find(kMuteMark);
  if (at == std::string_view::npos) return out;
  std::string_view digits = caller.substr(at + kMuteMark.size());
  for (; digits.size() >= 2; digits.remove_prefix(2)) {
    unsigned byte = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + 2, byte, 16);
    if (read.ptr != digits.data() + 2) break;
    out.push_back(static_cast<char>(byte));
  }
  return out;
}

}  // namespace

std::string QueryMarks::caller() const {
  std::string out(kCaller);
  if (definition) out += kDefinitionMark;
  if (manifest) out += kManifestMark;
  if (speech) out += kSpeechMark;
  if (!mute.empty()) {
    out += kMuteMark;
    for (const char byte : beginning(mute, kMuteLimit)) {
      out += fmt::format("{:02x}", static_cast<std::uint8_t>(byte));
    }
  }
  if (!revision_id.empty()) out += kRevisionMark + revision_id;
  return out;
}

QueryMarks QueryMarks::of(std::string_view caller) {
  QueryMarks marks;
  const std::size_t at = caller.find(kRevisionMark);
  const std::string_view parts = caller.substr(0, at);
  marks.definition = parts.find(kDefinitionMark) != std::string_view::npos;
  marks.manifest = parts.find(kManifestMark) != std::string_view::npos;
  marks.speech = parts.find(kSpeechMark) != std::string_view::npos;
  marks.mute = mute_reason(parts);
  if (at != std::string_view::npos) marks.revision_id = caller.substr(at + 1);
  return marks;
}

}  // namespace gantry::agent_ws
