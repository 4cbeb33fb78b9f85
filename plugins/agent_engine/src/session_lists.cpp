// SPDX-License-Identifier: Apache-2.0
#include "session_lists.hpp"

#include <set>
#include <utility>

#include "ids.hpp"
#include "session_order.hpp"

namespace gantry::agent {
namespace {

constexpr std::int32_t kDocumentPage = 500;
constexpr std::int64_t kOrderIdleNs = 600'000'000'000;

}  // namespace

struct SessionLists::List {
  SessionOrder order;
  bool read = false;
  std::set<std::string> removed;  // while it is being read
  std::vector<std::pair<SessionListRequest, Done>> waiting;
  std::int64_t used_ns = 0;

  void answer(const SessionListRequest& request, const Done& done) const {
    SessionPage page;
    page.ids =
        order.page(request.workspace, request.offset, static_cast<std::size_t>(request.limit));
    page.total = order.count(request.workspace);
    done(std::move(page));
  }
};

void SessionLists::page(const SessionListRequest& request, Done done) {
  Pointer& slot = lists_[request.principal];
  const bool first = slot == nullptr;
  if (first) slot = std::make_shared<List>();
  const Pointer list = slot;
  list->used_ns = host_.monotonic_ns();
  if (list->read) return list->answer(request, done);
  list->waiting.emplace_back(request, std::move(done));
  if (first) read(request.principal, list, {});
}

void SessionLists::read(const std::string& principal, const Pointer& list, std::string after) {
  StoreListRequest request;
  request.collection = kSessionDocuments;
  request.prefix = principal_prefix(principal);
  request.after = std::move(after);
  request.limit = kDocumentPage;
  store_.list(std::move(request), [this, principal, list](const Result<Ref<StoreDocuments>>& page) {
    if (!page.ok()) return finish(principal, list, page.error());
    if (const auto taken = take(*list, **page); !taken.ok()) {
      return finish(principal, list, taken);
    }
    if (!(*page)->more) return finish(principal, list, Result<void>());
    read(principal, list, (*page)->documents.back().key);
  });
}

Result<void> SessionLists::take(List& list, const StoreDocuments& page) {
  for (const StoredDocument& stored : page.documents) {
    GANTRY_ASSIGN(const SessionRecord record, record_of(stored));
    const std::string id = stored.key.substr(stored.key.find('/') + 1);
    // What was removed since this page was read is not in the store any more.
    if (!list.removed.contains(id)) list.order.put(id, record.session.workspace, record.updated_ms);
  }
  return {};
}

void SessionLists::finish(const std::string& principal, const Pointer& list,
                          const Result<void>& result) {
  list->read = true;
  list->removed.clear();
  if (!result.ok()) lists_.erase(principal);  // the next one who asks tries again
  for (const auto& [request, done] : std::exchange(list->waiting, {})) {
    if (result.ok()) {
      list->answer(request, done);
    } else {
      done(result.error());
    }
  }
}

void SessionLists::changed(const std::string& id, const SessionRecord& record) {
  const auto known = lists_.find(record.session.principal);
  if (known == lists_.end()) return;
  known->second->removed.erase(id);
  known->second->order.put(id, record.session.workspace, record.updated_ms);
}

void SessionLists::removed(const std::string& id, const std::string& principal) {
  const auto known = lists_.find(principal);
  if (known == lists_.end()) return;
  known->second->order.remove(id);
  if (!known->second->read) known->second->removed.insert(id);
}

void SessionLists::sweep() {
  const std::int64_t now = host_.monotonic_ns();
  std::erase_if(lists_, [now](const auto& entry) {
    return entry.second->read && now - entry.second->used_ns > kOrderIdleNs;
  });
}

}  // namespace gantry::agent
