// SPDX-License-Identifier: Apache-2.0
#include "gantry/voice/say_server.hpp"

#include <gantry/speech/wav.hpp>
#include <gantry/utf8.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <optional>
#include <utility>

namespace gantry::voice {
namespace {

constexpr std::size_t kFirstChunk = kSpeechRate / 50;  // samples: soon
constexpr std::size_t kChunk = kSpeechRate / 10;
constexpr double kSlowest = 0.25;
constexpr double kFastest = 4;

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = codec::utf8_length(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

Result<void> check(const VoiceSayRequest& request) {
  if (!(request.rate >= kSlowest && request.rate <= kFastest)) {
    return invalid_argument(
        "cannot speak at this `rate`: it is from 0.25 to 4, and 1 is the voice's own");
  }
  if (!is_utf8(request.text)) return invalid_argument("cannot say `text`: it is no UTF-8");
  return {};
}

}  // namespace

struct SayServer::Work {
  std::mutex mutex;
  std::condition_variable none;
  std::size_t open = 0;
};

/// One stream. The lock guards what engines touch; the rest belongs to the strand.
struct Session : std::enable_shared_from_this<Session> {
  Session(SayServer& s, std::uint64_t n, const VoiceSayRequest& request, std::string v,
          Stream<VoiceChunk> d)
      : server(s),
        work(s.work_),
        number(n),
        voice(std::move(v)),
        rate(request.rate),
        sentences(request.plain),
        down(std::move(d)),
        begun_ns(s.host_.monotonic_ns()) {}

  void add(std::string_view text, bool flush, bool end);
  void next();
  void finished(const Result<void>& result);
  void end(const std::optional<Error>& error);
  void cancel();

  bool push(Utterance& utterance, std::size_t samples);
  bool drain();

  SayServer& server;
  std::shared_ptr<SayServer::Work> work;
  const std::uint64_t number;
  const std::string voice;
  const double rate;
  Sentences sentences;
  std::deque<std::string> waiting;
  std::size_t text_bytes = 0;
  bool complete = false;  // no more text comes
  bool speaking = false;  // the engine has a sentence
  bool any = false;       // a sentence was begun
  Stream<VoiceChunk> down;
  const std::int64_t begun_ns;

