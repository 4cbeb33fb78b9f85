// SPDX-License-Identifier: Apache-2.0
#include "seat.hpp"

#include <gantry/attached_text.hpp>
#include <gantry/base64.hpp>
#include <gantry/contract.hpp>
#include <gantry/contracts/approval.hpp>
#include <gantry/contracts/artifact.hpp>
#include <gantry/contracts/document.hpp>
#include <gantry/contracts/workspace.hpp>
#include <gantry/picture/gif_png.hpp>
#include <gantry/workspace_defaults.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

#include "ids.hpp"

namespace gantry::chat_aide {
namespace {

constexpr const char* kPlace = "aide";  // SessionKey::workspace
constexpr std::string_view kElsewhere = "from:";
constexpr std::size_t kMaxQueue = 32;
constexpr std::int64_t kLargestDocumentText = 512 << 10;  // of one PDF, bytes
constexpr std::size_t kMaxMissed = 16 << 20;
constexpr std::size_t kMaxQueued = 64 << 20;  // bytes of messages that wait
constexpr int kTryAgainLater = 1013;

/// The engine names models provider/model.
std::string catalogue_id(std::string id) {
  const std::size_t colon = id.find(':');
  if (colon != std::string::npos) id[colon] = '/';
  return id;
}

}  // namespace

Seat::Seat(Host& host, const Settings& settings, const Models& models, Who who,
           std::string fallback, std::shared_ptr<FairBudget> waiting, std::function<void()> gone)
    : host_(host),
      settings_(settings),
      models_(models),
      who_(std::move(who)),
      fallback_(std::move(fallback)),
      gone_(std::move(gone)),
      share_(std::move(waiting)) {}

void Seat::join(const SocketPtr& socket) {
  linger_.cancel();
  const bool others = !sockets_.empty();  // else what was open is being denied
  sockets_.push_back(socket);
  (void)socket->send(models_.frame());
  if (run_ && others) {
    for (const std::string& question : run_->open_questions()) (void)socket->send(question);
  }
  for (const std::string& frame : std::exchange(missed_, {})) (void)socket->send(frame);
  missed_bytes_ = 0;
  (void)hold(0);
}

void Seat::leave(const SocketPtr& socket) {
  std::erase(sockets_, socket);
  std::erase_if(held_, [&](const Held& held) { return held.socket == socket; });
  // Who said it does not wait for what was not begun.
  std::erase_if(queue_, [&](const Waiting& waiting) { return waiting.socket == socket; });
  (void)hold(0);
  if (!sockets_.empty()) return;
  if (!run_) return gone_();
  deny_open();
  linger_ = host_.after(std::chrono::milliseconds(settings_.linger), [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self) self->abandon();
  });
}

/// Nobody has come back.
void Seat::abandon() {
  if (run_) stop_run("its client has gone");
  run_.reset();
  watch_ = {};
  events_.clear();
  ++runs_;
  gone_();
}

void Seat::close(int code, const std::string& reason) {
  linger_.cancel();
  for (const SocketPtr& socket : std::exchange(sockets_, {})) socket->close(code, reason);
  if (run_) stop_run(reason);
}

void Seat::sign_out(const std::string& cookie, int code) {
  for (const SocketPtr& socket : std::vector(sockets_)) {
    if (socket->cookie != cookie) continue;
    socket->close(code, "signed out");
    leave(socket);
  }
}

void Seat::send(std::string frame) {
  if (sockets_.empty()) {
    missed_bytes_ += frame.size();
    missed_.push_back(std::move(frame));
    if (!hold(0) || missed_bytes_ > kMaxMissed) stop_run("its client does not come back");
    return;
  }
  for (const SocketPtr& socket : std::vector(sockets_)) tell(socket, frame);
}

void Seat::tell(const SocketPtr& socket, const std::string& frame) {
  if (socket->send(frame)) return;
  if (std::find(sockets_.begin(), sockets_.end(), socket) == sockets_.end()) return;  // it goes
  socket->close(kTryAgainLater, "the client reads too slowly");
  leave(socket);
}

