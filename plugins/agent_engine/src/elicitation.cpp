// SPDX-License-Identifier: Apache-2.0
#include "elicitation.hpp"

#include <gantry/codec.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <utility>

namespace gantry::agent {
namespace {

namespace json = boost::json;

struct QuestionnaireArguments {
  std::string title;
  std::string description;
  Json questions{"[]"};
};
BOOST_DESCRIBE_STRUCT(QuestionnaireArguments, (), (title, description, questions))

json::value parse_json(const std::string& text) {
  boost::system::error_code problem;
  json::value value = json::parse(text, problem);
  return problem ? json::value() : value;
}

std::string member_text(const json::object& object, json::string_view name) {
  const json::value* found = object.if_contains(name);
  if (found == nullptr || !found->is_string()) return {};
  return std::string(found->get_string().data(), found->get_string().size());
}

/// The members of a form's schema, or nullptr.
const json::value* members_of(const json::value& params) {
  const json::object* object = params.if_object();
  const json::value* schema = object == nullptr ? nullptr : object->if_contains("requestedSchema");
  return schema != nullptr && schema->is_object() ? schema->get_object().if_contains("properties")
                                                  : nullptr;
}

/// One member of a form's schema as a question.
json::object question_of(json::string_view name, const json::object& rules) {
  json::object out;
  out["id"] = name;
  std::string words = member_text(rules, "description");
  if (words.empty()) words = member_text(rules, "title");
  out["question"] = words.empty() ? std::string(name.data(), name.size()) : words;
  out["type"] = "text";
  json::array options;
  const auto add = [&options](json::value value, json::value label) {
    options.push_back(json::object{{"value", std::move(value)}, {"label", std::move(label)}});
  };
  if (const json::value* choices = rules.if_contains("enum");
      choices != nullptr && choices->is_array()) {
    for (const json::value& choice : choices->get_array()) {
      if (choice.is_string()) add(choice, choice);
    }
  } else if (member_text(rules, "type") == "boolean") {
    add("true", "Yes");
    add("false", "No");
  }
  if (!options.empty()) {
    out["type"] = "single";
    out["options"] = std::move(options);
  }
  return out;
}

/// The answer as a form's schema wants it: boolean questions were shown as a choice.
json::value typed_answer(const json::value& answer) {
  if (answer == json::value("true")) return true;
  if (answer == json::value("false")) return false;
  return answer;
}

std::string answer_words(const json::value& answer) {
  if (answer.is_string()) return std::string(answer.get_string().c_str());
  const json::array* list = answer.if_array();
  if (list == nullptr) return codec::serialize(answer);
  std::string out;
  for (const json::value& one : *list) out += (out.empty() ? "" : ", ") + answer_words(one);
  return out;
}

}  // namespace

Result<Questionnaire> questionnaire_of(const Json& arguments) {
  auto read = from_json<QuestionnaireArguments>(arguments.text);
  if (!read.ok()) return invalid_argument(read.error().message);
  const json::value questions = parse_json(read->questions.text);
  if (!questions.is_array() || questions.get_array().empty()) {
    return invalid_argument("Error: No questions provided");
  }
  Questionnaire out;
  out.title = read->title.empty() ? "Questionnaire" : std::move(read->title);
  out.description = std::move(read->description);
  out.questions = std::move(read->questions);
  return out;
}

Result<Questionnaire> questionnaire_of(const Ask& ask) {
  const json::value params = parse_json(ask.params.text);
  const json::value* members = members_of(params);
  if (ask.kind != AskKind::ElicitForm || members == nullptr || !members->is_object()) {
    return Error{Code::Unimplemented, "only questions with a form can be put here", {}};
  }
  json::array questions;
  for (const auto& [name, rules] : members->get_object()) {
    if (rules.is_object()) questions.push_back(question_of(name, rules.get_object()));
  }
  Questionnaire out;
  out.title = "A tool asks";
  out.description = ask.message;
  out.questions = Json(codec::serialize(questions));
  return out;
}

bool asks_for_leave(const Ask& ask) {
  const json::value params = parse_json(ask.params.text);
  const json::value* members = members_of(params);
  if (ask.kind != AskKind::ElicitForm || members == nullptr || !members->is_object()) return false;
  const json::object& object = members->get_object();
  const json::value* allow = object.if_contains("allow");
  return object.size() == 1 && allow != nullptr && allow->is_object() &&
         member_text(allow->get_object(), "type") == "boolean";
}

AskAnswer leave_answer(const std::string& id, bool given) {
  AskAnswer out;
  out.id = id;
  out.result =
      Json(given ? R"({"action":"accept","content":{"allow":true}})" : R"({"action":"decline"})");
  return out;
}

std::string answers_text(const Questionnaire& answered) {
  const json::value responses = parse_json(answered.responses.text);
  const json::value questions = parse_json(answered.questions.text);
  std::string out;
  if (!responses.is_object() || responses.get_object().empty() || !questions.is_array()) {
    return answered.by == "timeout" ? "The user did not answer in time"
                                    : "User skipped the questionnaire (no responses provided)";
  }
  for (const json::value& question : questions.get_array()) {
    if (!question.is_object()) continue;
    const std::string id = member_text(question.get_object(), "id");
    const json::value* answer = responses.get_object().if_contains(id);
    if (answer == nullptr) continue;
    out += (out.empty() ? "**" : "\n**") + member_text(question.get_object(), "question") + ":** " +
           answer_words(*answer);
  }
  return out;
}

AskAnswer ask_answer(const std::string& id, const Questionnaire& answered) {
  AskAnswer out;
  out.id = id;
  const json::value responses = parse_json(answered.responses.text);
  json::object result;
  if (!responses.is_object() || responses.get_object().empty()) {
    result["action"] = "decline";
  } else {
    json::object content;
    for (const auto& [name, answer] : responses.get_object()) content[name] = typed_answer(answer);
    result["action"] = "accept";
    result["content"] = std::move(content);
  }
  out.result = Json(codec::serialize(result));
  return out;
}

}  // namespace gantry::agent