  std::mutex mutex;
  std::deque<Ref<VoiceChunk>> outbox;  // without credit
  std::int32_t sentence = -1;          // its number
  bool over = false;                   // nobody listens
  bool heard = false;                  // a chunk was sent
  std::function<void()> on_cancel;
};

Utterance::Utterance(std::shared_ptr<Session> session, std::string text, bool first)
    : session_(std::move(session)), text_(std::move(text)), first_(first) {
  const std::lock_guard lock(session_->work->mutex);
  ++session_->work->open;
}

Utterance::~Utterance() {
  if (!over_) done(internal_error("the engine did not speak a sentence to its end"));
  const std::lock_guard lock(session_->work->mutex);
  if (--session_->work->open == 0) session_->work->none.notify_all();
}

const std::string& Utterance::voice() const { return session_->voice; }
double Utterance::rate() const { return session_->rate; }

bool Utterance::cancelled() const {
  const std::lock_guard lock(session_->mutex);
  return session_->over;
}

void Utterance::on_cancel(std::function<void()> work) {
  {
    const std::lock_guard lock(session_->mutex);
    if (!session_->over) {
      session_->on_cancel = std::move(work);
      return;
    }
  }
  work();
}

bool Utterance::samples(std::span<const std::int16_t> mono, std::int32_t sample_rate) {
  const std::vector<std::int16_t> made = resampler_.push(mono, sample_rate);
  made_.insert(made_.end(), made.begin(), made.end());
  const std::lock_guard lock(session_->mutex);
  while (made_.size() >= (sent_ ? kChunk : kFirstChunk)) {
    if (!session_->push(*this, std::min(made_.size(), kChunk))) return false;
  }
  return !session_->over;
}

void Utterance::done(const Result<void>& result) {
  if (std::exchange(over_, true)) return;
  if (result.ok()) {
    const std::vector<std::int16_t> rest = resampler_.flush();
    made_.insert(made_.end(), rest.begin(), rest.end());
  }
  {
    const std::lock_guard lock(session_->mutex);
    while (!made_.empty() && session_->push(*this, std::min(made_.size(), kChunk))) {
    }
    session_->on_cancel = nullptr;
  }
  session_->server.host_.post([session = session_, result] { session->finished(result); });
}

/// Sends or keeps the first samples of an utterance. With the lock held; false: nobody listens.
bool Session::push(Utterance& utterance, std::size_t samples) {
  if (over) return false;
  auto& made = utterance.made_;
  VoiceChunk chunk;
  chunk.audio = {kSpeechRate, 1, speech::buffer_of(std::span(made).first(samples))};
  chunk.sentence = sentence;
  if (!std::exchange(utterance.sent_, true)) chunk.text = utterance.text_;
  made.erase(made.begin(), made.begin() + static_cast<std::ptrdiff_t>(samples));
  if (!std::exchange(heard, true)) {
    server.first_chunk_.add(static_cast<double>(server.host_.monotonic_ns() - begun_ns) / 1e9);
  }
  outbox.push_back(make_body<VoiceChunk>(std::move(chunk)));
  return drain();
}

/// With the lock held; false: nobody listens.
bool Session::drain() {
  while (!outbox.empty()) {
    const Result<void> sent = down.send(outbox.front());
    if (!sent.ok()) {
      if (sent.error().code == Code::ResourceExhausted) return true;
      over = true;
      return false;
    }
    outbox.pop_front();
  }
  return true;
}

void Session::add(std::string_view text, bool flush, bool is_end) {
  if (complete) return;
  text_bytes += text.size();
  if (text_bytes > static_cast<std::size_t>(server.limits_.max_text)) {
    return end(Error{Code::OutOfRange,
                     "cannot say more than " + std::to_string(server.limits_.max_text) +
                         " bytes of text in one go (`max_text`)",
                     {}});
  }
  const auto keep = [this](std::vector<std::string> made) {
    for (std::string& one : made) waiting.push_back(std::move(one));
  };
  keep(sentences.feed(text));
  if (flush || is_end) keep(sentences.flush());
  if (is_end) complete = true;
  next();
}

/// Begins the next sentence once everything of the last one is on its way.
void Session::next() {
  if (speaking) return;
  {
    const std::lock_guard lock(mutex);
    if (over || !outbox.empty()) return;
    if (!waiting.empty()) ++sentence;
  }
  if (waiting.empty()) {
    if (complete) end(std::nullopt);
    return;
  }
  speaking = true;
  auto utterance = std::make_shared<Utterance>(shared_from_this(), std::move(waiting.front()),
                                               !std::exchange(any, true));
  waiting.pop_front();
  server.spoken_.add();
  server.engine_.speak(std::move(utterance));
}

void Session::finished(const Result<void>& result) {
  speaking = false;
  server.last_ns_ = server.host_.monotonic_ns();
  if (!result.ok()) return end(result.error());
  next();
}

void Session::cancel() {
  std::function<void()> work;
  {
    const std::lock_guard lock(mutex);
    over = true;
    outbox.clear();
    work = std::exchange(on_cancel, nullptr);
  }
  waiting.clear();
  if (work) work();
}

void Session::end(const std::optional<Error>& error) {
  const auto alive = shared_from_this();
  cancel();
  if (error) {
    down.close(*error);
  } else {
    down.close();
  }
  server.ended(number);
}

SayServer::SayServer(Host& host, Engine& engine)
    : host_(host),
      engine_(engine),
      work_(std::make_shared<Work>()),
      spoken_(host.counter("sentences_total", "Sentences that were begun.")),
      first_chunk_(host.histogram("first_chunk_seconds", "From a request to its first sound.",
                                  {0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.3, 1, 3})) {}

SayServer::~SayServer() = default;

Result<void> SayServer::serve() {
  GANTRY_TRY(host_.bus().serve<VoiceVoices>(
      [this](const Nothing&) -> Result<VoiceList> { return engine_.voices(); }));
  GANTRY_TRY(host_.bus().serve<VoiceRender>(
      [this](const Ref<VoiceRenderRequest>& request, const CallInfo&, Reply<VoiceRender> reply) {
        render(*request, std::move(reply));
      }));
  return host_.bus().serve_stream<VoiceSay>(
      [this](const Ref<VoiceSayRequest>& request, const CallInfo&, Stream<VoiceChunk> down) {
        return open(request, std::move(down));
      });
}

Result<StreamHandlers<VoiceText>> SayServer::open(const Ref<VoiceSayRequest>& request,
                                                  Stream<VoiceChunk> down) {
  if (stopping_) return failed_precondition("speech output is being stopped");
  GANTRY_TRY(check(*request));
  if (sessions_.size() >= static_cast<std::size_t>(limits_.streams)) {
    return Error{
        Code::ResourceExhausted,
        std::to_string(sessions_.size()) +
            " texts are being said, as many as `streams` allows; ask again when one is done",
        {}};
  }
  GANTRY_ASSIGN(std::string voice, engine_.voice(request->voice));
  const std::uint64_t number = ++last_number_;
  auto session =
      std::make_shared<Session>(*this, number, *request, std::move(voice), std::move(down));
  sessions_[number] = session;
  last_ns_ = host_.monotonic_ns();
  StreamHandlers<VoiceText> handlers;
  const std::weak_ptr<Session> weak = session;
  handlers.on_chunk = [weak](const Ref<VoiceText>& piece) {
    if (const auto self = weak.lock()) self->add(piece->text, piece->flush, piece->end);
  };
  handlers.on_writable = [weak] {
    const auto self = weak.lock();
    if (!self) return;
    {
      const std::lock_guard lock(self->mutex);
      self->drain();
    }
    self->next();
  };
  handlers.on_end = [this, weak, number](const Error&) {
    if (const auto self = weak.lock()) self->cancel();
    ended(number);
  };
  // The stream is open only when this has returned.
  host_.post([session, request] { session->add(request->text, false, !request->more); });
  if (!awaits_idling_) wait_for_idling(std::chrono::milliseconds(limits_.idle_release));
  return handlers;
}

/// Listens to a stream of our own to its end.
void SayServer::render(const VoiceRenderRequest& request, Reply<VoiceRender> reply) {
  struct Collected {
    explicit Collected(Reply<VoiceRender> r) : reply(std::move(r)) {}
    Reply<VoiceRender> reply;
    VoiceRendered rendered;
    std::string bytes;
    Stream<VoiceText> stream;
  };
  auto all = std::make_shared<Collected>(std::move(reply));
  all->rendered.audio = {kSpeechRate, 1, {}};
  StreamHandlers<VoiceChunk> handlers;
  handlers.on_chunk = [all](const Ref<VoiceChunk>& chunk) {
    all->bytes += chunk->audio.samples.text();
    if (!chunk->text.empty()) all->rendered.sentences.push_back(chunk->text);
  };
  handlers.on_end = [all](const Error& end) {
    all->stream = {};
    if (end.code != Code::Ok) return all->reply.fail(end);
    all->rendered.audio.samples = Buffer::of(std::move(all->bytes));
    all->reply(std::move(all->rendered));
  };
  all->reply.on_cancel([weak = std::weak_ptr<Collected>(all)] {
    if (const auto open = weak.lock()) open->stream = {};
  });
  VoiceSayRequest say{request.text, false, request.voice, request.rate, request.plain};
  StreamOptions options;
  options.target = host_.name();
  auto opened = host_.bus().open_stream<VoiceSay>(std::move(say), std::move(handlers), options);
  if (!opened.ok()) return all->reply.fail(opened.error());
  all->stream = std::move(*opened);
}

void SayServer::ended(std::uint64_t number) {
  last_ns_ = host_.monotonic_ns();
  sessions_.erase(number);
}

void SayServer::wait_for_idling(Duration delay) {
  awaits_idling_ = true;
  idling_ = host_.after(delay, [this] {
    const Duration limit = std::chrono::milliseconds(limits_.idle_release);
    const Duration idle(host_.monotonic_ns() - last_ns_);
    if (!sessions_.empty()) return wait_for_idling(limit);
    if (idle < limit) return wait_for_idling(limit - idle);
    awaits_idling_ = false;
    host_.blocking([this] { engine_.release(); });
  });
}

void SayServer::stop(Deadline deadline) {
  stopping_ = true;
  idling_.cancel();
  const auto open = sessions_;
  for (const auto& [number, session] : open) {
    session->end(failed_precondition("speech output is being stopped"));
  }
  std::unique_lock lock(work_->mutex);
  const auto left =
      std::min<Duration>(deadline.left(host_.monotonic_ns()), std::chrono::minutes(1));
  work_->none.wait_for(lock, left, [&] { return work_->open == 0; });
}

}  // namespace gantry::voice
