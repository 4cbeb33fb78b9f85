// SPDX-License-Identifier: Apache-2.0
#include "vosk_engine.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <system_error>
#include <utility>

namespace gantry::stt_vosk {
namespace {

namespace json = boost::json;

constexpr float kRate = 16000;

json::object read(const char* text) {
  boost::system::error_code failure;
  json::value value = json::parse(text == nullptr ? "" : text, failure);
  return failure || !value.is_object() ? json::object() : std::move(value.get_object());
}

std::string text_of(const json::object& object, std::string_view key) {
  const json::value* const found = object.if_contains(key);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

/// Mean confidence of the words; 0 when the library tells none.
double confidence_of(const json::object& object) {
  const json::value* const words = object.if_contains("result");
  if (words == nullptr || !words->is_array() || words->get_array().empty()) return 0;
  double sum = 0;
  for (const json::value& word : words->get_array()) {
    const json::value* const one =
        word.is_object() ? word.get_object().if_contains("conf") : nullptr;
    if (one != nullptr && one->is_number()) sum += one->to_number<double>();
  }
  return sum / static_cast<double>(words->get_array().size());
}

std::string grammar_of(const std::vector<std::string>& vocabulary) {
  json::array words;
  for (const std::string& phrase : vocabulary) words.emplace_back(phrase);
  words.emplace_back("[unk]");
  return json::serialize(words);
}

void join(std::string& text, const std::string& more) {
  if (!text.empty() && !more.empty()) text += ' ';
  text += more;
}

}  // namespace

Result<std::shared_ptr<Model>> Model::load(const EngineSettings& settings) {
  constexpr const char* kCure = "download a model of Vosk and set stt_vosk.model_dir to its folder";
  if (settings.model_dir.empty()) return unavailable("no model of Vosk is configured", kCure);
  std::error_code ignored;
  if (!std::filesystem::is_directory(settings.model_dir, ignored)) {
    return unavailable("there is no folder " + settings.model_dir.string(), kCure);
  }
  GANTRY_ASSIGN(auto library, VoskLibrary::open(settings.libvosk));
  VoskModel* const model = library->model_new(settings.model_dir.c_str());
  if (model == nullptr) {
    return unavailable(settings.model_dir.string() + " holds no model of Vosk", kCure);
  }
  return std::make_shared<Model>(std::move(library), model);
}

Result<std::shared_ptr<Model>> ModelShelf::take(const EngineSettings& settings) {
  const std::lock_guard lock(mutex_);
  const std::string key = settings.libvosk + '\n' + settings.model_dir.string();
  if (auto there = model_.lock(); there && key == key_) return there;
  GANTRY_ASSIGN(auto model, Model::load(settings));
  key_ = key;
  model_ = model;
  return model;
}

Engine::Engine(std::shared_ptr<Model> model, EngineSettings settings)
    : model_(std::move(model)), settings_(std::move(settings)) {}

Engine::~Engine() {
  if (recogniser_ != nullptr) model_->library().recogniser_free(recogniser_);
}

std::string Engine::route() const { return "vosk, " + settings_.model_dir.filename().string(); }

Result<void> Engine::prepare(const SpeechHints& hints) {
  if (!settings_.language.empty() && !hints.language.empty() &&
      !speech::same_language(hints.language, settings_.language)) {
    return invalid_argument("the model here hears '" + settings_.language + "', not '" +
                            hints.language + "'");
  }
  std::string grammar;
  if (settings_.vocabulary_only && !hints.vocabulary.empty())
    grammar = grammar_of(hints.vocabulary);
  if (recogniser_ != nullptr && grammar == grammar_) return {};
  const VoskLibrary& library = model_->library();
  VoskRecogniser* const made =
      grammar.empty() ? library.recogniser_new(model_->get(), kRate)
                      : library.recogniser_new_grm(model_->get(), kRate, grammar.c_str());
  if (made == nullptr) return internal_error("Vosk makes no recogniser of its model");
  if (recogniser_ != nullptr) library.recogniser_free(recogniser_);
  library.recogniser_set_words(made, 1);
  recogniser_ = made;
  grammar_ = std::move(grammar);
  return {};
}

Result<void> Engine::begin() {
  model_->library().reset(recogniser_);
  said_.clear();
  return {};
}

Result<void> Engine::sound(std::span<const std::int16_t> samples) {
  const int state =
      model_->library().accept(recogniser_, samples.data(), static_cast<int>(samples.size()));
  if (state < 0) return internal_error("Vosk does not take the sound");
  // It has found a pause of its own; what it has understood would go with the next samples.
  if (state > 0) join(said_, text_of(read(model_->library().final(recogniser_)), "text"));
  return {};
}

std::string Engine::text() {
  std::string out = said_;
  join(out, text_of(read(model_->library().partial(recogniser_)), "partial"));
  return out;
}

Result<speech::Hypothesis> Engine::end() {
  const json::object last = read(model_->library().final(recogniser_));
  speech::Hypothesis out;
  out.text = std::exchange(said_, {});
  join(out.text, text_of(last, "text"));
  out.confidence = confidence_of(last);
  out.route = route();
  return out;
}

void Engine::drop() {
  model_->library().reset(recogniser_);
  said_.clear();
}

}  // namespace gantry::stt_vosk
