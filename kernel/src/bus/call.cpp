// SPDX-License-Identifier: Apache-2.0
#include "bus/call.hpp"

#include "bus/bus.hpp"
#include "bus/host_bus.hpp"
#include "exec/exec.hpp"
#include "exec/strand_group.hpp"
#include "host.hpp"

#include <algorithm>
#include <limits>

namespace gantry::kernel {

namespace {
std::string milliseconds(std::int64_t ns) { return std::to_string(ns / 1'000'000) + " ms"; }

std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  return b > kNoDeadline - a ? kNoDeadline : a + b;
}
}  // namespace

Call::Call(CallConfig config) : config_(std::move(config)) {}

Call::~Call() = default;

void Call::start(gantry_handle* out) {
  gantry_host& caller = *config_.caller;
  start_ns_ = caller.exec->now_ns();
  caller_context_ = current_context();
  context_ = caller_context_.child();
  context_.cancel = {};
  context_.deadline_ns =
      std::min(caller_context_.deadline_ns, saturating_add(start_ns_, config_.timeout_ns));
  completion_strand_ = &caller.strands->home(config_.key);
  config_.contract->stats.calls.fetch_add(1, std::memory_order_relaxed);
  {
    std::lock_guard lock(mutex_);
    handle_ = caller.on_bus->calls.insert(Ref<Call>::share(this));
    if (out != nullptr) *out = handle_;
    // From here on others can end the call. They wait for this lock, so they find the timer armed;
    // armed after the end it would keep the call until its deadline.
    if (context_.deadline_ns > start_ns_ && context_.deadline_ns != kNoDeadline) {
      caller.exec->timers().arm(*this, context_.deadline_ns);
    }
  }
  // A plugin that began to close between the caller's check and here has already aborted its calls.
  if (caller.on_bus->closing()) {
    abort({GANTRY_CANCELLED, caller.name + " is stopping", {}});
    return;
  }
  if (context_.deadline_ns <= start_ns_) {
    on_due();
    return;
  }
  CancelNode* parent = caller_context_.cancel.get();
  if (parent != nullptr) {
    if (!parent->adopt_child(*this)) {
      cancel();
      return;
    }
    std::unique_lock lock(mutex_);
    if (finished_) {  // ended before it was linked, so nobody else will unlink it
      lock.unlock();
      parent->disown_child(*this);
      return;
    }
  }
  const Ref<Demand> demand(Ref<Call>::share(this));
  if (config_.unlisted) {
    caller.bus->settle(demand, *config_.contract, {});
  } else {
    caller.bus->route(demand, *config_.contract);
  }
}

void Call::offer(const Ref<Provider>& provider) {
  gantry_host& server = *provider->host;
  {
    std::lock_guard lock(mutex_);
    if (finished_) return;
    provider_ = provider;
    server_strand_ =
        config_.key != 0 ? &server.strands->for_key(config_.key) : &server.strands->any();
    served_handle_ = server.on_bus->served.insert(Ref<Call>::share(this));
  }
  if (config_.from_json && !convert_request()) return;
  // Seen in this order, a server that closes now either finds the call in `served` or is seen here.
  if (server.on_bus->closing()) {
    abort({GANTRY_UNAVAILABLE,
           server.name + " is stopping and no longer serves " + contract().name,
           {}});
    return;
  }
  retain();
  server_strand_->post(request_item_, config_.lane);
}

bool Call::convert_request() {
  const gantry_contract* declared = contract().declaration(provider_->host);
  const gantry_type* type = declared != nullptr ? declared->first : nullptr;
  if (type == nullptr || type->decode == nullptr) return true;  // the server takes JSON as it is
  const gantry_body* decoded = nullptr;
  gantry_error error{};
  gantry_status status = GANTRY_INTERNAL;
  call_plugin(*config_.caller->exec, *provider_->host, "decode of a request",
              [&] { status = type->decode(config_.request.get()->json, &decoded, &error); });
  if (status == GANTRY_OK) {
    config_.request = BodyRef::adopt(decoded);
    return true;
  }
  Failure failure = Failure::copy(status, &error);
  release_buf(error.message);
  release_buf(error.detail);
  abort(std::move(failure));
  return false;
}

void Call::RequestItem::run() {
  call.serve();
  call.release();
}

void Call::RequestItem::drop() {
  call.abort({GANTRY_UNAVAILABLE,
              call.provider_->host->name + " stopped before it served " + call.contract().name +
                  closing_reason(*call.provider_->host),
              {}});
  call.release();
}

void Call::serve() {
  {
    std::lock_guard lock(mutex_);
    if (finished_) return;
  }
  retain();  // the server's reference
  server_refs_.store(1, std::memory_order_relaxed);
  Context context = context_;
  context.cancel = Ref<CancelNode>(Ref<Call>::share(this));
  const gantry_envelope envelope{sizeof(gantry_envelope),
                                 contract().id,
                                 context.trace_hi,
                                 context.trace_lo,
                                 context.span,
                                 context.parent_span,
                                 context.deadline_ns,
                                 config_.key,
                                 lane_to_abi(config_.lane),
                                 0,
                                 to_str(config_.caller->name)};
  gantry_host& server = *provider_->host;
  const bool returned = call_plugin(*server.exec, server, contract().name, [&] {
    ContextScope scope(context);
    provider_->call(provider_->user, this, config_.request.get(), &envelope);
  });
  if (!returned) {
    abort({GANTRY_INTERNAL,
           "an exception left the handler of " + contract().name + " in " + server.name,
           {}});
  }
  config_.request = {};
}

