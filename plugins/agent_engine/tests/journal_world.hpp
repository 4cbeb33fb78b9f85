// SPDX-License-Identifier: Apache-2.0
#pragma once
// A journal, and in the store's place one that answers when the test says so.

#include "journal.hpp"

#include <gantry/testkit/fake_host.hpp>

#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace gantry::agent::testing {

/// What the store was asked for; the test answers when it likes.
struct Asked {
  std::size_t entries = 0;
  std::size_t changes = 0;
  std::int64_t expect_last = -1;  // -1: nothing is expected
  bool sync = false;
  std::function<void(Result<void>)> answer;

  bool operator==(const Asked& other) const {
    return entries == other.entries && changes == other.changes &&
           expect_last == other.expect_last && sync == other.sync;
  }
};

inline std::ostream& operator<<(std::ostream& out, const Asked& asked) {
  return out << asked.entries << " entries, " << asked.changes << " changes, after "
             << asked.expect_last << (asked.sync ? ", synced" : "");
}

/// What a test expects.
inline Asked ask(std::size_t entries, std::size_t changes, std::int64_t expect_last, bool sync) {
  return {entries, changes, expect_last, sync, {}};
}

inline constexpr bool kSync = true;
inline constexpr bool kNoSync = false;

class World {
 public:
  std::vector<std::string> notes;  // what was told and called, in order
  std::vector<std::string> texts;  // of the events

 private:
  // Its end fails the calls that are open, which is noted; open answers must not outlive it.
  testkit::FakeHost kit_;
  StoreClient store_{kit_.host("agent_engine")};

 public:
  enum class Disk { quick, slow };

  explicit World(Disk disk = Disk::slow) {
    if (disk == Disk::slow) store_.synced(1'000'000'000);
    auto& bus = kit_.host("store").bus();
    const auto append = [this](const Ref<StoreAppendRequest>& request, const CallInfo&,
                               Reply<StoreAppend> reply) {
      take({request->entries.size(), 0, request->expect_last.value_or(-1), request->sync, {}},
           std::move(reply));
    };
    const auto write = [this](const Ref<StoreWriteRequest>& request, const CallInfo&,
                              Reply<StoreWrite> reply) {
      Asked asked{0, request->changes.size(), -1, request->sync, {}};
      if (!request->appends.empty()) {
        asked.entries = request->appends.front().entries.size();
        asked.expect_last = request->appends.front().expect_last.value_or(-1);
      }
      take(std::move(asked), std::move(reply));
    };
    REQUIRE(bus.serve<StoreAppend>(append).ok());
    REQUIRE(bus.serve<StoreWrite>(write).ok());
    store_.begin();
    journal = std::make_shared<Journal>(
        kit_.host("agent_engine"), store_, "s",
        Journal::Owner{
            [this](const Ref<SessionEvents>& events) { told(*events); },
            [this](const Error& error) { notes.push_back("broken: " + error.message); }});
  }

  void add(EventKind kind, std::string text = "x") {
    SessionEvent event;
    event.kind = kind;
    event.turn = "t";
    event.text = std::move(text);
    journal->add(std::move(event));
  }
  /// What a turn's acceptance is.
  void accept() {
    add(EventKind::TurnAccepted);
    commit("accepted");
  }
  void commit(const std::string& name, const std::string& key = "k") {
    StoreChange change;
    change.collection = "c";
    change.key = key;
    journal->commit({change}, noting(name));
  }
  /// Notes that it ran, and how it went.
  Journal::Written noting(const std::string& name) {
    return [this, name](const Result<void>& written) {
      notes.push_back(written.ok() ? name : name + ": " + written.error().message);
    };
  }
  void pump() { kit_.pump(); }
  void pass(std::chrono::milliseconds time) { kit_.advance(time); }
  [[nodiscard]] std::int64_t sync_ns() const { return store_.sync_ns(); }
  void answer(std::size_t which, Result<void> result = {}) {
    asked.at(which).answer(std::move(result));
    pump();
  }

  std::vector<Asked> asked;
  std::shared_ptr<Journal> journal;

 private:
  template <class C>
  void take(Asked asked_now, Reply<C> reply) {
    auto kept = std::make_shared<Reply<C>>(std::move(reply));
    asked_now.answer = [kept](const Result<void>& result) {
      if (result.ok()) return (*kept)(typename C::Response{});
      kept->fail(result.error());
    };
    asked.push_back(std::move(asked_now));
  }
  void told(const SessionEvents& events) {
    const auto number = [](const SessionEvent& event) { return std::to_string(event.sequence); };
    std::string note = "told " + number(events.events.front());
    if (events.events.size() > 1) note += " to " + number(events.events.back());
    notes.push_back(note);
    for (const SessionEvent& event : events.events) texts.push_back(event.text);
  }
};

using Notes = std::vector<std::string>;

}  // namespace gantry::agent::testing
