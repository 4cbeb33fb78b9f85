// SPDX-License-Identifier: Apache-2.0
// The one file that pays for the codec of this plugin's own types, and writes frames.
#include <gantry/codec.hpp>

#include <utility>

#include "frames.hpp"
#include "login.hpp"
#include "settings.hpp"
#include "users.hpp"

GANTRY_INSTANTIATE(gantry::chat_aide::Settings)
GANTRY_INSTANTIATE(gantry::chat_aide::ModelsFrame)
GANTRY_INSTANTIATE(gantry::chat_aide::TextFrame)
GANTRY_INSTANTIATE(gantry::chat_aide::ToolStartFrame)
GANTRY_INSTANTIATE(gantry::chat_aide::ToolDoneFrame)
GANTRY_INSTANTIATE(gantry::chat_aide::ConfirmationFrame)
GANTRY_INSTANTIATE(gantry::chat_aide::ImagesFrame)
GANTRY_INSTANTIATE(gantry::chat_aide::DoneFrame)
GANTRY_INSTANTIATE(gantry::chat_aide::ErrorFrame)
GANTRY_INSTANTIATE(gantry::chat_aide::UserRecord)
GANTRY_INSTANTIATE(gantry::chat_aide::LinkRecord)
GANTRY_INSTANTIATE(gantry::chat_aide::KeyRecord)
GANTRY_INSTANTIATE(gantry::chat_aide::SignedOutRecord)
GANTRY_INSTANTIATE(gantry::chat_aide::LoginFields)
GANTRY_INSTANTIATE(gantry::chat_aide::LoginAnswer)

namespace gantry::chat_aide {
namespace {

constexpr std::size_t kMaxSummary = 500;  // characters
constexpr std::string_view kDots = "...";

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

}  // namespace

Result<Settings> read_settings(std::string_view json) { return from_json<Settings>(json); }

ToolPolicy tool_policy(const Settings& settings) {
  ToolPolicy policy;
  policy.daemon_tools = settings.daemon_tools;
  apply_approvals(settings.approvals, policy);
  policy.approval_timeout_ms = settings.confirmation_timeout;
  return policy;
}

std::string models_frame(std::vector<ModelRow> models, const std::string& default_model) {
  ModelsFrame frame;
  frame.models = std::move(models);
  std::string out = to_json(frame);
  out.pop_back();  // the closing brace
  out += ",\"default\":";
  codec::write_string(out, default_model);
  return out + '}';
}

std::string error_frame(std::string message) {
  ErrorFrame frame;
  frame.message = std::move(message);
  return to_json(frame);
}

std::string summary_of(std::string_view text) {
  std::size_t characters = 0;
  std::size_t cut = text.size();  // where the dots go when there is more
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (continues(text[at])) continue;
    if (characters == kMaxSummary - kDots.size()) cut = at;
    if (++characters > kMaxSummary) return std::string(text.substr(0, cut)) + std::string(kDots);
  }
  return std::string(text);
}

}  // namespace gantry::chat_aide
