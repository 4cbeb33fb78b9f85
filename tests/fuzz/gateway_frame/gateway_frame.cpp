// SPDX-License-Identifier: Apache-2.0
//
// Any bytes from a client of the gateway: a message is a request or a refusal, never both and never
// neither; its answer is JSON with the same id; keys of sessions survive the way there and back.
#include <boost/json/parse.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "agents.hpp"
#include "frame.hpp"
#include "locale.hpp"
#include "pairing.hpp"
#include "params.hpp"
#include "session_keys.hpp"
#include "text.hpp"

namespace {

using namespace gantry::gateway;
namespace json = boost::json;

void must(bool holds) {
  if (!holds) std::abort();
}

void use(const Frame& frame) {
  const std::string key = text(frame.params, kSession);
  const KeyParts parts = parts_of(key);
  must(parts.agent.size() + parts.channel.size() <= key.size());
  const gantry::SessionKey session = engine_key("somebody", key);
  must(session.principal == "somebody");
  if (!is_foreign(key)) must(wire_key(session, "default") == key);
  (void)integer(frame.params, {"limit", "offset"});
  (void)flag(frame.params, kMessage);
  (void)object(frame.params, {"schedule"});
  (void)is_stop_word(text(frame.params, kMessage));
  (void)is_sender(text(frame.params, kSender));
  (void)beginning(text(frame.params, kMessage), 5);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string message(reinterpret_cast<const char*>(data), size);
  const Decoded decoded = decode(message);
  must(decoded.frame.has_value() == decoded.refusal.empty());
  const Answer answer =
      decoded.frame ? fine(decoded.frame->params) : refused(wire::kInvalidRequest, decoded.refusal);
  json::error_code problem;
  const json::value written = json::parse(write_answer(decoded.id, answer), problem);
  must(!problem && written.at("id") == decoded.id && written.at("ok").as_bool() == answer.ok);
  if (decoded.frame) use(*decoded.frame);
  (void)localised(message, Locale::Vietnamese);
  (void)agent_key_of_name(message);

  gantry::SessionKey elsewhere{"p", message.substr(0, size / 2), message.substr(size / 2)};
  if (elsewhere.workspace != kWorkspace) {
    const std::string key = foreign_key("fox", elsewhere);
    must(is_foreign(key) && engine_key("p", key) == elsewhere);
  }
  return 0;
}
