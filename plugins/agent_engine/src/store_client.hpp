// SPDX-License-Identifier: Apache-2.0
#pragma once
// The store as the engine uses it: one log for each session, and documents. Strand only. A write
// belongs to the engine and not to the call that led to it: it is neither cancelled nor cut short
// with that call.

#include <gantry/contracts/store.hpp>
#include <gantry/host.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace gantry::agent {

class StoreClient {
 public:
  template <class T>
  using Done = std::function<void(Result<Ref<T>>)>;

  explicit StoreClient(Host& host) : host_(host) {}

  /// From here on its calls belong to the context of the plugin's start.
  void begin() { context_ = host_.context(); }
  /// For work that outlives the call which led to it.
  [[nodiscard]] ContextScope detach() const { return host_.enter(context_); }

  /// What was to be on the disk was there after so long.
  void synced(std::int64_t took_ns) { sync_ns_ += (took_ns - sync_ns_) / kSyncsRemembered; }
  /// How long that takes lately.
  [[nodiscard]] std::int64_t sync_ns() const { return sync_ns_; }

  void append(StoreAppendRequest request, Done<StoreAppended> done) {
    ask<StoreAppend>(std::move(request), std::move(done));
  }
  void write(StoreWriteRequest request, Done<StoreWritten> done) {
    ask<StoreWrite>(std::move(request), std::move(done));
  }
  void read_log(StoreReadLogRequest request, Done<StoreLogPage> done) {
    ask<StoreReadLog>(std::move(request), std::move(done));
  }
  void trim(StoreTrimLogRequest request, Done<StoreTrimmed> done) {
    ask<StoreTrimLog>(std::move(request), std::move(done));
  }
  void get(StoreGetRequest request, Done<StoreDocuments> done) {
    ask<StoreGet>(std::move(request), std::move(done));
  }
  void list(StoreListRequest request, Done<StoreDocuments> done) {
    ask<StoreList>(std::move(request), std::move(done));
  }

 private:
  static constexpr std::int64_t kSyncsRemembered = 8;

  /// The request is kept until its answer is there, so that it is freed here and not by the store:
  /// a thread that frees what this one has made waits for it at malloc's lock.
  template <class C>
  void ask(typename C::Request request, Done<typename C::Response> done) {
    const ContextScope scope = detach();
    const auto kept = make_body<typename C::Request>(std::move(request));
    host_.bus().call_shared<C>(
        kept, [kept, done = std::move(done)](const Result<Ref<typename C::Response>>& answer) {
          done(answer);
        });
  }

  Host& host_;
  Context context_;
  std::int64_t sync_ns_ = 0;
};

}  // namespace gantry::agent
