// SPDX-License-Identifier: Apache-2.0
//
// Any bytes from a client of the agent's WebSocket: a frame is a checked message or a refusal,
// never both and never neither; whatever comes of it can be written as a frame, and a frame is
// JSON.
#include <gantry/contract.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "client_settings.hpp"
#include "frame.hpp"
#include "history_rows.hpp"
#include "json_field.hpp"
#include "manifest.hpp"
#include "message.hpp"
#include "turn_request.hpp"
#include "user_message.hpp"

namespace {

using namespace gantry::agent_ws;

void must_be_json(const std::string& text) {
  if (!parse_json(text)) std::abort();
}

void use(const Message& message) {
  static const Settings settings;
  ClientSettings client(settings.defaults);
  const ManifestReport none;
  if (const auto* query = std::get_if<QueryPayload>(&message.payload)) {
    (void)user_message(*query);
    const AgentDefinition* definition =
        query->agent_definition ? &*query->agent_definition : nullptr;
    (void)turn_options({settings, client, definition, none}, *query);
  } else if (const auto* rehydrate = std::get_if<RehydratePayload>(&message.payload)) {
    (void)(rehydrate->model_history ? rows_from_model_history(*rehydrate)
                                    : rows_from_messages(*rehydrate));
  } else if (const auto* update = std::get_if<UpdateSettingsPayload>(&message.payload)) {
    (void)client.update(*update, message.raw);
    must_be_json(client.config().text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Read read = read_message(text);
  if (read.message.has_value() == !read.refusal.empty()) std::abort();
  if (read.message) use(*read.message);
  must_be_json(write_frame("error", {read.message ? read.message->id : ""},
                           json_text(read.refusal).text, {}, 1));

  std::string problem;
  const auto handshake = read_handshake(text, size % 2 == 0, problem);
  if (handshake.has_value() == !problem.empty()) std::abort();
  if (handshake && handshake->agent_definition) {
    const AgentDefinition& definition = *handshake->agent_definition;
    (void)resume_point(definition);
    (void)ordered_layers(definition);
    if (definition.tools)
      must_be_json(gantry::to_json(check_manifest(definition.tools->client_manifest)));
  }
  must_be_json(gantry::to_json(check_manifest(gantry::Json(text))));
  return 0;
}
