// SPDX-License-Identifier: Apache-2.0
// The contracts of turns: admission, the line of a session, stopping, results of clients.
#include <gantry/contracts/artifact.hpp>

#include <algorithm>
#include <utility>

#include "engine.hpp"
#include "event.hpp"
#include "ids.hpp"
#include "leftover.hpp"
#include "model_settings.hpp"
#include "preview.hpp"
#include "tool_policy.hpp"

namespace gantry::agent {
namespace {

constexpr std::size_t kStartsAtOnce = 8;
constexpr std::size_t kLongestTurn = 256;
/// What a stop may name to be remembered; no session or turn has a longer name.
constexpr std::size_t kLongestStop = 8'192;
constexpr std::int64_t kLongestMemoryMs = 60'000;
/// Stops of a user that are remembered at once; the oldest give way.
constexpr std::ptrdiff_t kMostEarlyStops = 64;
constexpr const char* kStoppedEarly = "the turn was stopped before it began";

Error too_many(std::string_view what, std::string message) {
  return {Code::ResourceExhausted, std::move(message), "{\"limit\":\"" + std::string(what) + "\"}"};
}

bool said_nothing(const TurnStartRequest& request) {
  return request.text.find_first_not_of(" \t\r\n") == std::string::npos &&
         request.content.empty() && request.attachments.empty();
}

std::int64_t message_bytes(const TurnStartRequest& request) {
  std::size_t size = request.text.size();
  for (const ContentBlock& block : request.content) size += block.text.size();
  return static_cast<std::int64_t>(size);
}

/// Whose turns are counted together.
std::string counted_for(const TurnStartRequest& request) {
  return request.session.principal + '\n' + request.options.counted_for;
}

bool matches(const TurnStopRequest& stop, const SessionKey& session, const std::string& turn) {
  return stop.principal == session.principal && (!stop.session || *stop.session == session) &&
         (stop.turn.empty() || stop.turn == turn);
}

std::size_t name_bytes(const TurnStopRequest& stop) {
  const std::size_t session = stop.session ? stop.session->key.size() : 0;
  const std::size_t workspace = stop.session ? stop.session->workspace.size() : 0;
  return stop.turn.size() + session + workspace;
}

}  // namespace

/// A turn on its way in.
struct Engine::Start {
  TurnStartRequest request;
  Done<TurnStarted> answer;
  std::function<void(const Error&)> refuse;  // before there is a turn
  Pointer session;
  std::vector<ImageRef> attachments;
  bool stopped = false;
};

void Engine::forget_old_stops() {
  const std::int64_t now = core_.host.monotonic_ns();
  std::erase_if(early_stops_, [now](const EarlyStop& stop) { return stop.until_ns < now; });
}

/// Stops are never refused for load, so what is kept of them has a bound of its own.
void Engine::remember_stop(const TurnStopRequest& request) {
  if (name_bytes(request) > kLongestStop) return;
  forget_old_stops();
  const auto of_user = [&](const EarlyStop& stop) {
    return stop.request.principal == request.principal;
  };
  if (std::count_if(early_stops_.begin(), early_stops_.end(), of_user) >= kMostEarlyStops) {
    early_stops_.erase(std::find_if(early_stops_.begin(), early_stops_.end(), of_user));
  }
  TurnStopRequest kept = request;
  kept.reason.clear();  // of a turn that has not begun nobody is told
  const std::int64_t ms = std::min<std::int64_t>(request.remember_ms, kLongestMemoryMs);
  early_stops_.push_back({std::move(kept), core_.host.monotonic_ns() + ms * 1'000'000});
}

bool Engine::stopped_early(const TurnStartRequest& request) {
  forget_old_stops();
  const auto early = std::find_if(
      early_stops_.begin(), early_stops_.end(),
      [&](const EarlyStop& stop) { return matches(stop.request, request.session, request.turn); });
  if (early == early_stops_.end()) return false;
  early_stops_.erase(early);
  return true;
}

Result<void> Engine::admit(const TurnStartRequest& request) {
  if (request.session.principal.empty()) return invalid_argument("a turn needs a principal");
  if (said_nothing(request)) return invalid_argument("Invalid query: nothing was said");
  if (request.turn.size() > kLongestTurn) {
    return invalid_argument("a turn's id has at most 256 bytes");
  }
  GANTRY_TRY(read_model_settings(request.options.model_settings.text));
  const LimitSettings& limits = core_.settings.limits;
  const std::int64_t size = message_bytes(request);
  if (size > limits.message_bytes) {
    return Error{Code::OutOfRange,
                 "the message has " + std::to_string(size) + " bytes; at most " +
                     std::to_string(limits.message_bytes) + " are taken",
                 {}};
  }
  if (stopped_early(request)) return Error{Code::Aborted, kStoppedEarly, {}};
  return room_for(request);
}

/// Turns that have a place or take the next one, of everybody or of one user (see counted_for). Who
/// waits behind a turn of his own session, or for a place, takes none from who does not wait.
std::int64_t Engine::claims(const std::string* user) const {
  std::int64_t out = 0;
  const auto add = [&](const TurnStartRequest& request) {
    if (user == nullptr || counted_for(request) == *user) ++out;
  };
  for (const auto& start : starting_) add(start->request);
  for (const auto& [id, session] : core_.sessions.all()) {
    if (session->running) add(session->running->request());
    bool first = !session->running;
    for (const auto& turn : session->line) {
      if (turn->is_over()) continue;
      const bool takes_next = std::exchange(first, false) && turn->ticket == 0;
      // One that does not wait was promised a place.
      if (takes_next || !turn->request().options.waits) add(turn->request());
    }
  }
  return out;
}

/// Who waits is in a bounded line; who does not must find a place free.
Result<void> Engine::room_for(const TurnStartRequest& request) const {
  const LimitSettings& limits = core_.settings.limits;
  const bool waits = request.options.waits;
  const std::string user = counted_for(request);
  const auto mine = turns_of_.find(user);
  std::int64_t of_user = mine == turns_of_.end() ? 0 : mine->second;
  std::int64_t of_all = turns_;
  // Counted one by one only where the sums are not enough to tell.
  if (!waits && of_user >= limits.turns_per_principal) of_user = claims(&user);
  if (!waits && of_all >= limits.turns) of_all = claims(nullptr);
  if (of_user >= limits.turns_per_principal + (waits ? limits.waiting_per_principal : 0)) {
    return too_many("principal",
                    "Too many active queries for this user. Wait for an existing query to finish "
                    "or stop it.");
  }
  if (of_all >= limits.turns + (waits ? limits.waiting : 0) ||
      (turns_ > 0 && bytes_ + message_bytes(request) > limits.waiting_bytes)) {
    return too_many("process", "Backend query capacity is saturated. Please retry shortly.");
  }
  return {};
}

Places::Limits Engine::places() const {
  return {core_.settings.limits.turns, core_.settings.limits.turns_per_principal};
}

void Engine::count(const TurnStartRequest& request, int change) {
  turns_ += change;
  bytes_ += change * message_bytes(request);
  const auto mine = turns_of_.try_emplace(counted_for(request)).first;
  mine->second += change;
  if (mine->second <= 0) turns_of_.erase(mine);
}

void Engine::start(const TurnStartRequest& request, Done<TurnStarted> done) {
  if (const auto admitted = admit(request); !admitted.ok()) return done(admitted.error());
  auto start = std::make_shared<Start>();
  start->request = request;
  if (start->request.turn.empty()) start->request.turn = random_id("turn_");
  // Counted from here on, so that many at once cannot slip through while sessions are read.
  count(start->request, 1);
  start->answer = std::move(done);
  starting_.push_back(start);
  start->refuse = [this, weak = std::weak_ptr<Start>(start)](const Error& error) {
    const auto refused = weak.lock();
    if (!refused) return;
    std::erase(starting_, refused);
    count(refused->request, -1);
    refused->answer(error);
  };
  held_starts_.push_back(start);
  start_next();
}

/// A few at a time: of two hundred that come at once, the first ones stream while the last ones
/// begin. Side by side they would all ask their models at the end, and their pieces would come in
/// one crowd from then on.
void Engine::start_next() {
  while (looked_up_ < kStartsAtOnce && !held_starts_.empty()) {
    ++looked_up_;
    const auto start = std::move(held_starts_.front());
    held_starts_.pop_front();
    core_.sessions.find(start->request.session, [this, start](const Result<Pointer>& session) {
      if (session.ok()) {
        start->session = *session;
        look_up(start);
      } else {
        start->refuse(session.error());
      }
      session_found();
    });
  }
}

/// The next one goes behind what is due to this one.
void Engine::session_found() {
  --looked_up_;
  if (held_starts_.empty()) return;
  const ContextScope scope = core_.store.detach();
  core_.host.post([this] { start_next(); });
}

void Engine::look_up(const std::shared_ptr<Start>& start) {
  if (start->attachments.size() == start->request.attachments.size()) return accept(start);
  const std::string& id = start->request.attachments[start->attachments.size()];
  const ContextScope scope = core_.store.detach();
  core_.host.bus().call<ArtifactStat>(
      {start->request.session.principal, id},
      [this, start, id](const Result<Ref<ArtifactInfo>>& info) {
        if (!info.ok()) return start->refuse(info.error().with_context("attachment " + id));
        start->attachments.push_back({id, (*info)->content_type, (*info)->filename});
        if (start->attachments.size() == start->request.attachments.size()) {
          start->attachments.back().capture = start->request.options.capture;
        }
        look_up(start);
      });
}

void Engine::accept(const std::shared_ptr<Start>& start) {
  // The stop may have come while the session was being read.
  if (start->stopped) return start->refuse({Code::Aborted, kStoppedEarly, {}});
  const Pointer session = start->session;
  const std::string id = start->request.turn;
  const auto same = [&](const std::shared_ptr<Turn>& turn) { return turn && turn->id() == id; };
  if (same(session->running) || std::any_of(session->line.begin(), session->line.end(), same)) {
    return start->refuse({Code::AlreadyExists, "the turn '" + id + "' is there already", {}});
  }
  std::erase(starting_, start);
  RunningTurn document{session->key(), id, start->request.text, core_.host.wall_ns() / 1'000'000};
  TurnAcceptedBody body;
  body.caller = start->request.caller;
  body.mode = start->request.options.mode;
  body.position = static_cast<std::int32_t>(session->line.size()) + (session->running ? 1 : 0);
  session->log(body_event(EventKind::TurnAccepted, body), id);
  const auto turn = std::make_shared<Turn>(core_, session, std::move(start->request),
                                           std::move(start->attachments));
  turn->on_over([this, session, weak = std::weak_ptr<Turn>(turn)] {
    if (const auto ended = weak.lock()) over(session, ended);
  });
  session->line.push_back(turn);
  // The number of the event, if nothing is merged into it, which never happens to this kind.
  const std::uint64_t sequence = session->journal().planned();
  session->save(
      Session::At::Work, {running_turn_change(session->id(), id, std::move(document))},
      [session, start, turn, id, sequence, position = body.position](const Result<void>& saved) {
        // A turn that could not be kept has been ended with its session.
        if (!saved.ok()) return start->answer(saved.error());
        start->answer(TurnStarted{id, sequence, position});
        turn->accepted();
      });
  // The model may be asked while the acceptance is on its way to the disk: nobody is told anything,
  // and no tool runs, before what was logged until then is written.
  next(session);
}

void Engine::next(const Pointer& session) {
  if (session->running || session->compacting) return;
  // Whoever waits for a place may get it at any moment, also one that was stopped and whose end is
  // being written: then it is over soon, and the next is looked for again.
  const auto asked = [](const auto& turn) { return turn->ticket != 0; };
  if (std::any_of(session->line.begin(), session->line.end(), asked)) return;
  // One that was stopped while it waited stands here until its end is written.
  const auto first = std::find_if(session->line.begin(), session->line.end(),
                                  [](const auto& turn) { return !turn->is_over(); });
  if (first == session->line.end()) return;
  const auto turn = *first;
  turn->ticket = ++last_ticket_;
  core_.places.ask(turn->ticket, counted_for(turn->request()), places(),
                   [this, session, turn] { begin(session, turn); });
}

void Engine::begin(const Pointer& session, const std::shared_ptr<Turn>& turn) {
  std::erase(session->line, turn);
  session->running = turn;
  // A turn belongs to its session and not to the call that started it.
  const ContextScope scope = core_.store.detach();
  core_.host.post([turn] { turn->begin(); });
}

void Engine::over(const Pointer& session, const std::shared_ptr<Turn>& turn) {
  if (session->running == turn) session->running.reset();
  std::erase(session->line, turn);
  if (!session->has_work()) session->watchers().rest();
  session->used_ns = core_.host.monotonic_ns();
  count(turn->request(), -1);
  if (turn->ticket != 0) core_.places.leave(turn->ticket, places());
  next(session);
}

std::vector<std::shared_ptr<Turn>> Engine::turns_of(const std::string& principal) const {
  std::vector<std::shared_ptr<Turn>> out;
  for (const auto& [id, session] : core_.sessions.all()) {
    if (session->key().principal != principal) continue;
    if (session->running) out.push_back(session->running);
    out.insert(out.end(), session->line.begin(), session->line.end());
  }
  return out;
}

StoppedTurns Engine::stop(const TurnStopRequest& request) {
  StoppedTurns out;
  for (const auto& turn : turns_of(request.principal)) {
    if (turn->is_over() || !matches(request, turn->request().session, turn->id())) continue;
    out.turns.push_back({turn->request().session, turn->id()});
    turn->stop(TurnEnd::Cancelled, request.reason);
  }
  for (const auto& start : starting_) {
    const TurnStartRequest& turn = start->request;
    if (!matches(request, turn.session, turn.turn) || std::exchange(start->stopped, true)) continue;
    out.turns.push_back({turn.session, turn.turn});
  }
  if (out.turns.empty() && request.remember_ms > 0) remember_stop(request);
  return out;
}

TurnResultsTaken Engine::results(const TurnResultsRequest& request) {
  TurnResultsTaken out;
  const auto turns = turns_of(request.principal);
  for (const ClientToolResult& result : request.results) {
    const bool taken = std::any_of(turns.begin(), turns.end(),
                                   [&](const auto& turn) { return turn->take(result); });
    if (!taken) out.unknown.push_back(result.call);
  }
  if (!request.bundle.empty()) {
    for (const auto& turn : turns) turn->close_bundle(request.bundle);
  }
  return out;
}

Result<gantry::Done> Engine::inject(const TurnInjectRequest& request) {
  const Pointer session = core_.sessions.loaded(request.session);
  if (!session || !session->running) return no_turn_running();
  GANTRY_TRY(session->running->inject(request.text));
  return gantry::Done{};
}

void Engine::tools(const AgentToolsRequest& request, Done<AgentToolList> done) {
  core_.tools.find([this, request, done = std::move(done)](const auto& tools) {
    done(AgentToolList{judge_tools(*tools, request, core_.settings.tools)});
  });
}

void Engine::preview(const TurnPreviewRequest& request, Done<TurnPreviewed> done) {
  struct Preview {
    TurnPreviewRequest request;
    std::shared_ptr<const ToolSet> tools;
    Done<TurnPreviewed> done;
  };
  auto preview = std::make_shared<Preview>(Preview{request, {}, std::move(done)});
  const auto chosen = [this, preview](const Result<ChosenModel>& model) {
    const TurnStartRequest& turn = preview->request.turn;
    if (preview->request.history) {
      History given;
      given.rows = *preview->request.history;
      return preview->done(preview_turn(core_, turn, *preview->tools, model, given));
    }
    core_.sessions.find(turn.session, [this, preview, model](const Result<Pointer>& session) {
      if (!session.ok()) return preview->done(session.error());
      preview->done(preview_turn(core_, preview->request.turn, *preview->tools, model,
                                 (*session)->history()));
    });
  };
  core_.tools.find([this, preview, chosen](const std::shared_ptr<const ToolSet>& tools) {
    preview->tools = tools;
    const TurnOptions& options = preview->request.turn.options;
    core_.models.choose(options.model, credentials_of(options), chosen);
  });
}

}  // namespace gantry::agent