void Seat::show_models() {
  for (const SocketPtr& socket : std::vector(sockets_)) tell(socket, models_.frame());
}

// ---- messages -----------------------------------------------------------------------------------

void Seat::receive(const SocketPtr& socket, const Incoming& incoming) {
  // It was signed out, or closed, while a large frame of its was read.
  if (std::find(sockets_.begin(), sockets_.end(), socket) == sockets_.end()) return;
  if (const auto* invalid = std::get_if<InvalidFrame>(&incoming)) {
    return refuse(socket, "Invalid message: " + invalid->what);
  }
  if (const auto* answered = std::get_if<Confirm>(&incoming)) return confirm(*answered);
  enqueue(socket, std::get<ChatMessage>(incoming));
}

/// Errors of no run wait until the run's own last frame was sent.
void Seat::refuse(const SocketPtr& socket, std::string message) {
  std::string frame = error_frame(std::move(message));
  if (!run_) {
    tell(socket, frame);
  } else if (held_.size() < kMaxQueue) {
    held_.push_back({socket, std::move(frame)});
  }
}

bool Seat::hold(std::size_t more) {
  std::size_t bytes = missed_bytes_;
  for (const Waiting& waiting : queue_) bytes += weight_of(waiting.message);
  if (share_.set(bytes + more)) return true;
  (void)share_.set(bytes);
  return false;
}

void Seat::enqueue(const SocketPtr& socket, const ChatMessage& message) {
  // What begins at once does not wait.
  const bool waits = run_ || !queue_.empty();
  const bool full = waits && (queue_.size() >= kMaxQueue || !hold(weight_of(message)) ||
                              share_.held() > kMaxQueued);
  if (full) {
    (void)hold(0);
    return refuse(socket, "queue full");
  }
  queue_.push_back({socket, message});
  next();
}

/// Unknown and late answers are ignored.
void Seat::confirm(const Confirm& confirm) {
  if (!run_) return;
  const std::string approval = run_->approval_of(confirm.call_id);
  if (!approval.empty()) answer(approval, confirm.response ? Decision::Allow : Decision::Deny);
}

void Seat::answer(const std::string& approval, Decision decision) {
  CallOptions options;
  options.lane = GANTRY_LANE_CONTROL;
  host_.bus().call<ApprovalAnswer>(
      {who_.principal, approval, decision, who_.user}, [](const Result<Ref<Approval>>&) {},
      options);
}

void Seat::deny_open() {
  if (!run_) return;
  for (const std::string& approval : run_->open_approvals()) answer(approval, Decision::Deny);
}

// ---- runs ---------------------------------------------------------------------------------------

/// A conversation of this chat, or from:WORKSPACE:KEY for one that was begun elsewhere.
SessionKey Seat::session(const std::string& id) const {
  const std::size_t end = id.starts_with(kElsewhere) ? id.find(':', kElsewhere.size()) : id.npos;
  if (end == id.npos) return {who_.principal, kPlace, id};
  return {who_.principal, id.substr(kElsewhere.size(), end - kElsewhere.size()),
          id.substr(end + 1)};
}

/// What becomes of the attachments of one message.
struct Seat::Gathering {
  std::uint64_t run = 0;
  TurnStartRequest turn;
  std::vector<Attachment> left;  // the next one last
};

