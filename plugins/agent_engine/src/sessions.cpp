// SPDX-License-Identifier: Apache-2.0
#include "sessions.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "event.hpp"
#include "ids.hpp"
#include "leftover.hpp"

namespace gantry::agent {
namespace {

constexpr std::int32_t kSessionPage = 500;
constexpr std::size_t kReadTogether = 32;
constexpr std::int64_t kIdleNs = 20'000'000'000;  // people think longer; the store has it again

}  // namespace

struct Sessions::Loading {
  Pointer session;
  std::vector<Found> waiting;
  std::shared_ptr<Leftover> leftover;
  bool exists = false;
  SessionRecord record;
  History history;
  std::uint64_t snapshot = 0;
  std::uint64_t last = 0;
};

void Sessions::ready() {
  ready_ = true;
  for (const auto& work : std::exchange(waiting_, {})) work();
}

void Sessions::find(const SessionKey& key, Found found) {
  if (ready_) return find_now(key, std::move(found));
  waiting_.push_back([this, key, found = std::move(found)] { find_now(key, found); });
}

std::string Sessions::id_of(const SessionKey& key) const {
  const auto known = ids_.find(key);
  return known != ids_.end() ? known->second : session_id(key);
}

Sessions::Pointer Sessions::loaded(const SessionKey& key) const {
  const auto found = sessions_.find(id_of(key));
  return found == sessions_.end() ? nullptr : found->second;
}

void Sessions::find_now(const SessionKey& key, Found found, std::shared_ptr<Leftover> leftover) {
  const std::string id = id_of(key);
  if (const auto known = sessions_.find(id); known != sessions_.end()) {
    if (known->second->deleting) {
      return found(Error{Code::Aborted, "the session is being deleted", {}});
    }
    if (!known->second->journal().failure()) {
      known->second->used_ns = host_.monotonic_ns();
      return found(known->second);
    }
    // What was not written did not happen: it is read again from what did, once nothing of it is
    // under way to the store any more.
    const bool goes_on = known->second->running || !known->second->line.empty();
    if (goes_on || !known->second->journal().idle()) {
      return found(Error(*known->second->journal().failure()));
    }
    sessions_.erase(known);
  }
  auto& loading = loading_[id];
  if (loading) return loading->waiting.push_back(std::move(found));
  loading = std::make_shared<Loading>();
  loading->session = std::make_shared<Session>(host_, store_, key);
  loading->session->on_kept = [this, session = loading->session.get()] {
    lists_.changed(session->id(), session->record);
  };
  loading->waiting.push_back(std::move(found));
  loading->leftover = std::move(leftover);
  load(loading);
}

/// Sessions that are asked for in one go are read in one go.
void Sessions::load(const std::shared_ptr<Loading>& loading) {
  unread_.push_back(loading);
  if (unread_.size() > 1) return;
  const ContextScope scope = store_.detach();
  host_.post([this] {
    const auto all = std::exchange(unread_, {});
    for (std::size_t from = 0; from < all.size(); from += kReadTogether) {
      const std::size_t count = std::min(kReadTogether, all.size() - from);
      const auto some = std::span(all).subspan(from, count);
      read_together({some.begin(), some.end()});
    }
  });
}

void Sessions::read_together(std::vector<std::shared_ptr<Loading>> some) {
  StoreGetRequest get;
  get.collection = kSessionDocuments;
  for (const auto& loading : some) get.keys.push_back(loading->session->document());
  store_.get(std::move(get), [this, some = std::move(some)](const auto& found) {
    // One that is damaged does not keep the others from being read.
    if (!found.ok() && some.size() > 1) {
      for (const auto& loading : some) read_together({loading});
      return;
    }
    for (const auto& loading : some) take_record(loading, found);
  });
}

void Sessions::take_record(const std::shared_ptr<Loading>& loading,
                           const Result<Ref<StoreDocuments>>& found) {
  if (!found.ok()) return finish(loading, found.error());
  const auto& documents = (*found)->documents;
  const auto stored = std::find_if(documents.begin(), documents.end(), [&](const auto& document) {
    return document.key == loading->session->document();
  });
  if (stored == documents.end()) return finish(loading, Result<void>());
  auto record = record_of(*stored);
  if (!record.ok()) return finish(loading, record.error());
  loading->exists = true;
  loading->record = std::move(*record);
  read_snapshot(loading);
}

void Sessions::read_snapshot(const std::shared_ptr<Loading>& loading) {
  StoreGetRequest get;
  get.collection = kSnapshotDocuments;
  get.keys = {loading->session->id()};
  store_.get(std::move(get), [this, loading](const Result<Ref<StoreDocuments>>& found) {
    if (!found.ok()) return finish(loading, found.error());
    if (!(*found)->documents.empty()) {
      auto snapshot = from_json<HistorySnapshot>((*found)->documents.front().body.text);
      if (!snapshot.ok()) {
        return finish(loading,
                      Error{Code::DataLoss,
                            "a session's history cannot be read: " + snapshot.error().message,
                            {}});
      }
      loading->history = std::move(snapshot->history);
      loading->snapshot = loading->last = static_cast<std::uint64_t>(snapshot->through);
    }
    read_page(loading);
  });
}

void Sessions::read_page(const std::shared_ptr<Loading>& loading) {
  StoreReadLogRequest read;
  read.log = loading->session->id();
  read.after = static_cast<std::int64_t>(loading->last);
  read.limit = kSessionPage;
  store_.read_log(std::move(read), [this, loading](const Result<Ref<StoreLogPage>>& page) {
    if (!page.ok()) return finish(loading, page.error());
    take_page(loading, **page);
  });
}

void Sessions::take_page(const std::shared_ptr<Loading>& loading, const StoreLogPage& page) {
  for (const StoredEntry& entry : page.entries) {
    auto event = from_entry(entry);
    if (!event.ok()) return finish(loading, event.error());
    if (const auto applied = apply(loading->history, *event); !applied.ok()) {
      return finish(loading, applied);
    }
    if (loading->leftover) collect(*loading->leftover, *event);
    loading->last = event->sequence;
  }
  if (page.more) return read_page(loading);
  loading->last = static_cast<std::uint64_t>(page.last);
  finish(loading, Result<void>());
}

void Sessions::finish(const std::shared_ptr<Loading>& loading, const Result<void>& result) {
  const Pointer session = loading->session;
  loading_.erase(session->id());
  if (result.ok()) {
    session->restore(loading->exists, std::move(loading->record), std::move(loading->history),
                     loading->snapshot, loading->last);
    session->used_ns = host_.monotonic_ns();
    sessions_[session->id()] = session;
    ids_.emplace(session->key(), session->id());
  }
  for (const Found& found : std::exchange(loading->waiting, {})) {
    found(result.ok() ? Result<Pointer>(session) : Result<Pointer>(result.error()));
  }
  loading->session.reset();
  if (result.ok()) forget_unmade(session);
}

/// Who only asked for it has been answered: the next one asks the store, as the first did.
void Sessions::forget_unmade(const Pointer& session) {
  constexpr long kOurs = 2;  // `session` and sessions_: nobody is about to make it
  if (session->exists() || !session->idle() || session.use_count() > kOurs) return;
  ids_.erase(session->key());
  sessions_.erase(session->id());
}

/// A page on its way: what is not in memory is read.
struct Sessions::Listing {
  std::string prefix;  // of the documents
  SessionPage page;
  std::map<std::string, SessionRecord> read;  // by id
  std::function<void(Result<SessionInfoList>)> done;
};

void Sessions::list(const SessionListRequest& request,
                    std::function<void(Result<SessionInfoList>)> done) {
  auto listing = std::make_shared<Listing>();
  listing->prefix = principal_prefix(request.principal);
  listing->done = std::move(done);
  lists_.page(request, [this, listing](Result<SessionPage> page) {
    if (!page.ok()) return listing->done(page.error());
    listing->page = std::move(*page);
    read_records(listing);
  });
}

void Sessions::read_records(const std::shared_ptr<Listing>& listing) {
  StoreGetRequest get;
  get.collection = kSessionDocuments;
  for (const std::string& id : listing->page.ids) {
    if (!sessions_.contains(id)) get.keys.push_back(listing->prefix + id);
  }
  if (get.keys.empty()) return answer(*listing);
  store_.get(std::move(get), [this, listing](const Result<Ref<StoreDocuments>>& found) {
    if (!found.ok()) return listing->done(found.error());
    for (const StoredDocument& stored : (*found)->documents) {
      auto record = record_of(stored);
      if (!record.ok()) return listing->done(record.error());
      listing->read.emplace(stored.key.substr(listing->prefix.size()), std::move(*record));
    }
    answer(*listing);
  });
}

/// One that was deleted meanwhile is left out.
void Sessions::answer(const Listing& listing) const {
  SessionInfoList out;
  out.total = listing.page.total;
  for (const std::string& id : listing.page.ids) {
    if (const auto known = sessions_.find(id); known != sessions_.end()) {
      out.sessions.push_back(known->second->info());
    } else if (const auto record = listing.read.find(id); record != listing.read.end()) {
      out.sessions.push_back(info_of(record->second));
    }
  }
  listing.done(std::move(out));
}

void Sessions::remove(const Pointer& session, std::function<void(Result<void>)> done) {
  StoreWriteRequest write;
  write.sync = true;
  for (const auto& [collection, key] :
       {std::pair<std::string, std::string>{kSessionDocuments, session->document()},
        {kSnapshotDocuments, session->id()}}) {
    StoreChange change;
    change.collection = collection;
    change.key = key;
    write.changes.push_back(std::move(change));
  }
  const std::string id = session->id();
  const std::string principal = session->key().principal;
  session->deleting = true;
  // From here on whoever asks for it gets it from the store, where it soon is not.
  session->watchers().close(not_found("the session has been deleted"));
  store_.write(std::move(write),
               [this, id, principal, done = std::move(done)](const auto& written) {
                 if (!written.ok()) return done(written.error());
                 lists_.removed(id, principal);
                 StoreTrimLogRequest trim;
                 trim.log = id;
                 trim.forget = true;
                 store_.trim(std::move(trim), [this, id, done](const auto& trimmed) {
                   sessions_.erase(id);
                   done(trimmed.ok() ? Result<void>() : Result<void>(trimmed.error()));
                 });
               });
}

void Sessions::sweep() {
  const std::int64_t now = host_.monotonic_ns();
  std::erase_if(sessions_, [now](const auto& entry) {
    return entry.second->idle() && now - entry.second->used_ns > kIdleNs;
  });
  std::erase_if(ids_, [this](const auto& entry) { return !sessions_.contains(entry.second); });
  lists_.sweep();
}

}  // namespace gantry::agent
