// SPDX-License-Identifier: Apache-2.0
// Contracts and calls of gantry.host.bus/1 of FakeHost.
#include <algorithm>

#include "world.hpp"

namespace gantry::testkit::detail {

namespace {

constexpr std::int64_t kDefaultTimeoutNs = 30'000'000'000;

struct JsonHolder {
  gantry_body body{};
  int references = 1;
  std::string text;
};

}  // namespace

gantry_envelope envelope_of(const WorkContext& context, std::uint64_t contract,
                            const std::string& sender) {
  gantry_envelope e{};
  e.size = sizeof e;
  e.contract = contract;
  e.trace_hi = context.trace_hi;
  e.trace_lo = context.trace_lo;
  e.span = context.span;
  e.deadline_ns = context.deadline_ns;
  e.sender = to_str(sender);
  return e;
}

std::string body_text(const gantry_body* body) {
  if (body == nullptr) return "null";
  if (body->object == nullptr) return std::string(view(body->json));
  gantry_buf out{};
  if (body->type->encode(body->object, &out) != GANTRY_OK) return "null";
  return std::string(Buffer::adopt(out).text());
}

BodyHold json_body(std::string text) {
  auto* holder = new JsonHolder;
  holder->text = std::move(text);
  holder->body.size = sizeof holder->body;
  holder->body.json = to_str(holder->text);
  holder->body.owner = holder;
  holder->body.retain = [](void* owner) { ++static_cast<JsonHolder*>(owner)->references; };
  holder->body.release = [](void* owner) {
    auto* mine = static_cast<JsonHolder*>(owner);
    if (--mine->references == 0) delete mine;
  };
  return BodyHold::adopt(&holder->body);
}

gantry_status give(const Error& error, gantry_error* out) {
  if (out != nullptr) *out = export_error(error);
  return static_cast<gantry_status>(error.code);
}

Contract* World::expect(std::uint64_t id, std::uint32_t kind, gantry_error* error) {
  const auto found = contracts.find(id);
  if (found == contracts.end() || found->second.kind == 0) {
    give(not_found("nobody has registered that contract"), error);
    return nullptr;
  }
  if (found->second.kind != kind) {
    give(invalid_argument(found->second.name + " is a contract of another kind"), error);
    return nullptr;
  }
  return &found->second;
}

std::shared_ptr<Provider> World::choose(Contract& contract, std::string_view target) {
  std::shared_ptr<Provider> best;
  for (const auto& provider : contract.providers) {
    if (!target.empty() && provider->owner->name != target) continue;
    if (best == nullptr || provider->owner->suitability > best->owner->suitability) best = provider;
  }
  return best;
}

void World::finish(const std::shared_ptr<Call>& call, gantry_status status,
                   const BodyHold& response, const Error& error, bool by_server) {
  if (std::exchange(call->finished, true)) return;
  cancel_timer(std::exchange(call->deadline_timer, 0));
  if (!by_server) {
    *call->context->cancelled = true;
    for (const auto& [id, child] : std::map(open_calls)) {
      if (child->parent_cancelled == call->context->cancelled) {
        finish(child, GANTRY_CANCELLED, {}, {Code::Cancelled, "its parent was cancelled", {}},
               false);
      }
    }
  }
  if (call->on_cancel) {
    const gantry_closure closure = *std::exchange(call->on_cancel, std::nullopt);
    const auto drop = [closure] {
      if (closure.drop != nullptr) closure.drop(closure.user);
    };
    const auto run = [closure, drop] {
      closure.run(closure.user);
      drop();
    };
    if (by_server) {
      drop();
    } else {
      queue(*call->provider->owner, GANTRY_LANE_CONTROL, run, drop);
    }
  }
  const auto complete = [call, status, response, error] {
    if (status == GANTRY_OK) {
      call->completion(call->user, status, response.get(), nullptr);
    } else {
      const BorrowedError raw(error);
      call->completion(call->user, status, nullptr, raw.get());
    }
  };
  if (call->server_references == 0) open_calls.erase(call->id);
  if (call->complete_inline || call->caller->closing) {
    complete();
  } else {
    queue(*call->caller, GANTRY_LANE_CONTROL, complete, complete);
  }
}

void World::release_call(Call& call) {
  if (--call.server_references != 0) return;
  const auto found = open_calls.find(call.id);
  if (found == open_calls.end()) return;
  const std::shared_ptr<Call> keep = found->second;
  if (!keep->answered && !keep->finished) {
    finish(
        keep, GANTRY_INTERNAL, {},
        internal_error(keep->provider->owner->name + " dropped " + keep->contract + " unanswered"),
        true);
  }
  open_calls.erase(keep->id);
}

void World::wait_for(const std::shared_ptr<Call>& call) {
  while (!call->finished) {
    if (run_one()) continue;
    if (fire_next_timer(kNever)) continue;
    finish(call, GANTRY_INTERNAL, {},
           internal_error("waiting for " + call->contract + " would never end: nothing is queued"),
           false);
  }
}

/// Fails the call when the clock reaches its deadline.
void World::arm_deadline(const std::shared_ptr<Call>& call) {
  struct User {
    World* world;
    std::weak_ptr<Call> call;
  };
  gantry_closure due{};
  due.user = new User{this, call};
  due.run = [](void* u) {
    const auto& mine = *static_cast<User*>(u);
    if (const auto late = mine.call.lock()) {
      mine.world->finish(late, GANTRY_DEADLINE_EXCEEDED, {},
                         {Code::DeadlineExceeded, late->contract + " got no answer in time", {}},
                         false);
    }
  };
  due.drop = [](void* u) { delete static_cast<User*>(u); };
  call->deadline_timer = start_timer(*call->caller, call->context->deadline_ns - now_ns(), 0, due);
}

/// Hands the request to the provider, as JSON converted to what the provider declared.
void World::serve_call(const std::shared_ptr<Call>& call, const Contract& contract,
                       BodyHold request, const gantry_call_options& options, bool from_json) {
  const gantry_contract* declared = contract.declared.at(call->provider->owner);
  if (from_json && declared->first != nullptr) {
    const gantry_body* decoded = nullptr;
    gantry_error error{};
    const gantry_status status = declared->first->decode(request.get()->json, &decoded, &error);
    if (status != GANTRY_OK) return finish(call, status, {}, adopt_error(status, error), true);
    request = BodyHold::adopt(decoded);
  }
  const auto serve = [call, request, key = options.key] {
    if (call->finished) return;
    call->server_references = 1;
    gantry_envelope envelope =
        envelope_of(*call->context, contract_id(call->contract), call->caller->name);
    envelope.key = key;
    call->provider->call(call->provider->user, call->raw(), request.get(), &envelope);
  };
  const auto drop = [this, call] {
    finish(call, GANTRY_UNAVAILABLE, {}, unavailable(call->contract + "'s provider stopped"), true);
  };
  queue(*call->provider->owner, options.lane, serve, drop, false, call->context);
}

gantry_status World::begin_call(Participant& caller, Contract& contract, BodyHold request,
                                const gantry_call_options* given, gantry_completion_fn completion,
                                void* user, gantry_handle* out, bool from_json) {
  if (caller.closing) return GANTRY_CANCELLED;
  gantry_call_options options{};
  options.lane = GANTRY_LANE_INTERACTIVE;
  if (given != nullptr) options = *given;
  auto call = std::make_shared<Call>();
  call->id = ++last_id;
  call->world = this;
  call->caller = &caller;
  call->contract = contract.name;
  call->completion = completion;
  call->user = user;
  call->complete_inline = (options.flags & GANTRY_CALL_COMPLETE_INLINE) != 0;
  call->parent_cancelled = here().cancelled;
  const std::int64_t timeout = options.timeout_ns > 0 ? options.timeout_ns : kDefaultTimeoutNs;
  call->context->deadline_ns = std::min(here().deadline_ns, now_ns() + timeout);
  call->context->trace_hi = here().trace_hi != 0 ? here().trace_hi : 1;
  call->context->trace_lo = here().trace_lo != 0 ? here().trace_lo : ++last_id;
  call->context->span = ++last_id;
  open_calls.emplace(call->id, call);
  if (out != nullptr) *out = call->id;

  const std::string_view target = view(options.target);
  call->provider = choose(contract, target);
  const std::string receiver = call->provider ? call->provider->owner->name : std::string();
  calls.push_back({contract.name, caller.name, receiver, body_text(request.get())});
  arm_deadline(call);
  if (*here().cancelled) {
    finish(call, GANTRY_CANCELLED, {}, {Code::Cancelled, "its parent was cancelled", {}}, false);
  } else if (contract.kind != 0 && contract.kind != GANTRY_CALL) {
    const std::string is = contract.kind == GANTRY_STREAM ? " is a stream" : " is an event";
    finish(call, GANTRY_INVALID_ARGUMENT, {}, invalid_argument(contract.name + is + ", not a call"),
           true);
  } else if (!call->provider) {
    const std::string as = target.empty() ? "" : " as " + std::string(target);
    Error nobody = unavailable("nobody serves " + contract.name + as);
    nobody.detail = R"({"contract":")" + contract.name + R"(","plugins":[]})";  // as the kernel
    finish(call, GANTRY_UNAVAILABLE, {}, nobody, true);
  } else {
    serve_call(call, contract, std::move(request), options, from_json);
  }
  if (call->complete_inline && may_block) wait_for(call);
  return GANTRY_OK;
}

void World::close_bus_of(Participant& participant) {
  std::vector<std::shared_ptr<Provider>> gone;
  std::vector<std::shared_ptr<Subscription>> silent;
  for (auto& [id, contract] : contracts) {
    contract.declared.erase(&participant);
    for (const auto& p : contract.providers) {
      if (p->owner == &participant) gone.push_back(p);
    }
    std::erase_if(contract.providers, [&](const auto& p) { return p->owner == &participant; });
    for (const auto& s : contract.subscribers) {
      if (s->owner == &participant) silent.push_back(s);
    }
  }
  for (const auto& s : silent) close_subscription(s);
  for (const auto& [id, call] : std::map(open_calls)) {
    if (call->caller == &participant) {
      finish(call, GANTRY_CANCELLED, {}, {Code::Cancelled, participant.name + " is stopping", {}},
             false);
    } else if (call->provider && call->provider->owner == &participant) {
      finish(call, GANTRY_UNAVAILABLE, {}, unavailable(participant.name + " is stopping"), false);
    }
  }
  for (auto& pair : streams) {
    for (StreamSide& side : pair->sides) {
      if (side.owner == &participant) {
        close_side(side, GANTRY_UNAVAILABLE, unavailable(participant.name + " is stopping"));
      }
    }
  }
  for (const auto& p : gone) {
    if (p->drop == nullptr) continue;
    const auto drop = [p] { p->drop(p->user); };
    queue(participant, GANTRY_LANE_INTERACTIVE, drop, drop);
  }
}

// ---- the table's functions ----------------------------------------------------------------------

namespace {

gantry_status register_contract(gantry_host* host, const gantry_contract* contract,
                                gantry_error* error) {
  Contract& known = world_of(host).contracts[contract->id];
  const std::string_view name = view(contract->name);
  if (contract->id != contract_id(name)) {
    return give(invalid_argument("the id of " + std::string(name) + " is not its hash"), error);
  }
  if (!known.name.empty() && (known.name != name || known.kind != contract->kind)) {
    return give({Code::AlreadyExists, std::string(name) + " clashes with " + known.name, {}},
                error);
  }
  known.name = name;
  known.kind = contract->kind;
  known.declared[&Participant::of(host)] = contract;
  return GANTRY_OK;
}

gantry_status provide(gantry_host* host, std::uint64_t id, std::uint32_t kind, Provider provider,
                      gantry_error* error) {
  World& world = world_of(host);
  Contract* contract = world.expect(id, kind, error);
  gantry_status status = GANTRY_NOT_FOUND;
  if (contract != nullptr) {
    const bool twice = std::any_of(contract->providers.begin(), contract->providers.end(),
                                   [&](const auto& p) { return p->owner == provider.owner; });
    if (!twice) {
      contract->providers.push_back(std::make_shared<Provider>(provider));
      return GANTRY_OK;
    }
    status = give(
        {Code::AlreadyExists, provider.owner->name + " serves " + contract->name + " already", {}},
        error);
  }
  if (provider.drop != nullptr) provider.drop(provider.user);
  return status;
}

gantry_status serve(gantry_host* host, std::uint64_t id, gantry_call_fn handler, void* user,
                    void (*drop)(void*), gantry_error* error) {
  return provide(host, id, GANTRY_CALL, {&Participant::of(host), handler, nullptr, user, drop},
                 error);
}

gantry_status serve_stream(gantry_host* host, std::uint64_t id, gantry_accept_fn accept, void* user,
                           void (*drop)(void*), gantry_error* error) {
  return provide(host, id, GANTRY_STREAM, {&Participant::of(host), nullptr, accept, user, drop},
                 error);
}

gantry_status call(gantry_host* host, std::uint64_t id, const gantry_body* request,
                   const gantry_call_options* options, gantry_completion_fn completion, void* user,
                   gantry_handle* out) {
  World& world = world_of(host);
  Contract* contract = world.expect(id, GANTRY_CALL, nullptr);
  if (contract == nullptr) return GANTRY_NOT_FOUND;
  return world.begin_call(Participant::of(host), *contract, BodyHold(request), options, completion,
                          user, out, false);
}

gantry_status call_json(gantry_host* host, gantry_str name, gantry_str request,
                        const gantry_call_options* options, gantry_completion_fn completion,
                        void* user, gantry_handle* out) {
  World& world = world_of(host);
  Contract& contract = world.contracts[contract_id(view(name))];
  if (contract.name.empty()) contract.name = view(name);
  return world.begin_call(Participant::of(host), contract, json_body(std::string(view(request))),
                          options, completion, user, out, true);
}

void cancel(gantry_host* host, gantry_handle handle) {
  World& world = world_of(host);
  const auto found = world.open_calls.find(handle);
  if (found == world.open_calls.end()) return;
  const std::shared_ptr<Call> keep = found->second;
  world.finish(keep, GANTRY_CANCELLED, {},
               {Code::Cancelled, keep->contract + " was cancelled by its caller", {}}, false);
}

void complete(gantry_incoming* incoming, gantry_status status, const gantry_body* response,
              const gantry_error* error) {
  Call& mine = Call::of(incoming);
  if (std::exchange(mine.answered, true)) {
    ++mine.world->double_answers;
    return;
  }
  const auto found = mine.world->open_calls.find(mine.id);
  if (found == mine.world->open_calls.end()) return;
  const std::shared_ptr<Call> keep = found->second;
  mine.world->finish(keep, status, BodyHold(response), share_error(status, error), true);
}

int incoming_cancelled(gantry_incoming* incoming) {
  return *Call::of(incoming).context->cancelled ? 1 : 0;
}

void incoming_on_cancel(gantry_incoming* incoming, gantry_closure closure) {
  Call& mine = Call::of(incoming);
  const auto drop = [closure] {
    if (closure.drop != nullptr) closure.drop(closure.user);
  };
  if (*mine.context->cancelled) {
    mine.world->queue(
        *mine.provider->owner, GANTRY_LANE_CONTROL,
        [closure, drop] {
          closure.run(closure.user);
          drop();
        },
        drop);
  } else if (mine.on_cancel || mine.answered) {
    drop();
  } else {
    mine.on_cancel = closure;
  }
}

void set_suitability(gantry_host* host, int score, gantry_str) {
  Participant::of(host).suitability = score;
}

gantry_status body_to_json(const gantry_body* body, gantry_buf* out) {
  *out = Buffer::of(body_text(body)).detach();
  return GANTRY_OK;
}

}  // namespace

const gantry_host_bus& bus_table() {
  static const gantry_host_bus table = [] {
    gantry_host_bus t{};
    t.size = sizeof t;
    t.register_contract = register_contract;
    t.serve = serve;
    t.call = call;
    t.cancel = cancel;
    t.complete = complete;
    t.incoming_cancelled = incoming_cancelled;
    t.incoming_on_cancel = incoming_on_cancel;
    t.incoming_retain = [](gantry_incoming* c) { ++Call::of(c).server_references; };
    t.incoming_release = [](gantry_incoming* c) { Call::of(c).world->release_call(Call::of(c)); };
    t.serve_stream = serve_stream;
    t.set_suitability = set_suitability;
    t.body_to_json = body_to_json;
    t.call_json = call_json;
    fill_event_functions(t);
    fill_stream_functions(t);
    return t;
  }();
  return table;
}

}  // namespace gantry::testkit::detail
