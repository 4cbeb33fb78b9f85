// SPDX-License-Identifier: Apache-2.0
#include "control_frame.hpp"

#include <gantry/codec.hpp>

#include <boost/json/parse.hpp>

namespace gantry::transcription_ws {
namespace {

namespace json = boost::json;

std::string_view text_of(const json::object& object, std::string_view key) {
  const json::value* const found = object.if_contains(key);
  if (found == nullptr || !found->is_string()) return {};
  return found->get_string();
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

}  // namespace

ControlFrame read_control_frame(std::string_view text) {
  ControlFrame frame;
  boost::system::error_code failure;
  const json::value value = json::parse(text, failure);
  if (failure || !value.is_object()) return frame;
  const json::object& object = value.get_object();
  const std::string_view type = text_of(object, "type");
  if (type == "start_over") frame.kind = ControlFrame::Kind::StartOver;
  if (type == "set_langs") {
    frame.language = trimmed(text_of(object, "source_language"));
    if (!frame.language.empty()) frame.kind = ControlFrame::Kind::SetLanguage;
  }
  return frame;
}

std::string status_frame(std::string_view client_id) {
  std::string out = R"({"type":"status","client_id":)";
  codec::write_string(out, client_id);
  return out + '}';
}

std::string realtime_frame(std::string_view text, bool is_final) {
  std::string out = R"({"type":"realtime","text":)";
  codec::write_string(out, text);
  return out + (is_final ? R"(,"is_final":true})" : R"(,"is_final":false})");
}

std::string utterance_end_frame() { return R"({"type":"utterance_end"})"; }

std::string error_frame(std::string_view message, std::string_view code) {
  std::string out = R"({"type":"error","message":)";
  codec::write_string(out, message);
  out += R"(,"code":)";
  codec::write_string(out, code);
  return out + '}';
}

}  // namespace gantry::transcription_ws