void Seat::next() {
  if (run_ || queue_.empty()) return;
  const ChatMessage message = std::move(queue_.front().message);
  queue_.pop_front();
  (void)hold(0);
  const std::string id = message.session_id.empty() ? fallback_ : message.session_id;
  RunView::Sinks sinks;
  sinks.send = [this](std::string frame) { send(std::move(frame)); };
  sinks.image = [this](const ImageRef& image) { show_image(image); };
  run_ = std::make_unique<RunView>(id, std::move(sinks));
  run_session_ = session(id);
  run_turn_.clear();
  ++runs_;
  if (!message.model.empty() && !models_.knows(message.model)) {
    return fail("there is no model '" + message.model + "'");
  }
  auto gathering = std::make_shared<Gathering>();
  gathering->run = runs_;
  TurnStartRequest& turn = gathering->turn;
  turn.session = run_session_;
  turn.turn = new_id();
  turn.text = message.text;
  turn.caller = "chat_aide:" + who_.user;
  turn.options.model = catalogue_id(message.model.empty() ? models_.usual() : message.model);
  turn.options.tools = tool_policy(settings_);
  turn.options.linger_ms = settings_.linger;
  // Without log-in everybody is one user.
  if (settings_.auth == "none") turn.options.counted_for = fallback_;
  gathering->left.assign(message.attachments.rbegin(), message.attachments.rend());
  if (run_session_.workspace == kPlace) return gather(gathering);
  find_session(gathering);
}

void Seat::find_session(const std::shared_ptr<Gathering>& gathering) {
  SessionOpenRequest open;
  open.session = run_session_;
  open.create = false;
  host_.bus().call<SessionOpen>(
      std::move(open), [weak = weak_from_this(), gathering](const Result<Ref<SessionInfo>>& found) {
        const auto self = weak.lock();
        if (!self || !self->run_ || self->runs_ != gathering->run) return;
        if (!found.ok()) return self->fail(found.error().message);
        WorkspaceRef where{self->run_session_.principal, self->run_session_.workspace, true};
        self->host_.bus().call<WorkspaceGet>(
            std::move(where), [weak, gathering](const Result<Ref<Workspace>>& workspace) {
              const auto still = weak.lock();
              if (!still || !still->run_ || still->runs_ != gathering->run) return;
              // Most sessions are in none.
              if (!workspace.ok() && !is_no_workspace(workspace.error())) {
                return still->fail("the session's workspace: " + workspace.error().message);
              }
              if (workspace.ok()) apply_workspace(**workspace, gathering->turn.options);
              still->gather(gathering);
            });
      });
}

void Seat::gather(const std::shared_ptr<Gathering>& gathering) {
  if (gathering->left.empty()) return start(std::move(gathering->turn));
  Attachment attachment = std::move(gathering->left.back());
  gathering->left.pop_back();
  if (attachment.media_type == "application/pdf") return read(gathering, std::move(attachment));
  if (attachment.media_type != "image/gif") return keep(gathering, std::move(attachment));
  host_.blocking([&host = host_, weak = weak_from_this(), gathering,
                  file = std::move(attachment)]() mutable {
    auto png = std::make_shared<Result<std::vector<std::uint8_t>>>(picture::gif_as_png(file.bytes));
    host.post([weak, gathering, png, file = std::move(file)]() mutable {
      const auto self = weak.lock();
      if (!self || !self->run_ || self->runs_ != gathering->run) return;
      if (!png->ok()) return self->fail("an attachment: " + png->error().message);
      file.bytes = std::move(**png);
      self->keep(gathering, std::move(file));
    });
  });
}

void Seat::read(const std::shared_ptr<Gathering>& gathering, Attachment attachment) {
  DocumentTextRequest request;
  request.content = Buffer::of(std::move(attachment.bytes));
  request.max_bytes = kLargestDocumentText;
  std::string name = attachment.name.empty() ? "document.pdf" : std::move(attachment.name);
  host_.bus().call<DocumentText>(
      std::move(request), [weak = weak_from_this(), gathering,
                           name = std::move(name)](const Result<Ref<DocumentTextAnswer>>& found) {
        const auto self = weak.lock();
        if (!self || !self->run_ || self->runs_ != gathering->run) return;
        if (!found.ok()) {
          return self->fail("an attachment of the type application/pdf: " + found.error().message);
        }
        gathering->turn.content.push_back(attached_text(name, (*found)->text, (*found)->truncated));
        self->gather(gathering);
      });
}

