// SPDX-License-Identifier: Apache-2.0
// Streams of gantry.host.bus/1 of FakeHost.
#include "world.hpp"

namespace gantry::testkit::detail {

namespace {

constexpr std::uint32_t kDefaultCredit = 16;

void give_credit(World& world, StreamSide& to, std::int64_t chunks) {
  to.credit += chunks;
  if (to.credit <= 0 || !std::exchange(to.wants_credit, false)) return;
  to.writable_due = true;
  world.schedule(to);
}

void end_side(StreamSide& side) {
  if (std::exchange(side.ended, true)) return;
  side.inbox.clear();
  if (side.attached && side.events.drop != nullptr) side.events.drop(side.user);
}

}  // namespace

void World::schedule(StreamSide& side) {
  if (!side.attached || side.ended) return;
  StreamSide* const at = &side;
  const auto drop = [at] { end_side(*at); };
  queue(
      *side.owner, GANTRY_LANE_INTERACTIVE, [this, at] { drain(*at); }, drop);
}

/// Delivers one thing; everything that becomes due schedules a drain of its own.
void World::drain(StreamSide& side) {
  if (side.ended) return;
  if (side.closed) {
    end_side(side);
  } else if (!side.inbox.empty()) {
    const BodyHold chunk = std::move(side.inbox.front());
    side.inbox.pop_front();
    if (side.events.on_chunk != nullptr) side.events.on_chunk(side.user, chunk.get());
    if (!side.manual_credit) give_credit(*this, side.pair->other(side), 1);
    if (side.end_due && side.inbox.empty()) schedule(side);
  } else if (side.end_due) {
    const BorrowedError raw(side.end_error);
    const bool normal = side.end_status == GANTRY_OK;
    if (side.events.on_end != nullptr) {
      side.events.on_end(side.user, side.end_status, normal ? nullptr : raw.get());
    }
    end_side(side);
  } else if (std::exchange(side.writable_due, false)) {
    if (side.events.on_writable != nullptr) side.events.on_writable(side.user);
  }
}

void World::close_side(StreamSide& side, gantry_status status, const Error& error) {
  if (side.closed || side.ended) return;
  side.closed = true;
  StreamSide& peer = side.pair->other(side);
  schedule(side);
  if (side.end_due || peer.closed || peer.ended) return;
  peer.end_due = true;
  peer.end_status = status;
  peer.end_error = error;
  if (peer.inbox.empty()) schedule(peer);
}

namespace {

gantry_status open_stream(gantry_host* host, std::uint64_t id, const gantry_body* opening,
                          const gantry_stream_options* options, const gantry_stream_events* events,
                          void* user, gantry_stream** out, gantry_error* error) {
  Participant& opener = Participant::of(host);
  World& world = *opener.world;
  Contract* contract = world.expect(id, GANTRY_STREAM, error);
  if (contract == nullptr) {
    if (events->drop != nullptr) events->drop(user);
    return GANTRY_NOT_FOUND;
  }
  auto& pair = *world.streams.emplace_back(std::make_unique<StreamPair>());
  pair.world = &world;
  pair.contract = contract->name;
  StreamSide& mine = pair.sides[0];
  StreamSide& theirs = pair.sides[1];
  mine.pair = theirs.pair = &pair;
  mine.owner = &opener;
  mine.events = *events;
  mine.user = user;
  mine.attached = true;
  mine.references = 1;
  mine.manual_credit = options != nullptr && options->manual_credit != 0;
  if (options != nullptr && options->receive_credit != 0) theirs.credit = options->receive_credit;
  *out = mine.raw();

  const auto provider =
      world.choose(*contract, options != nullptr ? view(options->target) : std::string_view{});
  world.calls.push_back({contract->name, opener.name,
                         provider ? provider->owner->name : std::string(), body_text(opening)});
  theirs.owner = provider ? provider->owner : &opener;
  if (!provider) {
    world.close_side(theirs, GANTRY_UNAVAILABLE, unavailable("nobody serves " + contract->name));
    return GANTRY_OK;
  }
  StreamSide* const at = &theirs;
  const auto accept = [provider, at, id, request = BodyHold(opening), sender = opener.name] {
    gantry_envelope envelope{};
    envelope.size = sizeof envelope;
    envelope.contract = id;
    envelope.deadline_ns = kNever;
    envelope.sender = to_str(sender);
    at->references = 1;
    provider->accept(provider->user, at->raw(), request.get(), &envelope);
  };
  const auto drop = [&world, at] {
    world.close_side(*at, GANTRY_UNAVAILABLE, unavailable("the provider stopped"));
  };
  world.queue(*provider->owner, GANTRY_LANE_INTERACTIVE, accept, drop);
  return GANTRY_OK;
}

gantry_status stream_accept(gantry_stream* stream, const gantry_stream_options* options,
                            const gantry_stream_events* events, void* user) {
  StreamSide& side = StreamSide::of(stream);
  World& world = *side.pair->world;
  if (side.attached || side.closed) {
    if (events->drop != nullptr) events->drop(user);
    return GANTRY_FAILED_PRECONDITION;
  }
  side.attached = true;
  side.events = *events;
  side.user = user;
  side.manual_credit = options != nullptr && options->manual_credit != 0;
  if (options != nullptr && options->receive_credit != 0) {
    give_credit(world, side.pair->other(side),
                std::int64_t{options->receive_credit} - kDefaultCredit);
  }
  for (std::size_t i = 0; i < side.inbox.size(); ++i) world.schedule(side);
  if (side.end_due && side.inbox.empty()) world.schedule(side);
  return GANTRY_OK;
}

gantry_status stream_send(gantry_stream* stream, const gantry_body* chunk) {
  StreamSide& side = StreamSide::of(stream);
  StreamSide& to = side.pair->other(side);
  if (side.closed || side.end_due || to.closed) return GANTRY_FAILED_PRECONDITION;
  if (side.credit <= 0) {
    side.wants_credit = true;
    return GANTRY_RESOURCE_EXHAUSTED;
  }
  --side.credit;
  to.inbox.emplace_back(chunk);
  side.pair->world->schedule(to);
  return GANTRY_OK;
}

void stream_grant(gantry_stream* stream, std::uint32_t chunks) {
  StreamSide& side = StreamSide::of(stream);
  if (side.manual_credit) give_credit(*side.pair->world, side.pair->other(side), chunks);
}

void stream_close(gantry_stream* stream, gantry_status status, const gantry_error* error) {
  StreamSide& side = StreamSide::of(stream);
  side.pair->world->close_side(side, status, share_error(status, error));
}

void stream_release(gantry_stream* stream) {
  StreamSide& side = StreamSide::of(stream);
  if (--side.references != 0 || side.attached || side.closed) return;
  side.pair->world->close_side(
      side, GANTRY_INTERNAL,
      internal_error("the opening of " + side.pair->contract + " was dropped"));
}

}  // namespace

void fill_stream_functions(gantry_host_bus& table) {
  table.open_stream = open_stream;
  table.stream_accept = stream_accept;
  table.stream_send = stream_send;
  table.stream_grant = stream_grant;
  table.stream_close = stream_close;
  table.stream_retain = [](gantry_stream* s) { ++StreamSide::of(s).references; };
  table.stream_release = stream_release;
}

}  // namespace gantry::testkit::detail