void Call::answer(gantry_status status, const gantry_body* response, const gantry_error* error) {
  bool again = false;
  {
    std::lock_guard lock(mutex_);
    again = answered_;
    answered_ = true;
  }
  if (again) {
    config_.caller->bus->report_double_completion(*provider_->host, contract());
    return;
  }
  if (status < GANTRY_OK || status > GANTRY_UNAUTHENTICATED) status = GANTRY_UNKNOWN;
  Failure failure;
  if (status != GANTRY_OK) {
    failure = Failure::copy(status, error);
    if (failure.message.empty()) {
      failure.message = provider_->host->name + " failed " + contract().name + " without a reason";
    }
    finish(std::move(failure), {}, true);
  } else {
    finish(std::move(failure), BodyRef::share(response), true);
  }
}

void Call::set_on_cancel(gantry_closure closure) {
  bool keep = false;
  {
    std::lock_guard lock(mutex_);
    keep = !has_on_cancel_ && !answered_ && !finished_;
    if (keep) {
      has_on_cancel_ = true;
      on_cancel_ = closure;
    }
  }
  if (!keep) run_or_drop_on_cancel(closure, given_up());
}

void Call::run_or_drop_on_cancel(const gantry_closure& closure, bool run) {
  gantry_host& server = *provider_->host;
  if (run && !server.on_bus->closing()) {
    ContextScope scope(context_);
    server_strand_->post(make_closure_item(server, closure), Lane::control);
  } else if (closure.drop != nullptr) {
    call_plugin(*server.exec, server, "drop of on_cancel", [&] { closure.drop(closure.user); });
  }
}

void Call::server_retain() { server_refs_.fetch_add(1, std::memory_order_relaxed); }

void Call::server_release() {
  if (server_refs_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  bool dropped = false;
  {
    std::lock_guard lock(mutex_);
    dropped = !answered_;
    answered_ = true;
  }
  if (dropped) {
    finish({GANTRY_INTERNAL,
            provider_->host->name + " dropped " + contract().name + " unanswered",
            {}},
           {}, true);
  }
  release();
}

void Call::give_up() {
  {
    std::lock_guard lock(mutex_);
    if (finished_) return;
  }
  cancel();
}

void Call::abort(Failure failure) { finish(std::move(failure), {}, false); }

void Call::on_due() {
  std::string server = "its provider";
  {
    std::lock_guard lock(mutex_);
    if (provider_) server = provider_->host->name;
  }
  abort({GANTRY_DEADLINE_EXCEEDED,
         contract().name + " got no answer from " + server + " within " +
             milliseconds(context_.deadline_ns - start_ns_),
         {}});
}

void Call::on_cancelled() {
  abort({GANTRY_CANCELLED, contract().name + " was cancelled by its caller", {}});
}

bool Call::finish(Failure failure, BodyRef response, bool by_server) {
  gantry_host& caller = *config_.caller;
  gantry_closure on_cancel{};
  Ref<Provider> provider;
  std::uint64_t served = 0;
  gantry_handle handle = 0;
  bool has_on_cancel = false;
  const std::int64_t end_ns = caller.exec->now_ns();
  {
    std::lock_guard lock(mutex_);
    if (finished_) return false;
    finished_ = true;
    failure_ = std::move(failure);
    response_ = std::move(response);
    end_ns_ = end_ns;
    provider = provider_;
    served = served_handle_;
    handle = handle_;
    std::swap(has_on_cancel, has_on_cancel_);
    on_cancel = on_cancel_;
  }
  const Ref<Call> self = Ref<Call>::share(this);  // the tables may hold the last references
  caller.exec->timers().disarm(*this);
  if (caller_context_.cancel) caller_context_.cancel->disown_child(*this);
  if (served != 0) provider->host->on_bus->served.take(served);
  if (!by_server) {
    config_.contract->stop_waiting(this);
    cancel();  // what the server began for this call has become pointless
  }
  if (has_on_cancel) run_or_drop_on_cancel(on_cancel, !by_server);
  record();
  if (config_.complete_inline) {
    complete();
  } else {
    retain();
    completion_strand_->post(completion_item_, config_.lane);
  }
  // Last: a caller that closes waits for the calls in this table, and so for their completions.
  caller.on_bus->end_call(handle);
  return true;
}

void Call::CompletionItem::run() {
  call.complete();
  call.release();
}

void Call::complete() {
  gantry_host& caller = *config_.caller;
  call_plugin(*caller.exec, caller, "completion", [&] {
    ContextScope scope(caller_context_);
    const gantry_error error = failure_.borrow();
    config_.completion(config_.user, failure_.code, response_.get(),
                       failure_.code == GANTRY_OK ? nullptr : &error);
  });
  response_ = {};
}

void Call::record() const {
  ContractStats& stats = config_.contract->stats;
  const std::int64_t duration = end_ns_ - start_ns_;
  stats.finished.fetch_add(1, std::memory_order_relaxed);
  if (failure_.code != GANTRY_OK) stats.errors.fetch_add(1, std::memory_order_relaxed);
  stats.add_latency(duration);
  FlightRecord record;
  record.start_ns = start_ns_;
  record.duration_ns = duration;
  record.contract = config_.contract->id;
  record.trace_hi = context_.trace_hi;
  record.trace_lo = context_.trace_lo;
  record.span = context_.span;
  record.parent_span = context_.parent_span;
  record.bytes = body_weight(response_.get());
  record.sender = static_cast<std::uint16_t>(config_.caller->index);
  record.receiver = provider_ ? static_cast<std::uint16_t>(provider_->host->index) : kNoHost;
  record.kind = GANTRY_CALL;
  record.lane = static_cast<std::uint8_t>(lane_to_abi(config_.lane));
  record.status = static_cast<std::uint8_t>(failure_.code);
  config_.caller->bus->recorder().add(record);
}

}  // namespace gantry::kernel
