// SPDX-License-Identifier: Apache-2.0
#include "offer.hpp"

#include <gantry/codec.hpp>
#include <gantry/counted.hpp>
#include <gantry/tools/text.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <utility>

#include "names.hpp"

namespace gantry::tools_mcp {
namespace {

namespace json = boost::json;

constexpr int kDeepestSchema = 32;
constexpr std::size_t kLongestToolName = 256;

/// The beginning of a text without what a reader would not see.
std::string bounded(std::string_view text, std::size_t limit) {
  std::string out = tools::visible_text(text.substr(0, limit * 4));
  if (out.size() <= limit) return out;
  out.resize(limit);
  out.resize(out.size() - tools::unfinished_utf8(out));
  return out + "…";
}

std::string text_of(const json::object& object, std::string_view key, std::size_t limit) {
  return bounded(mcp::text_member(object, key).value_or(std::string()), limit);
}

bool flag(const json::object* object, std::string_view key, bool usual) {
  const json::value* found = object == nullptr ? nullptr : mcp::member(*object, key);
  return found != nullptr && found->is_bool() ? found->get_bool() : usual;
}

/// Cleans every text in place; false when it is deeper than allowed.
bool clean(json::value& value, int depth) {
  if (depth > kDeepestSchema) return false;
  if (json::string* text = value.if_string()) {
    value = json::string(tools::visible_text({text->data(), text->size()}));
    return true;
  }
  if (json::array* items = value.if_array()) {
    return std::all_of(items->begin(), items->end(),
                       [depth](json::value& item) { return clean(item, depth + 1); });
  }
  if (json::object* members = value.if_object()) {
    return std::all_of(members->begin(), members->end(),
                       [depth](auto& member) { return clean(member.value(), depth + 1); });
  }
  return true;
}

/// The schema as text, or an empty one and the reason in `why`.
std::string read_schema(const json::object& tool, const LimitSettings& limits, std::string& why) {
  const json::value* found = mcp::member(tool, "inputSchema");
  if (found == nullptr || !found->is_object()) {
    why = "its inputSchema is no object";
    return {};
  }
  json::value schema = *found;
  if (!clean(schema, 1)) {
    why = "its inputSchema is nested deeper than " + std::to_string(kDeepestSchema) + " levels";
    return {};
  }
  json::object& object = schema.get_object();
  object["type"] = "object";
  if (const json::value* properties = mcp::member(object, "properties");
      properties == nullptr || !properties->is_object()) {
    object["properties"] = json::object();
  }
  std::string text = mcp::json_text(schema);
  if (text.size() > static_cast<std::size_t>(limits.schema)) {
    why = "its inputSchema has more than " + std::to_string(limits.schema) + " bytes";
    return {};
  }
  return text;
}

ToolDescription describe(const json::object& tool, const std::string& server,
                         const ServerSettings& settings, const LimitSettings& limits) {
  const auto limit = static_cast<std::size_t>(limits.description);
  ToolDescription out;
  out.title = text_of(tool, "title", 200);
  const json::object* hints = mcp::object_member(tool, "annotations");
  if (out.title.empty() && hints != nullptr) out.title = text_of(*hints, "title", 200);
  out.description = "A tool of the MCP server '" + bounded(server, 100) +
                    "'. It says: " + text_of(tool, "description", limit);
  const bool trusted = settings.trust_annotations;
  out.read_only = trusted && flag(hints, "readOnlyHint", false);
  out.destructive = !trusted || (!out.read_only && flag(hints, "destructiveHint", true));
  out.idempotent = trusted && flag(hints, "idempotentHint", false);
  out.open_world = !trusted || flag(hints, "openWorldHint", true);
  out.long_running = true;
  return out;
}

bool is_chosen(const ServerSettings& settings, const std::string& name) {
  const auto any = [&name](const std::vector<std::string>& patterns) {
    return std::any_of(patterns.begin(), patterns.end(),
                       [&name](const std::string& pattern) { return fits(pattern, name); });
  };
  return any(settings.allow) && !any(settings.deny);
}

class ResultReader {
 public:
  explicit ResultReader(const LimitSettings& limits) : limits_(limits) {}

  ToolResult read(const json::object& result) {
    if (const json::value* content = mcp::member(result, "content");
        content != nullptr && content->is_array()) {
      for (const json::value& block : content->get_array()) {
        if (const json::object* object = block.if_object()) add(*object);
      }
    }
    take_structured(result);
    out_.is_error = flag(&result, "isError", false);
    if (left_out_ > 0) {
      say("[" + counted(left_out_, "block was", "blocks were") +
          " left out: too large, or of a kind that is not known]");
    }
    if (out_.content.empty()) say(out_.structured ? out_.structured->text : "[no content]");
    return std::move(out_);
  }

 private:
  void say(std::string text) {
    ContentBlock& block = out_.content.emplace_back();
    block.text = std::move(text);
  }

