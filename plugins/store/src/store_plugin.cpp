// SPDX-License-Identifier: Apache-2.0
#include "store_plugin.hpp"

#include <gantry/contracts/store.hpp>

#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "limits.hpp"
#include "sqlite_backend.hpp"

namespace gantry::store {
namespace {

constexpr std::size_t kMaxTransaction = 1000;  // operations
constexpr std::int64_t kRetryNs = 5'000'000'000;
constexpr std::size_t kReadThreads = 4;
constexpr double kNsInSecond = 1e9;
constexpr std::int64_t kNsInMs = 1'000'000;

/// Answers a call with one part of what the writer says.
template <class C, class F>
std::function<void(Result<WriteAnswer>)> answering(Reply<C> reply, F part) {
  auto shared = std::make_shared<Reply<C>>(std::move(reply));
  return [shared, part](Result<WriteAnswer> answer) {
    if (!answer.ok()) return shared->fail(answer.error());
    (*shared)(part(std::move(*answer)));
  };
}

}  // namespace

Result<void> StorePlugin::init() {
  GANTRY_TRY(reconfigure());
  reads_ = std::make_shared<ReadQueue>(host(), kReadThreads);
  syncs_ = std::make_shared<SyncQueue>(host());
  commits_ = host().counter("commits_total", "Transactions that were committed");
  operations_ = host().counter("operations_total", "Requests to write that were carried out");
  seconds_ = host().histogram("commit_seconds", "How long a transaction took",
                              {0.0001, 0.0005, 0.001, 0.005, 0.02, 0.1, 1});
  GANTRY_TRY(serve_writes());
  return serve_reads();
}

Result<void> StorePlugin::reconfigure() {
  GANTRY_ASSIGN(settings_, read_settings(host().config_json()));
  return {};
}

/// A store that cannot be opened does not keep the daemon from starting: each caller is told why.
Result<void> StorePlugin::start() {
  const Result<void> done = open();
  if (!done.ok()) host().log().error(done.error().message);
  return {};
}

Result<void> StorePlugin::open() {
  auto store =
      Store::open(std::make_unique<SqliteBackend>(settings_.path, settings_.check_at_start));
  if (store.ok()) {
    store_ = std::move(*store);
    host().healthy("database");
    return {};
  }
  failure_ = store.error();
  next_attempt_ns_ = host().monotonic_ns() + kRetryNs;
  host().failed("database", failure_.message, "see the reason; gantry doctor shows it again");
  return failure_;
}

/// Nothing more is answered from a file that nobody finds again; what lies there now is opened with
/// the next attempt.
void StorePlugin::close_what_is_gone() {
  store_.reset();
  failure_ =
      unavailable("the store " + settings_.path + " was deleted or replaced while it was used",
                  "put it, or a copy of it, back; it is opened again by itself");
  next_attempt_ns_ = host().monotonic_ns() + kRetryNs;
  host().failed("database", failure_.message, "put it, or a copy of it, back");
  host().log().error(failure_.message);
}

Result<std::shared_ptr<Store>> StorePlugin::opened() {
  if (store_ != nullptr && !store_->is_there()) close_what_is_gone();
  if (store_ == nullptr && failure_.code == Code::Unavailable &&
      host().monotonic_ns() >= next_attempt_ns_) {
    (void)open();
  }
  if (store_ == nullptr) return failure_;
  return store_;
}

Result<void> StorePlugin::serve_writes() {
  Bus& bus = host().bus();
  GANTRY_TRY(bus.serve<StoreAppend>([this](const Ref<StoreAppendRequest>& request,
                                           const CallInfo& info, Reply<StoreAppend> reply) {
    const auto fits = check(*request, static_cast<std::size_t>(settings_.max_body));
    if (!fits.ok()) return reply.fail(fits.error());
    WriteOperation operation;
    operation.space = info.sender;
    operation.appends = {&*request, 1};
    operation.request = request;
    operation.done = answering(std::move(reply), [](const WriteAnswer& answer) {
      return answer.written.appended.front();
    });
    add(std::move(operation), request->sync);
  }));
  GANTRY_TRY(bus.serve<StoreWrite>([this](const Ref<StoreWriteRequest>& request,
                                          const CallInfo& info, Reply<StoreWrite> reply) {
    const auto fits = check(*request, static_cast<std::size_t>(settings_.max_body));
    if (!fits.ok()) return reply.fail(fits.error());
    WriteOperation operation;
    operation.space = info.sender;
    operation.changes = request->changes;
    operation.appends = request->appends;
    operation.request = request;
    operation.done =
        answering(std::move(reply), [](WriteAnswer answer) { return std::move(answer.written); });
    add(std::move(operation), request->sync);
  }));
  return bus.serve<StoreTrimLog>([this](const Ref<StoreTrimLogRequest>& request,
                                        const CallInfo& info, Reply<StoreTrimLog> reply) {
    const auto fits = check(*request);
    if (!fits.ok()) return reply.fail(fits.error());
    WriteOperation operation;
    operation.space = info.sender;
    operation.trim = &*request;
    operation.request = request;
    operation.done = answering(
        std::move(reply), [](const WriteAnswer& answer) { return StoreTrimmed{answer.trimmed}; });
    add(std::move(operation), false);
  });
}

/// The commit goes behind what is already queued, so that all of it is in one transaction.
void StorePlugin::add(WriteOperation operation, bool sync) {
  if (sync) {
    operation.done = [this, done = std::move(operation.done)](Result<WriteAnswer> answer) mutable {
      if (!answer.ok()) return done(std::move(answer));
      syncs_->add(store_, [done = std::move(done),
                           answer = std::move(answer)](const Result<void>& synced) mutable {
        done(synced.ok() ? std::move(answer) : Result<WriteAnswer>(synced.error()));
      });
    };
  }
  waiting_.push_back(std::move(operation));
  if (std::exchange(commit_posted_, true)) {
    if (waiting_.size() >= kMaxTransaction) commit();
    return;
  }
  host().post([this] {
    commit_posted_ = false;
    commit();
  });
}

void StorePlugin::commit() {
  std::vector<WriteOperation> operations = std::exchange(waiting_, {});
  if (operations.empty()) return;
  const auto store = opened();
  if (!store.ok()) {
    for (WriteOperation& operation : operations) operation.done(store.error());
    return;
  }
  const Backend::Care care = (*store)->wants_care();
  const std::int64_t began = host().monotonic_ns();
  if (care == Backend::Care::before) give_care(**store);
  (*store)->commit(operations, host().wall_ns() / kNsInMs);
  seconds_.add(static_cast<double>(host().monotonic_ns() - began) / kNsInSecond);
  commits_.add();
  operations_.add(static_cast<double>(operations.size()));
  if (care == Backend::Care::beside) {
    host().blocking([this, kept = *store] { give_care(*kept); });
  }
}

/// Without it nothing is lost; the next one takes along what this one has left.
void StorePlugin::give_care(Store& store) {
  const Result<void> done = store.care();
  if (!done.ok()) host().log().warn("the store's log grows", {{"reason", done.error().message}});
}

template <class C, class F>
Result<void> StorePlugin::serve_read(F read) {
  return host().bus().serve<C>(
      [this, read](const Ref<typename C::Request>& request, const CallInfo& info, Reply<C> reply) {
        const auto fits = check(*request);
        if (!fits.ok()) return reply.fail(fits.error());
        const auto store = opened();
        if (!store.ok()) return reply.fail(store.error());
        // A std::function is copied; a Reply is not.
        auto answer = std::make_shared<Reply<C>>(std::move(reply));
        reads_->add([store = *store, read, kept = request, space = std::string(info.sender),
                     answer]() mutable {
          auto found = (store->readers().*read)(space, *kept);
          kept = {};  // as with what is written: the caller frees it
          (*answer)(std::move(found));
        });
      });
}

Result<void> StorePlugin::serve_reads() {
  GANTRY_TRY(serve_read<StoreReadLog>(&Readers::read_log));
  GANTRY_TRY(serve_read<StoreGet>(&Readers::get));
  return serve_read<StoreList>(&Readers::list);
}

void StorePlugin::stop(Deadline) {
  commit();
  syncs_->finish();
  reads_->clear();
  store_.reset();
  failure_ = unavailable("the store is being stopped");
  next_attempt_ns_ = std::numeric_limits<std::int64_t>::max();
}

}  // namespace gantry::store
