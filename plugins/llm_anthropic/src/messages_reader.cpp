// SPDX-License-Identifier: Apache-2.0
// The answer of Messages: blocks that begin, grow and stop.
#include <gantry/llm/json.hpp>
#include <gantry/llm/json_node.hpp>
#include <gantry/llm/wire.hpp>

#include <array>
#include <map>
#include <optional>
#include <utility>

#include "dialect.hpp"

namespace gantry::anthropic {
namespace {

using llm::JsonNode;

struct Block {
  std::string type, id, name, json, signature;
};

/// What goes back of a thought: an object with one member.
std::string sealed(std::string_view name, std::string_view value) {
  std::string out;
  llm::ObjectText object(out);
  object.text(name, value).end();
  return out;
}

class MessagesReader final : public llm::ChatReader {
 public:
  using ChatReader::ChatReader;

  void event(const llm::SseEvent& event) override {
    const auto read = json_.read(event.data, [&](JsonNode value) {
      const std::string_view type = llm::text_of(value, "type");
      for (const Row& row : kRows) {
        if (row.type == type) return (this->*row.take)(value);
      }
    });
    if (!read.ok())
      fail(llm::Trouble::BrokenStream, "an event is no JSON: " + read.error().message);
  }

 private:
  using Take = void (MessagesReader::*)(JsonNode);
  struct Row {
    std::string_view type;
    Take take;
  };
  static const std::array<Row, 7> kRows;

  void take_start(JsonNode event) {
    const JsonNode message = llm::member(event, "message");
    if (!message) return;
    response_id_ = llm::text_of(message, "id");
    if (const JsonNode usage = llm::member(message, "usage")) take_usage(usage);
  }

  void take_block(JsonNode event) {
    const JsonNode begun = llm::member(event, "content_block");
    if (!begun) return;
    release(false);
    if (llm::text_of(begun, "type") == "tool_use" && !room_for_call()) return;
    Block& block = blocks_[llm::number_of(event, "index").value_or(0)];
    block.type = llm::text_of(begun, "type");
    block.id = llm::text_of(begun, "id");
    block.name = llm::text_of(begun, "name");
    if (block.type == "text") answer_.text(llm::text_of(begun, "text"));
    if (block.type == "thinking") answer_.thinking(llm::text_of(begun, "thinking"));
    if (block.type == "tool_use") {
      if (block.id.empty()) block.id = llm::make_call_id(response_id_, blocks_.size() - 1);
      answer_.tool_begin(block.id, block.name);
    }
    if (block.type == "redacted_thinking") {
      answer_.thinking_done(sealed("redacted", llm::text_of(begun, "data")));
    }
    if (block.type == "web_search_tool_result") take_hits(begun);
  }

  void take_delta(JsonNode event) {
    const auto found = blocks_.find(llm::number_of(event, "index").value_or(0));
    const JsonNode delta = llm::member(event, "delta");
    if (found == blocks_.end() || !delta) return;
    Block& block = found->second;
    const std::string_view type = llm::text_of(delta, "type");
    if (type == "text_delta") answer_.text(llm::text_of(delta, "text"));
    if (type == "thinking_delta") answer_.thinking(llm::text_of(delta, "thinking"));
    if (type == "signature_delta") block.signature += llm::text_of(delta, "signature");
    if (type == "input_json_delta") {
      const std::string_view piece = llm::text_of(delta, "partial_json");
      block.json += piece;
      if (block.type == "tool_use") answer_.tool_delta(block.id, piece);
    }
    constexpr std::size_t kMostKept = std::size_t{4} << 20U;  // it is told when the block stops
    if (block.signature.size() + block.json.size() > kMostKept) {
      fail(llm::Trouble::BrokenStream, "a block of the answer is larger than anybody takes");
    }
  }

  void take_stop(JsonNode event) {
    const auto found = blocks_.find(llm::number_of(event, "index").value_or(0));
    if (found == blocks_.end()) return;
    Block block = std::move(found->second);
    blocks_.erase(found);
    if (block.type == "tool_use") {
      release(false);
      held_ = std::move(block);
    } else {
      close(block, false);
    }
  }