  void add(const json::object& block) {
    const std::string kind = mcp::text_member(block, "type").value_or("");
    if (kind == "text") {
      add_text(mcp::text_member(block, "text").value_or(""));
    } else if (kind == "image" || kind == "audio") {
      add_bytes(block, kind == "image" ? ContentKind::Image : ContentKind::Audio);
    } else if (kind == "resource_link") {
      add_link(block);
    } else if (const json::object* resource = mcp::object_member(block, "resource");
               kind == "resource" && resource != nullptr) {
      add_resource(*resource);
    } else {
      ++left_out_;
    }
  }

  void add_text(std::string text) {
    const auto limit = static_cast<std::size_t>(limits_.text);
    const std::size_t room = limit - std::min(text_, limit);
    if (text.size() > room) {
      text.resize(room);
      text.resize(room - tools::unfinished_utf8(text));
      text += "\n[the result is longer than " + std::to_string(limits_.text) + " bytes]";
    }
    if (room == 0) return void(++left_out_);
    text_ += text.size();
    say(std::move(text));
  }

  void add_bytes(const json::object& block, ContentKind kind) {
    auto bytes = codec::read_base64(mcp::text_member(block, "data").value_or(""));
    if (!bytes.ok() || bytes->empty() || pictures_ >= limits_.pictures) return void(++left_out_);
    ++pictures_;
    ContentBlock& out = out_.content.emplace_back();
    out.kind = kind;
    out.media_type = text_of(block, "mimeType", 100);
    out.data = Buffer::of(std::move(*bytes));
  }

  void add_link(const json::object& block) {
    ContentBlock& out = out_.content.emplace_back();
    out.kind = ContentKind::Link;
    out.uri = text_of(block, "uri", 2000);
    out.name = text_of(block, "name", 200);
    out.title = text_of(block, "title", 200);
    out.description = text_of(block, "description", 1000);
    out.media_type = text_of(block, "mimeType", 100);
  }

  void add_resource(const json::object& resource) {
    ContentBlock out;
    out.kind = ContentKind::Resource;
    out.uri = text_of(resource, "uri", 2000);
    out.media_type = text_of(resource, "mimeType", 100);
    if (auto text = mcp::text_member(resource, "text")) {
      const std::size_t room = static_cast<std::size_t>(limits_.text) -
                               std::min(text_, static_cast<std::size_t>(limits_.text));
      if (text->size() > room) return void(++left_out_);
      text_ += text->size();
      out.text = std::move(*text);
    } else {
      auto bytes = codec::read_base64(mcp::text_member(resource, "blob").value_or(""));
      if (!bytes.ok()) return void(++left_out_);
      out.data = Buffer::of(std::move(*bytes));
    }
    out_.content.push_back(std::move(out));
  }

  void take_structured(const json::object& result) {
    const json::value* found = mcp::member(result, "structuredContent");
    if (found == nullptr || !found->is_object()) return;
    std::string text = mcp::json_text(*found);
    if (text.size() > static_cast<std::size_t>(limits_.text)) return void(++left_out_);
    out_.structured = Json(std::move(text));
  }

  const LimitSettings& limits_;
  ToolResult out_;
  std::size_t text_ = 0;
  std::int64_t pictures_ = 0;
  std::size_t left_out_ = 0;
};

}  // namespace

Offer read_offer(const json::value& result, const std::string& server,
                 const ServerSettings& settings, const LimitSettings& limits) {
  Offer out;
  const json::object* object = result.if_object();
  if (object == nullptr) return out;
  out.next = mcp::text_member(*object, "nextCursor").value_or("");
  const json::value* list = mcp::member(*object, "tools");
  if (list == nullptr || !list->is_array()) return out;
  for (const json::value& item : list->get_array()) {
    const json::object* tool = item.if_object();
    const std::string name = tool == nullptr ? "" : mcp::text_member(*tool, "name").value_or("");
    if (name.empty() || name.size() > kLongestToolName) {
      out.left_out.push_back("a tool without a name, or with one that is too long");
      continue;
    }
    if (!is_chosen(settings, name)) continue;
    std::string why;
    std::string schema = read_schema(*tool, limits, why);
    if (!why.empty()) {
      out.left_out.push_back(bounded(name, 100) + ": " + why);
      continue;
    }
    RemoteTool& taken = out.tools.emplace_back();
    taken.name = name;
    taken.description = describe(*tool, server, settings, limits);
    taken.description.input_schema = Json(std::move(schema));
  }
  return out;
}

ToolResult read_result(const json::value& result, const LimitSettings& limits) {
  static const json::object kNothing;
  const json::object* object = result.if_object();
  return ResultReader(limits).read(object == nullptr ? kNothing : *object);
}

Error read_failure(const mcp::RpcError& error, const std::string& server) {
  const Code code = error.code == mcp::kInvalidParams    ? Code::InvalidArgument
                    : error.code == mcp::kMethodNotFound ? Code::NotFound
                                                         : Code::Internal;
  return {code,
          "the MCP server '" + server + "' answered with error " + std::to_string(error.code) +
              ": " + bounded(error.message, 1000),
          {}};
}

}  // namespace gantry::tools_mcp
