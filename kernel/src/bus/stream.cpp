// SPDX-License-Identifier: Apache-2.0
#include "bus/stream.hpp"

#include "bus/bus.hpp"
#include "bus/host_bus.hpp"
#include "exec/exec.hpp"
#include "exec/strand_group.hpp"
#include "host.hpp"

namespace gantry::kernel {

namespace {
constexpr std::uint32_t kDefaultCredit = 16;
// Chunks of one stream before others on its strand get their turn: of a quick burst, and of one
// whose handlers take their time.
constexpr int kQuickBatch = 32;
constexpr int kSlowBatch = 16;
constexpr std::int64_t kQuickNs = 200'000;

std::uint32_t credit_of(const gantry_stream_options& options) {
  return options.receive_credit != 0 ? options.receive_credit : kDefaultCredit;
}
}  // namespace

StreamLink::StreamLink(StreamConfig config)
    : opener_(config.opener),
      contract_(config.contract),
      opening_(std::move(config.opening)),
      key_(config.options.key),
      target_(std::move(config.target)) {
  for (Side& side : sides_) {
    side.link = this;
    side.lane = lane_from_abi(config.options.lane);
  }
  Side& mine = sides_[0];
  mine.host = opener_;
  mine.events = config.events;
  mine.user = config.user;
  mine.attached = true;
  mine.manual_credit = config.options.manual_credit != 0;
  mine.credit = kDefaultCredit;
  sides_[1].credit = credit_of(config.options);
}

Context StreamLink::context() const {
  Context context;
  context.trace_hi = trace_.hi;
  context.trace_lo = trace_.lo;
  context.span = trace_.span;
  context.parent_span = trace_.parent;
  return context;
}

const std::string& StreamLink::name() const { return contract_->name; }

StreamLink::~StreamLink() = default;

void StreamLink::start(gantry_stream*& out) {
  start_ns_ = opener_->exec->now_ns();
  const Context begun = current_context().child();
  trace_ = {begun.trace_hi, begun.trace_lo, begun.span, begun.parent_span};
  contract_->stats.streams.fetch_add(1, std::memory_order_relaxed);
  Side& mine = sides_[0];
  StrandGroup& strands = *opener_->strands;
  mine.strand = key_ != 0 ? &strands.for_key(key_) : &strands.home(trace_.span);
  {
    std::lock_guard lock(mutex_);
    mine.handle = opener_->on_bus->streams.insert(Ref<StreamLink>::share(this));
  }
  retain();  // for the opener's reference
  mine.refs.store(1);
  out = &mine;
  if (opener_->on_bus->closing()) {
    host_stops(*opener_);
  } else {
    opener_->bus->route(Ref<Demand>(Ref<StreamLink>::share(this)), *contract_);
  }
}

void StreamLink::offer(const Ref<Provider>& provider) {
  gantry_host& server = *provider->host;
  Side& side = sides_[1];
  {
    std::lock_guard lock(mutex_);
    if (sides_[0].closed && sides_[1].inbox.empty()) return;  // the opener gave up meanwhile
    provider_ = provider;
    side.host = &server;
    side.strand = &server.strands->for_key(key_ != 0 ? key_ : trace_.span);
    side.handle = server.on_bus->streams.insert(Ref<StreamLink>::share(this));
  }
  if (server.on_bus->closing()) {
    host_stops(server);
    return;
  }
  retain();
  side.strand->post(opening_item_, side.lane);
}

void StreamLink::refuse(Failure failure) { close_side(sides_[1], std::move(failure)); }

void StreamLink::OpeningItem::run() {
  Side& side = link.sides_[1];
  gantry_host& server = *side.host;
  const Context context = link.context();
  const gantry_envelope envelope{sizeof(gantry_envelope),
                                 link.contract_->id,
                                 context.trace_hi,
                                 context.trace_lo,
                                 context.span,
                                 context.parent_span,
                                 kNoDeadline,
                                 link.key_,
                                 lane_to_abi(side.lane),
                                 0,
                                 to_str(link.opener_->name)};
  link.retain();  // for the server's reference
  side.refs.store(1);
  const bool returned = call_plugin(*server.exec, server, link.name(), [&] {
    ContextScope scope(context);
    link.provider_->accept(link.provider_->user, &side, link.opening_.get(), &envelope);
  });
  if (!returned) {
    link.close_side(
        side, {GANTRY_INTERNAL, "an exception left the accept handler of " + link.name(), {}});
  }
  link.opening_ = {};
  link.release();
}

void StreamLink::OpeningItem::drop() {
  link.close_side(link.sides_[1],
                  {GANTRY_UNAVAILABLE,
                   link.sides_[1].host->name + " stopped before it accepted " + link.name(),
                   {}});
  link.release();
}

gantry_status StreamLink::accept(gantry_stream* stream, const gantry_stream_options* options,
                                 const gantry_stream_events* events, void* user) {
  Side& side = side_of(stream);
  StreamLink& link = *side.link;
  const gantry_stream_options chosen = options != nullptr ? *options : gantry_stream_options{};
  bool refused = false, post_mine = false, post_other = false;
  {
    std::lock_guard lock(link.mutex_);
    refused = side.attached || side.closed || events == nullptr;
    if (!refused) {
      side.attached = true;
      side.events = *events;
      side.user = user;
      side.manual_credit = chosen.manual_credit != 0;
      // Chunks that were sent before used the default credit.
      link.give_credit(link.other(side), std::int64_t{credit_of(chosen)} - kDefaultCredit,
                       post_other);
      post_mine = (!side.inbox.empty() || side.end_due || side.writable_due) && link.schedule(side);
    }
  }
  if (refused) {
    if (events != nullptr && events->drop != nullptr) events->drop(user);
    return GANTRY_FAILED_PRECONDITION;
  }
  if (post_mine) link.post_drain(side);
  if (post_other) link.post_drain(link.other(side));
  return GANTRY_OK;
}

gantry_status StreamLink::send(gantry_stream* stream, const gantry_body* chunk) {
  Side& side = side_of(stream);
  StreamLink& link = *side.link;
  Side& to = link.other(side);
  if (chunk == nullptr) return GANTRY_INVALID_ARGUMENT;
  BodyRef body = BodyRef::share(chunk);
  bool post = false;
  {
    std::lock_guard lock(link.mutex_);
    if (side.closed || side.end_due || to.closed) return GANTRY_FAILED_PRECONDITION;
    if (side.credit <= 0) {
      side.wants_credit = true;
      return GANTRY_RESOURCE_EXHAUSTED;
    }
    --side.credit;
    to.inbox.push_back(std::move(body));
    post = to.attached && link.schedule(to);
  }
  if (post) link.post_drain(to);
  return GANTRY_OK;
}

void StreamLink::give_credit(Side& to, std::int64_t chunks, bool& post) {
  to.credit += chunks;
  if (to.credit <= 0 || !to.wants_credit || to.closed || to.end_due) return;
  to.wants_credit = false;
  to.writable_due = true;
  post = to.attached && schedule(to);
}

void StreamLink::grant(gantry_stream* stream, std::uint32_t chunks) {
  Side& side = side_of(stream);
  StreamLink& link = *side.link;
  bool post = false;
  {
    std::lock_guard lock(link.mutex_);
    if (!side.manual_credit) return;  // credit already returns by itself
    link.give_credit(link.other(side), chunks, post);
  }
  if (post) link.post_drain(link.other(side));
}

void StreamLink::close(gantry_stream* stream, Failure failure) {
  Side& side = side_of(stream);
  side.link->close_side(side, std::move(failure));
}

void StreamLink::close_side(Side& side, Failure failure) {
  const Ref<StreamLink> self = Ref<StreamLink>::share(this);  // the tables may hold the last ones
  Side& peer = other(side);
  const gantry_status status = failure.code;
  bool post_mine = false, post_peer = false, unattached = false, undelivered = false;
  Ring<BodyRef, 0> discarded;
  FlightRecord note;
  {
    std::lock_guard lock(mutex_);
    // When the other side closed first, the stream has ended already: what is on its way still
    // comes, and then on_end. Only an opening that nobody accepted is thrown away.
    if (side.closed || side.ended || (side.end_due && side.attached)) return;
    const bool first = !side.end_due;
    side.closed = true;
    discarded.swap(side.inbox);
    unattached = !side.attached;
    post_mine = side.attached && schedule(side);
    if (first && !peer.closed) {
      peer.end_due = true;
      if (status != GANTRY_OK) peer.end = std::make_unique<Failure>(std::move(failure));
      undelivered = !peer.inbox.empty();
      post_peer = peer.attached && schedule(peer);
    }
    note = record_for(side);
  }
  record(note, start_ns_, opener_->exec->now_ns(), 0, status);
  if (status != GANTRY_OK) {
    contract_->stats.errors.fetch_add(1, std::memory_order_relaxed);
  }
  if (!undelivered) contract_->stop_waiting(this);
  if (post_mine) post_drain(side);
  if (unattached) forget(side);
  if (post_peer) post_drain(peer);
}

void StreamLink::host_stops(const gantry_host& host) {
  for (Side& side : sides_) {
    {
      std::lock_guard lock(mutex_);
      if (side.host != &host) continue;
    }
    close_side(side, {GANTRY_UNAVAILABLE, host.name + " is stopping", {}});
  }
}

bool StreamLink::schedule(Side& side) {
  if (side.scheduled || side.ended) return false;
  side.scheduled = true;
  return true;
}

void StreamLink::post_drain(Side& side) {
  retain();
  side.strand->post(side, side.lane);
}

void StreamLink::Side::run() {
  StreamLink& of = *link;
  of.deliver(*this);
  of.release();
}

void StreamLink::Side::drop() {
  StreamLink& of = *link;
  {
    std::unique_lock lock(of.mutex_);
    closed = true;  // the plugin stops: no handler any more
    scheduled = false;
    of.drop_side(*this, lock);
  }
  of.release();
}

bool StreamLink::Batch::full() {
  ++done;
  return done >= kQuickBatch || (done >= kSlowBatch && now_ns - begun_ns >= kQuickNs);
}

void StreamLink::deliver(Side& side) {
  bool again = false;
  {
    std::unique_lock lock(mutex_);
    Batch batch;
    while (deliver_one(side, lock, batch) && !batch.full()) {
    }
    again =
        !side.ended && (side.closed || !side.inbox.empty() || side.writable_due || side.end_due);
    side.scheduled = again;
  }
  if (again) post_drain(side);
}

// false: there is nothing more to deliver now.
bool StreamLink::deliver_one(Side& side, std::unique_lock<std::mutex>& lock, Batch& batch) {
  if (side.ended) return false;
  if (side.closed) {
    drop_side(side, lock);
    return false;
  }
  if (!side.inbox.empty()) {
    deliver_chunk(side, lock, batch);
    return true;
  }
  if (side.end_due) {
    deliver_end(side, lock);
    return false;
  }
  if (!side.writable_due) return false;
  side.writable_due = false;
  lock.unlock();
  if (side.events.on_writable != nullptr) {
    call_plugin(*side.host->exec, *side.host, "on_writable", [&] {
      const Context own = context();
      ContextScope scope(own);
      side.events.on_writable(side.user);
    });
  }
  lock.lock();
  return true;
}

void StreamLink::deliver_chunk(Side& side, std::unique_lock<std::mutex>& lock, Batch& batch) {
  BodyRef chunk = side.inbox.pop_front();
  lock.unlock();
  const std::size_t bytes = body_weight(chunk.get());
  const std::int64_t start_ns = side.host->exec->now_ns();
  if (batch.now_ns == 0) batch.begun_ns = start_ns;
  if (side.events.on_chunk != nullptr) {
    call_plugin(*side.host->exec, *side.host, "on_chunk", [&] {
      const Context own = context();
      ContextScope scope(own);
      side.events.on_chunk(side.user, chunk.get());
    });
  }
  chunk = {};
  contract_->stats.chunks.fetch_add(1, std::memory_order_relaxed);
  batch.now_ns = side.host->exec->now_ns();
  record(record_for(side), start_ns, batch.now_ns, bytes, GANTRY_OK);
  bool post = false;
  Side& peer = other(side);
  lock.lock();
  if (!side.manual_credit) give_credit(peer, 1, post);
  if (!post) return;
  lock.unlock();
  post_drain(peer);
  lock.lock();
}

void StreamLink::deliver_end(Side& side, std::unique_lock<std::mutex>& lock) {
  side.ended = true;
  const std::unique_ptr<Failure> end = std::move(side.end);
  lock.unlock();
  call_plugin(*side.host->exec, *side.host, "on_end", [&] {
    const Context own = context();
    ContextScope scope(own);
    if (side.events.on_end == nullptr) return;
    if (end == nullptr) {
      side.events.on_end(side.user, GANTRY_OK, nullptr);
    } else {
      const gantry_error error = end->borrow();
      side.events.on_end(side.user, end->code, &error);
    }
  });
  if (side.events.drop != nullptr) {
    call_plugin(*side.host->exec, *side.host, "drop of a stream",
                [&] { side.events.drop(side.user); });
  }
  forget(side);
  lock.lock();
}

void StreamLink::drop_side(Side& side, std::unique_lock<std::mutex>& lock) {
  if (side.ended) return;
  side.ended = true;
  Ring<BodyRef, 0> discarded;
  discarded.swap(side.inbox);
  lock.unlock();
  if (side.attached && side.events.drop != nullptr) {
    call_plugin(*side.host->exec, *side.host, "drop of a stream",
                [&] { side.events.drop(side.user); });
  }
  discarded = {};
  forget(side);
  lock.lock();
}

void StreamLink::forget(Side& side) {
  gantry_host* host = nullptr;
  std::uint64_t handle = 0;
  {
    std::lock_guard lock(mutex_);
    host = side.host;
    std::swap(handle, side.handle);
  }
  if (handle != 0) host->on_bus->streams.take(handle);
}

void StreamLink::retain_side(gantry_stream* stream) {
  side_of(stream).refs.fetch_add(1, std::memory_order_relaxed);
}

void StreamLink::release_side(gantry_stream* stream) {
  Side& side = side_of(stream);
  if (side.refs.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  StreamLink& link = *side.link;
  bool abandoned = false;
  {
    std::lock_guard lock(link.mutex_);
    abandoned = !side.attached && !side.closed;
  }
  // Nobody is left who could accept it, so the opener must not wait for that.
  if (abandoned) {
    link.close_side(side,
                    {GANTRY_INTERNAL,
                     side.host->name + " dropped the opening of " + link.name() + " unanswered",
                     {}});
  }
  link.release();
}

FlightRecord StreamLink::record_for(const Side& receiver) const {
  const gantry_host* to = receiver.host;
  const gantry_host* from = other(receiver).host;
  FlightRecord record;
  record.sender = from != nullptr ? static_cast<std::uint16_t>(from->index) : kNoHost;
  record.receiver = to != nullptr ? static_cast<std::uint16_t>(to->index) : kNoHost;
  record.lane = static_cast<std::uint8_t>(lane_to_abi(receiver.lane));
  return record;
}

void StreamLink::record(FlightRecord record, std::int64_t start_ns, std::int64_t end_ns,
                        std::size_t bytes, gantry_status status) {
  record.start_ns = start_ns;
  record.duration_ns = end_ns - start_ns;
  record.contract = contract_->id;
  record.trace_hi = trace_.hi;
  record.trace_lo = trace_.lo;
  record.span = trace_.span;
  record.parent_span = trace_.parent;
  record.bytes = bytes;
  record.kind = GANTRY_STREAM;
  record.status = static_cast<std::uint8_t>(status);
  opener_->bus->recorder().add(record);
}

}  // namespace gantry::kernel
