// SPDX-License-Identifier: Apache-2.0
#include <gantry/llm/json.hpp>
#include <gantry/llm/wire.hpp>

#include <array>
#include <cctype>
#include <cstdlib>

namespace gantry::llm {
namespace {

struct Magic {
  std::string_view bytes;
  std::size_t at;
  std::string_view type;
};
constexpr std::array kMagics{Magic{"\x89PNG", 0, "image/png"},
                             Magic{"\xFF\xD8\xFF", 0, "image/jpeg"}, Magic{"WEBP", 8, "image/webp"},
                             Magic{"GIF8", 0, "image/gif"}};

}  // namespace

std::string system_text(const std::vector<LlmMessage>& messages) {
  std::string out;
  for (const LlmMessage& message : messages) {
    if (message.role != LlmRole::System) continue;
    for (const LlmBlock& block : message.blocks) {
      if (block.kind != LlmBlockKind::Text || block.text.empty()) continue;
      if (!out.empty()) out += "\n\n";
      out += block.text;
    }
  }
  return out;
}

std::string text_of(const LlmMessage& message) {
  std::string out;
  for (const LlmBlock& block : message.blocks) {
    if (block.kind != LlmBlockKind::Text) continue;
    if (!out.empty()) out += '\n';
    out += block.text;
  }
  return out;
}

std::string_view user_query(std::string_view text) {
  constexpr std::string_view kOpen = "<user_query>", kClose = "</user_query>";
  const std::size_t open = text.rfind(kOpen);
  if (open == std::string_view::npos) return text;
  text = text.substr(open + kOpen.size());
  return text.substr(0, text.find(kClose));
}

std::string omitted_image(const LlmImage& image) {
  return "[an image, " + (image.media_type.empty() ? "of unknown type" : image.media_type) +
         ", is left out: it cannot be sent here]";
}

LlmEffort nearest_effort(LlmEffort wanted, const LlmModel& model) {
  LlmEffort best = LlmEffort::Default;
  int distance = 100;
  if (wanted == LlmEffort::Default) return best;
  for (const LlmEffort effort : model.efforts) {
    const int away = std::abs(static_cast<int>(effort) - static_cast<int>(wanted));
    if (away >= distance) continue;
    best = effort;
    distance = away;
  }
  return best;
}

std::string_view effort_name(LlmEffort effort) {
  constexpr std::array<std::string_view, 7> kNames{"",       "none", "minimal", "low",
                                                   "medium", "high", "xhigh"};
  return kNames.at(static_cast<std::size_t>(effort));
}

LlmImage image_of(std::string_view base64, std::string_view claimed) {
  LlmImage image;
  auto bytes = codec::read_base64(base64);
  if (!bytes.ok() || bytes->empty()) return image;
  image.media_type = claimed;
  image.data = Buffer::of(std::move(*bytes));
  for (const Magic& magic : kMagics) {
    const std::string_view text = image.data.text();
    if (text.size() >= magic.at + magic.bytes.size() &&
        text.substr(magic.at, magic.bytes.size()) == magic.bytes) {
      image.media_type = magic.type;
    }
  }
  return image;
}

std::string make_call_id(std::string_view response_id, std::size_t index) {
  std::string out = "call_";
  for (const char c : response_id) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) out += c;
  }
  return out + '_' + std::to_string(index + 1);
}

}  // namespace gantry::llm
