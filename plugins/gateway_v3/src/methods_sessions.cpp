// SPDX-License-Identifier: Apache-2.0
// Sessions: listing, reading, naming, emptying, shortening, deleting.
#include <gantry/contracts/session.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "call.hpp"
#include "rows.hpp"
#include "run_view.hpp"
#include "session_keys.hpp"

namespace gantry::gateway {
namespace {

namespace json = boost::json;

constexpr std::int64_t kUsualLimit = 20;
constexpr std::int64_t kMostLimit = 1000;
constexpr std::size_t kShort = 6;  // messages below which nothing is compacted
constexpr auto kCompactTimeout = std::chrono::minutes(10);

/// What a list is to have.
struct Wanted {
  std::string agent;
  std::string channel;
  std::int64_t limit = kUsualLimit;
  std::int64_t offset = 0;
};

Wanted wanted(const json::object& params) {
  Wanted out;
  out.agent = text(params, kAgent);
  out.channel = text(params, "channel");
  out.limit =
      std::clamp<std::int64_t>(integer(params, "limit").value_or(kUsualLimit), 1, kMostLimit);
  out.offset = std::max<std::int64_t>(integer(params, "offset").value_or(0), 0);
  return out;
}

/// A session with the name that it has here.
struct Named {
  SessionInfo info;
  std::string key;
};

bool fits(const Named& row, const Wanted& want) {
  const KeyParts parts = parts_of(row.key);
  return (want.agent.empty() || parts.agent == want.agent) &&
         (want.channel.empty() || parts.channel == want.channel);
}

json::object row_of(const Call& call, const Named& row) {
  const SessionOwner* owner = call.server.sessions().find(row.key);
  return session_row(row.info, row.key, owner == nullptr ? call.who.user : owner->user,
                     call.server.agents().find(parts_of(row.key).agent).get());
}

json::object list_of(const Call& call, const std::vector<Named>& rows, std::int64_t total,
                     const Wanted& want) {
  json::array out;
  for (const Named& row : rows) out.push_back(row_of(call, row));
  return {{"sessions", std::move(out)},
          {"total", total},
          {"limit", want.limit},
          {"offset", want.offset}};
}

/// Whether the engine's own pages are what is wanted: one principal, and nothing is left out.
bool engine_pages(const Call& call, const Wanted& want, std::size_t principals) {
  const bool any_agent = want.agent.empty() || (call.server.agents().all().size() == 1 &&
                                                call.server.agents().usual()->key == want.agent);
  return principals == 1 && any_agent && want.channel.empty();
}

/// The first `most` sessions of a principal that fit.
struct Found {
  std::vector<Named> rows;
  std::int64_t total = 0;  // of all that fit
};

Task<Result<Found>> first_of(CallPtr call, std::string principal, Wanted want, std::int64_t most) {
  const std::string usual = call->server.agents().usual()->key;
  const bool all_fit = want.agent.empty() && want.channel.empty();
  Found out;
  SessionListRequest request;
  request.principal = principal;
  // Sessions begun elsewhere have their owner in the key: only he can be shown them.
  if (principal != call->who.principal) request.workspace = kWorkspace;
  request.limit = static_cast<std::int32_t>(all_fit ? std::min(most, kMostLimit) : kMostLimit);
  for (;;) {
    SessionListRequest page = request;
    const auto list = co_await ask<SessionList>(call->host(), std::move(page));
    if (!list.ok()) co_return list.error();
    for (const SessionInfo& info : (*list)->sessions) {
      Named row{info, wire_key(info.session, usual)};
      if (fits(row, want)) out.rows.push_back(std::move(row));
    }
    const auto found = static_cast<std::int64_t>(out.rows.size());
    request.offset += static_cast<std::int64_t>((*list)->sessions.size());
    const bool last = (*list)->sessions.empty() || request.offset >= (*list)->total;
    out.total = all_fit ? (*list)->total : found;
    if (last || (all_fit && found >= most)) co_return out;
  }
}

Task<Answer> patch(CallPtr call, NamedSession named, SessionPatchRequest request) {
  request.session = named.access.session;
  const std::optional<std::string> title = request.title;
  const auto patched = co_await ask<SessionPatch>(call->host(), std::move(request));
  if (!patched.ok()) co_return session_failed(named.key, patched.error());
  if (title) {
    call->server.tell(
        named.access.session.principal, "session.updated",
        json::object{{"sessionKey", named.key}, {"label", *title}, {"userId", named.access.user}});
  }
  co_return fine(json::object{{"ok", true}, {"key", named.key}});
}

}  // namespace

Task<Answer> sessions_list(CallPtr call) {
  const Wanted want = wanted(call->params());
  const std::set<std::string> principals = seen_principals(*call);
  const std::string usual = call->server.agents().usual()->key;
  if (engine_pages(*call, want, principals.size())) {
    SessionListRequest request;
    request.principal = *principals.begin();
    request.limit = static_cast<std::int32_t>(want.limit);
    request.offset = want.offset;
    const bool own = request.principal == call->who.principal;
    if (!own) request.workspace = kWorkspace;
    const auto list = co_await ask<SessionList>(call->host(), std::move(request));
    if (!list.ok()) co_return failed(list.error());
    std::vector<Named> rows;
    for (const SessionInfo& info : (*list)->sessions) {
      rows.push_back({info, wire_key(info.session, usual)});
    }
    co_return fine(list_of(*call, rows, (*list)->total, want));
  }
  std::vector<Named> rows;
  std::int64_t total = 0;
  constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max();
  const std::int64_t most = std::min(want.offset, kEndless - want.limit) + want.limit;
  for (const std::string& principal : principals) {
    // However late the others' changes were, the page has no more of this one's.
    auto listing = first_of(call, principal, want, most);
    auto found = co_await std::move(listing);
    if (!found.ok()) co_return failed(found.error());
    total += found->total;
    std::move(found->rows.begin(), found->rows.end(), std::back_inserter(rows));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Named& a, const Named& b) {
    return a.info.updated_ms > b.info.updated_ms;
  });
  const auto from = rows.begin() + std::min(want.offset, static_cast<std::int64_t>(rows.size()));
  const std::vector<Named> shown(from, from + std::min(want.limit, rows.end() - from));
  co_return fine(list_of(*call, shown, total, want));
}