  /// A call is held back until what comes next says whether it is whole: an answer that ends at its
  /// limit stops its last block as if it were.
  void release(bool cut_off) {
    if (const auto held = std::exchange(held_, std::nullopt)) close(*held, cut_off);
  }

  void close(const Block& block, bool cut_off) {
    if (block.type == "tool_use") {
      called_ = true;
      answer_.tool_done(block.id, block.name, block.json, {}, cut_off);
    } else if (block.type == "thinking") {
      answer_.thinking_done(block.signature.empty() ? std::string()
                                                    : sealed("signature", block.signature));
    } else if (block.type == "server_tool_use" && block.name == "web_search") {
      query_ = llm::text_of(llm::parse_or_null(block.json), "query");
      answer_.search({block.id, "search", "searching", query_, {}, {}, {}});
    }
  }

  void take_hits(JsonNode block) {
    LlmSearchStep step{
        std::string(llm::text_of(block, "tool_use_id")), "search", "completed", query_, {}, {}, {}};
    for (const JsonNode hit : llm::array_of(block, "content")) {
      step.hits.push_back(
          {std::string(llm::text_of(hit, "url")), std::string(llm::text_of(hit, "title")), {}});
    }
    if (llm::member(block, "content").is_object()) step.status = "failed";
    answer_.search(std::move(step));
  }

  void take_message_delta(JsonNode event) {
    const JsonNode delta = llm::member(event, "delta");
    if (const auto reason = llm::text_of(delta, "stop_reason"); !reason.empty()) {
      stop_reason_ = reason;
    }
    if (const JsonNode usage = llm::member(event, "usage")) take_usage(usage);
  }

  /// Numbers come twice, and the later ones may leave some out.
  void take_usage(JsonNode usage) {
    const auto keep = [&](std::int64_t& to, std::string_view name) {
      to = llm::count_of(usage, name).value_or(to);
    };
    keep(input_, "input_tokens");
    keep(cache_read_, "cache_read_input_tokens");
    keep(cache_write_, "cache_creation_input_tokens");
    keep(output_, "output_tokens");
    LlmUsage counted;
    counted.prompt_tokens = input_ + cache_read_ + cache_write_;
    counted.output_tokens = output_;
    counted.cached_tokens = cache_read_;
    counted.cache_write_tokens = cache_write_;
    counted.thinking_tokens =
        llm::count_of(llm::member(usage, "output_tokens_details"), "thinking_tokens");
    answer_.usage(counted);
  }

  void take_end(JsonNode) {
    const bool cut =
        stop_reason_ == "max_tokens" || stop_reason_ == "model_context_window_exceeded";
    release(cut);
    for (const auto& [index, block] : std::exchange(blocks_, {})) close(block, cut);
    if (cut) return finish(LlmFinishReason::Length);
    if (stop_reason_ == "refusal") return finish(LlmFinishReason::Refusal);
    finish(called_ ? LlmFinishReason::ToolCalls : LlmFinishReason::Stop);
  }

  void take_error(JsonNode event) { fail(llm::stream_failure(event.json(), endpoint_)); }

  llm::JsonReader json_;
  std::map<std::int64_t, Block> blocks_;  // that have not stopped
  std::optional<Block> held_;
  std::string stop_reason_;
  std::string query_;
  std::int64_t input_ = 0, cache_read_ = 0, cache_write_ = 0, output_ = 0;
  bool called_ = false;
};

const std::array<MessagesReader::Row, 7> MessagesReader::kRows{
    {{"message_start", &MessagesReader::take_start},
     {"content_block_start", &MessagesReader::take_block},
     {"content_block_delta", &MessagesReader::take_delta},
     {"content_block_stop", &MessagesReader::take_stop},
     {"message_delta", &MessagesReader::take_message_delta},
     {"message_stop", &MessagesReader::take_end},
     {"error", &MessagesReader::take_error}}};

}  // namespace

std::unique_ptr<llm::ChatReader> messages_reader(llm::Answer& answer,
                                                 const llm::Endpoint& endpoint) {
  return std::make_unique<MessagesReader>(answer, endpoint);
}

}  // namespace gantry::anthropic
