// SPDX-License-Identifier: Apache-2.0
#include <gantry/speech/service.hpp>
#include <gantry/speech/wav.hpp>

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <string>
#include <utility>

#include "session.hpp"

namespace gantry::speech {
namespace {

constexpr std::uint32_t kPieces = 32;                         // of sound, on their way to a session
constexpr std::size_t kLongestClip = std::size_t{64} << 20U;  // bytes

/// A clip of gantry.speech.transcribe/1, on a thread.
class Clip {
 public:
  Clip(Service& service, Recogniser& engine)
      : transcriber_(engine, service.detector(), {service.settings().endpoint, false},
                     [this](const SpeechEvent& event) { hear(event); }) {}

  Result<Transcript> transcribe(const TranscribeRequest& request, const SpeechHints& hints,
                                const std::function<bool()>& given_up) {
    GANTRY_TRY(transcriber_.hints(hints));
    GANTRY_TRY(transcriber_.sound(request.audio, given_up));
    if (given_up()) return Error{Code::Cancelled, "the caller gave up", {}};
    GANTRY_TRY(transcriber_.flush());
    return std::move(out_);
  }

 private:
  void hear(const SpeechEvent& event) {
    if (event.kind != SpeechEventKind::Final) return;
    if (!out_.text.empty()) out_.text += ' ';
    out_.text += event.text;
    out_.route = event.route;
    out_.utterances.push_back({event.text, event.confidence, event.begin_ms, event.end_ms});
  }

  Transcript out_;
  Transcriber transcriber_;
};

}  // namespace

Service::Service(Host& host)
    : host_(host),
      detect_(&make_energy_detector),
      sessions_gauge_(host.gauge("sessions", "Sessions and clips that are being recognised.")),
      refused_(host.counter("sessions_refused_total", "Sessions for which there was no room.")) {}

Service::~Service() = default;

StreamOptions Service::stream_options() {
  StreamOptions options;
  options.receive_credit = kPieces;
  options.manual_credit = true;
  return options;
}

Result<void> Service::serve() {
  GANTRY_TRY(host_.bus().serve_stream<SpeechRecognise>(
      [this](const Ref<SpeechOpening>& opening, const CallInfo&, Stream<SpeechEvent> down) {
        return open(*opening, std::move(down));
      },
      stream_options()));
  return serve_clips();
}

Result<void> Service::serve_clips() {
  return host_.bus().serve<SpeechTranscribe>(
      [this](const Ref<TranscribeRequest>& request, const CallInfo&,
             Reply<SpeechTranscribe> reply) { transcribe(request, std::move(reply)); });
}

void Service::configure(const ServiceSettings& settings, Make make, bool forget) {
  {
    const std::lock_guard lock(mutex_);
    settings_ = settings;
    make_ = std::move(make);
  }
  if (forget) forget_engines();
}

void Service::set_detector(Detect detect) {
  const std::lock_guard lock(mutex_);
  detect_ = std::move(detect);
}

void Service::set_vocabulary(std::vector<std::string> phrases) {
  const std::lock_guard lock(mutex_);
  if (phrases == vocabulary_) return;
  vocabulary_ = std::move(phrases);
  ++version_;
}

std::uint64_t Service::version() const {
  const std::lock_guard lock(mutex_);
  return version_;
}

void Service::utterance_ended() {
  if (!on_need_) return;  // set before anything is served
  host_.post([this] { on_need_(); });
}

void Service::stop(Deadline deadline) {
  idling_.cancel();
  std::unique_lock lock(mutex_);
  stopping_ = true;
  const auto left =
      std::min<Duration>(deadline.left(host_.monotonic_ns()), std::chrono::minutes(1));
  quiet_.wait_for(lock, left, [this] { return threads_ == 0; });
}

ServiceSettings Service::settings() const {
  const std::lock_guard lock(mutex_);
  return settings_;
}

bool Service::stopping() const {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

SpeechHints Service::completed(SpeechHints hints) const {
  const std::lock_guard lock(mutex_);
  if (hints.language.empty()) hints.language = settings_.hints.language;
  const auto add = [&hints](const std::vector<std::string>& more) {
    hints.vocabulary.insert(hints.vocabulary.end(), more.begin(), more.end());
  };
  add(settings_.hints.vocabulary);
  add(vocabulary_);
  return hints;
}

std::unique_ptr<VoiceDetector> Service::detector() const {
  Detect detect;
  {
    const std::lock_guard lock(mutex_);
    detect = detect_;
  }
  return detect();
}

Result<std::unique_ptr<Recogniser>> Service::take_engine() {
  Make make;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto engine = std::move(idle_.back());
      idle_.pop_back();
      return engine;
    }
    make = make_;
  }
  return make();
}