void Seat::keep(const std::shared_ptr<Gathering>& gathering, Attachment attachment) {
  ArtifactPutRequest put;
  put.owner = who_.principal;
  put.content = Buffer::of(std::move(attachment.bytes));
  put.filename = attachment.name;
  host_.bus().call<ArtifactPut>(
      std::move(put), [weak = weak_from_this(), gathering](const Result<Ref<ArtifactInfo>>& kept) {
        const auto self = weak.lock();
        if (!self || !self->run_ || self->runs_ != gathering->run) return;
        if (!kept.ok()) return self->fail("an attachment: " + kept.error().message);
        gathering->turn.attachments.push_back((*kept)->artifact_id);
        self->gather(gathering);
      });
}

void Seat::start(TurnStartRequest turn) {
  run_turn_ = turn.turn;
  host_.bus().call<TurnStart>(
      turn, [weak = weak_from_this(), turn, run = runs_](const Result<Ref<TurnStarted>>& started) {
        const auto self = weak.lock();
        if (!self || !self->run_ || self->runs_ != run) return;
        if (!started.ok()) return self->fail(started.error().message);
        self->watch(turn, (*started)->sequence - 1);
      });
}

void Seat::watch(const TurnStartRequest& turn, std::uint64_t after) {
  SessionWatchRequest request;
  request.session = turn.session;
  request.turn = turn.turn;
  request.after_sequence = after;
  StreamHandlers<SessionEvents> handlers;
  handlers.on_chunk = [weak = weak_from_this(), run = runs_](const Ref<SessionEvents>& events) {
    const auto self = weak.lock();
    if (!self || self->runs_ != run) return;
    self->events_.insert(self->events_.end(), events->events.begin(), events->events.end());
    self->drain();
  };
  handlers.on_end = [weak = weak_from_this(), run = runs_](const Error& end) {
    const auto self = weak.lock();
    if (!self || self->runs_ != run || end.code == Code::Ok) return;
    self->fail(end.message);
  };
  auto opened = host_.bus().open_stream<SessionWatch>(std::move(request), std::move(handlers));
  if (!opened.ok()) return fail(opened.error().message);
  watch_ = std::move(*opened);
}

void Seat::drain() {
  while (!events_.empty() && !showing_ && run_ && !run_->over()) {
    const SessionEvent event = std::move(events_.front());
    events_.pop_front();
    run_->take(event);
    if (event.kind == EventKind::ApprovalRequested && sockets_.empty()) deny_open();
  }
  if (run_ && run_->over()) end_run();
}

void Seat::show_image(const ImageRef& image) {
  if (image.artifact.empty()) return;
  showing_ = true;  // what comes after it waits
  host_.bus().call<ArtifactGet>(
      {who_.principal, image.artifact},
      [weak = weak_from_this(), run = runs_](const Result<Ref<ArtifactContent>>& found) {
        const auto self = weak.lock();
        if (!self || self->runs_ != run) return;
        self->showing_ = false;
        if (found.ok()) {
          ImagesFrame frame;
          frame.data_urls.push_back("data:" + (*found)->info.content_type + ";base64," +
                                    base64_of((*found)->content.bytes()));
          self->send(to_json(frame));
        }
        self->drain();
      });
}

void Seat::fail(const std::string& message) {
  if (!run_) return;
  run_->fail(message);
  end_run();
}

void Seat::end_run() {
  run_.reset();
  watch_ = {};
  events_.clear();
  showing_ = false;
  ++runs_;
  for (const Held& held : std::exchange(held_, {})) tell(held.socket, held.frame);
  next();
}

void Seat::stop_run(const std::string& reason) {
  if (run_turn_.empty()) return;
  TurnStopRequest request;
  request.principal = who_.principal;
  request.session = run_session_;
  request.turn = run_turn_;
  request.reason = reason;
  CallOptions options;
  options.lane = GANTRY_LANE_CONTROL;
  host_.bus().call<TurnStop>(
      std::move(request), [](const Result<Ref<StoppedTurns>>&) {}, options);
}

}  // namespace gantry::chat_aide
