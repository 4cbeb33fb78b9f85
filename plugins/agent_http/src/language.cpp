// SPDX-License-Identifier: Apache-2.0
//
// Summaries and titles. What no model of this daemon can do is said, never made up.
#include <boost/json/array.hpp>

#include "handlers.hpp"
#include "model_ask.hpp"
#include "semantic.hpp"

namespace gantry::agent_http {
namespace {

namespace json = boost::json;

json::object unhealthy(std::string_view message) {
  return {{"status", "unhealthy"}, {"message", json::string(message)}};
}

/// Whether the body speaks of the user who asks; answers when it does not. Who has proven nothing
/// may name anybody.
bool is_own(Exchange& exchange, std::string_view label) {
  if (exchange.who->implicit) return true;
  const std::string named(text_of(exchange.members(), "user_id"));
  if (named == exchange.who->subject) return true;
  exchange.answer(detail(403, std::string(label) + " cannot inspect another user's context"));
  return false;
}

json::object summary_view(const std::string& reply) {
  const Summary found = read_summary(reply);
  json::array facts;
  for (const std::string& fact : found.facts) facts.emplace_back(fact);
  return {{"summary", found.summary}, {"facts", std::move(facts)}, {"success", true}};
}

json::object title_view(const std::string& reply) {
  return {{"title", read_title(reply)}, {"success", true}};
}

/// Asks a model once and answers what `view` reads out of its reply. `failed` is what a client is
/// told when that goes wrong; the reason is in the log.
void ask(Exchange& exchange, const ModelWish& wish, std::string prompt, std::string failed,
         json::object (*view)(const std::string&)) {
  auto self = exchange.shared_from_this();
  const auto answered = [self, failed, view](const Result<std::string>& reply) {
    if (reply.ok()) return self->answer(json_response(200, view(*reply)));
    self->fail(reply.error(), detail(500, failed + ": An internal error occurred"));
  };
  choose_model(exchange.host(), wish,
               [self, prompt = std::move(prompt), answered](const Result<ChosenModel>& chosen) {
                 if (!chosen.ok()) {
                   return self->answer(detail(503, "LLM service not available"));
                 }
                 self->when_gone(ask_model(self->host(), *chosen, prompt, answered));
               });
}

}  // namespace

void summarize(Exchange& exchange) {
  if (!is_own(exchange, "Semantic summarization")) return;
  std::vector<std::string> conversations;
  for (const json::value& text : exchange.members().at("conversations").as_array()) {
    conversations.emplace_back(text.get_string());
  }
  ask(exchange, {}, summary_prompt(conversations), "Summarization failed", &summary_view);
}

void make_title(Exchange& exchange) {
  if (!is_own(exchange, "Semantic title generation")) return;
  const json::object& body = exchange.members();
  ask(exchange, {text_of(body, "model_id"), text_of(body, "model_provider")},
      title_prompt(text_of(body, "user_message"), text_of(body, "assistant_message")),
      "Title generation failed", &title_view);
}

void semantic_health(Exchange& exchange) {
  auto self = exchange.shared_from_this();
  choose_model(exchange.host(), {}, [self](const Result<ChosenModel>& chosen) {
    self->answer(json_response(
        200, chosen.ok() ? json::object{{"status", "healthy"},
                                        {"message", "Semantic summarization service ready"}}
                         : unhealthy("LLM client not available")));
  });
}

}  // namespace gantry::agent_http