void Service::give_back(std::unique_ptr<Recogniser> engine) {
  const std::lock_guard lock(mutex_);
  if (!stopping_ && idle_.size() < settings_.sessions) idle_.push_back(std::move(engine));
}

void Service::run(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    ++threads_;
  }
  host_.blocking([this, work = std::move(work)] {
    work();
    const std::lock_guard lock(mutex_);
    --threads_;
    quiet_.notify_all();
  });
}

Result<void> Service::admit() {
  if (on_need_) on_need_();
  const std::lock_guard lock(mutex_);
  if (stopping_) return unavailable("speech recognition is being stopped");
  if (open_ >= settings_.sessions) {
    refused_.add();
    return Error{Code::ResourceExhausted,
                 "speech is being recognised for " + std::to_string(open_) +
                     " others, as many as `sessions` allows; try again when one has ended",
                 {}};
  }
  sessions_gauge_.set(static_cast<double>(++open_));
  return {};
}

void Service::ended() {
  const std::lock_guard lock(mutex_);
  sessions_gauge_.set(static_cast<double>(--open_));
  last_ns_ = host_.monotonic_ns();
  host_.post([this] {
    if (!awaits_idling_) wait_for_idling(settings().idle_release);
  });
}

Result<StreamHandlers<SpeechInput>> Service::open(const SpeechOpening& opening,
                                                  Stream<SpeechEvent> down) {
  GANTRY_TRY(admit());
  return std::make_shared<Session>(*this, opening, std::move(down))->open();
}

void Service::transcribe(const Ref<TranscribeRequest>& request, Reply<SpeechTranscribe> reply) {
  auto fit = check_audio(request->audio);
  if (fit.ok() && request->audio.samples.size() < 2)
    fit = invalid_argument("the clip has no sound");
  if (fit.ok() && request->audio.samples.size() > kLongestClip) {
    fit = invalid_argument("the clip has more than 64 MiB of sound; send it in pieces");
  }
  if (fit.ok()) fit = admit();
  if (!fit.ok()) return reply.fail(fit.error());
  run([this, request, reply = std::make_shared<Reply<SpeechTranscribe>>(std::move(reply))] {
    Result<Transcript> result = heard(*request, [&] { return stopping() || reply->cancelled(); });
    ended();
    (*reply)(std::move(result));
  });
}

Result<Transcript> Service::heard(const TranscribeRequest& request,
                                  const std::function<bool()>& given_up) {
  try {
    GANTRY_ASSIGN(auto engine, take_engine());
    Result<Transcript> result =
        Clip(*this, *engine).transcribe(request, completed(request.hints), given_up);
    give_back(std::move(engine));
    return result;
  } catch (const std::exception& failure) {
    return engine_failure(failure);
  }
}

Error Service::engine_failure(const std::exception& failure) {
  host_.log().error("recognising speech failed", {{"reason", failure.what()}});
  return internal_error(std::string("recognising speech failed: ") + failure.what());
}

void Service::wait_for_idling(Duration delay) {
  awaits_idling_ = true;
  idling_ = host_.after(delay, [this] {
    std::size_t open = 0;
    Duration idle{};
    {
      const std::lock_guard lock(mutex_);
      open = open_;
      idle = Duration(host_.monotonic_ns() - last_ns_);
    }
    const Duration limit = settings().idle_release;
    awaits_idling_ = false;
    if (open > 0) return;  // its end comes here again
    if (idle < limit) return wait_for_idling(limit - idle);
    run([this] { forget_engines(); });
  });
}

void Service::forget_engines() {
  std::vector<std::unique_ptr<Recogniser>> gone;
  {
    const std::lock_guard lock(mutex_);
    gone.swap(idle_);
  }
  if (gone.empty()) return;
  gone.clear();
  malloc_trim(0);
}

}  // namespace gantry::speech