Task<Answer> sessions_preview(CallPtr call, NamedSession named) {
  auto reading = history_of(call, named.access.session);
  const auto rows = co_await std::move(reading);
  if (!rows.ok()) co_return session_failed(named.key, rows.error());
  co_return fine(json::object{{"key", named.key},
                              {"messages", history_rows((*rows)->rows)},
                              {"summary", summary_of((*rows)->rows)}});
}

Task<Answer> sessions_patch(CallPtr call, NamedSession named) {
  SessionPatchRequest request;
  request.title = given_text(call->params(), "label");
  const json::object* metadata = object(call->params(), "metadata");
  const auto model = given_text(call->params(), "model");
  if (metadata != nullptr || model) {
    json::object all;
    auto looking = look_up(call, named.access.session);
    const auto info = co_await std::move(looking);
    if (info.ok()) {
      const json::value has = value_of((*info)->metadata);
      if (has.is_object()) all = has.get_object();
    }
    if (metadata != nullptr) {
      for (const auto& member : *metadata) all[member.key()] = member.value();
    }
    if (model) all["modelOverride"] = *model;
    request.metadata = Json(json::serialize(all));
  }
  auto patching = patch(call, std::move(named), std::move(request));
  co_return co_await std::move(patching);
}

Task<Answer> sessions_label(CallPtr call, NamedSession named) {
  SessionPatchRequest request;
  request.title = given_text(call->params(), "label");
  if (!request.title) co_return refused(wire::kInvalidRequest, "label is required");
  auto patching = patch(call, std::move(named), std::move(request));
  co_return co_await std::move(patching);
}

Task<Answer> sessions_delete(CallPtr call, NamedSession named) {
  SessionDeleteRequest request;
  request.session = named.access.session;
  const auto gone = co_await ask<SessionDelete>(call->host(), std::move(request));
  if (!gone.ok() && gone.error().code != Code::NotFound) co_return failed(gone.error());
  if (!gone.ok() && !call->who.at_least(Role::Admin)) {
    co_return no_session(named.key);
  }
  auto forgetting = call->server.sessions().forget(named.key);
  const Result<void> forgotten = co_await std::move(forgetting);
  if (!forgotten.ok()) {
    call->host().log().warn("the owner of a deleted session is still in the store",
                            {{"reason", forgotten.error().message}});
  }
  co_return fine(json::object{{"ok", true}});
}

Task<Answer> sessions_reset(CallPtr call, NamedSession named) {
  auto looking = look_up(call, named.access.session);
  const auto there = co_await std::move(looking);
  if (!there.ok()) co_return session_failed(named.key, there.error());
  SessionRehydrateRequest request;
  request.session = named.access.session;
  request.source = "gateway_v3";
  const auto emptied = co_await ask<SessionRehydrate>(call->host(), std::move(request));
  if (!emptied.ok()) co_return failed(emptied.error());
  co_return fine(json::object{{"ok", true}});
}

Task<Answer> sessions_compact(CallPtr call, NamedSession named) {
  auto reading = history_of(call, named.access.session);
  const auto before = co_await std::move(reading);
  if (!before.ok()) co_return session_failed(named.key, before.error());
  const std::size_t original = (*before)->rows.size();
  if (original < kShort) {
    co_return fine(json::object{
        {"ok", true}, {"message", "session too short to compact"}, {"kept", original}});
  }
  SessionCompactRequest request;
  request.session = named.access.session;
  request.keep_last = static_cast<std::int32_t>(integer(call->params(), "keepLast").value_or(4));
  CallOptions options;
  options.timeout = kCompactTimeout;
  const auto report =
      co_await ask<SessionCompact>(call->host(), std::move(request), std::move(options));
  if (!report.ok()) co_return failed(report.error());
  const std::size_t kept = (*report)->skipped.empty() ? (*report)->rows.size() : original;
  json::object payload{{"ok", true}, {"original", original}, {"kept", kept}};
  if (!(*report)->skipped.empty()) payload["message"] = (*report)->skipped;
  co_return fine(std::move(payload));
}

}  // namespace gantry::gateway
