// SPDX-License-Identifier: Apache-2.0
//
// The examples of docs/plugin-guide.md and docs/threading.md, compiled and run. The pages quote
// this file; tests/abi/doc_examples.py checks that they quote it word for word.
#include <catch2/catch.hpp>
#include <gantry/codec.hpp>
#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/probe.hpp>

#include <boost/describe/class.hpp>

namespace guide {

struct Note {
  std::string text;
};
BOOST_DESCRIBE_STRUCT(Note, (), (text))

struct NoteSaved {
  static constexpr std::string_view kName = "example.note.saved/1";
  using Event = Note;
};

struct SaveNote {
  static constexpr std::string_view kName = "example.note.save/1";
  using Request = Note;
  using Response = Note;
};

struct WatchNotes {
  static constexpr std::string_view kName = "example.note.watch/1";
  using Opening = Note;  // only notes that contain this text
  using Down = Note;
  using Up = Note;
};

gantry::Result<void> write_to_disk(const std::string& text) {
  if (text == "disk full") {
    return gantry::Error{gantry::Code::ResourceExhausted,
                         "cannot save the note: the disk is full; make room and try again",
                         R"({"path":"/notes"})"};
  }
  return {};
}

class Notes final : public gantry::Plugin {
 public:
  using Plugin::Plugin;

  gantry::Result<void> init() override {
    GANTRY_TRY(serve_save());
    return serve_watch();
  }

  gantry::Result<void> start() override {
    reminder_ = host().every(std::chrono::minutes(10), [this] {
      host().log().info("still here", {{"watchers", watchers_.size()}});
    });
    return {};
  }

 private:
  gantry::Result<void> serve_save() {
    return host().bus().serve<SaveNote>([this](const gantry::Ref<Note>& note,
                                               const gantry::CallInfo&,
                                               gantry::Reply<SaveNote> reply) {
      host().blocking([this, note, reply = std::move(reply)]() mutable {
        // A thread of the blocking pool: waiting is allowed, the strand goes on meanwhile.
        const auto written = write_to_disk(note->text);
        if (!written.ok()) return reply.fail(written.error());
        host().bus().publish_shared<NoteSaved>(note);
        host().post([this, note] { tell_watchers(note); });  // back to the strand's data
        reply.send(note);
      });
    });
  }

  gantry::Result<void> serve_watch() {
    return host().bus().serve_stream<WatchNotes>(
        [this](const gantry::Ref<Note>& opening, const gantry::CallInfo&,
               gantry::Stream<Note> down) -> gantry::Result<gantry::StreamHandlers<Note>> {
          const std::uint64_t id = ++last_watcher_;
          watchers_.emplace(id, Watcher{opening->text, std::move(down)});
          gantry::StreamHandlers<Note> handlers;
          handlers.on_end = [this, id](const gantry::Error&) { watchers_.erase(id); };
          return handlers;
        });
  }

  void tell_watchers(const gantry::Ref<Note>& note) {
    for (auto at = watchers_.begin(); at != watchers_.end();) {
      Watcher& watcher = at->second;
      const bool concerned = note->text.find(watcher.wanted) != std::string::npos;
      if (!concerned || watcher.down.send(note).ok()) {
        ++at;
        continue;
      }
      watcher.down.close(
          gantry::Error{gantry::Code::ResourceExhausted, "this watcher reads too slowly", {}});
      at = watchers_.erase(at);
    }
  }

  struct Watcher {
    std::string wanted;
    gantry::Stream<Note> down;
  };
  std::map<std::uint64_t, Watcher> watchers_;  // strand only
  std::uint64_t last_watcher_ = 0;
  gantry::Timer reminder_;
};

TEST_CASE("the guide's notes plugin saves, tells and watches") {
  gantry::testkit::FakeHost kit;
  REQUIRE(kit.load<Notes>("notes").ok());
  gantry::testkit::EventProbe<NoteSaved> saved(kit.host());
  gantry::testkit::StreamProbe<WatchNotes> watch(kit.host(), {"milk"});
  CHECK(kit.host().bus().call_wait<SaveNote>({"buy milk"}).ok());
  CHECK(kit.host().bus().call_wait<SaveNote>({"buy bread"}).ok());
  kit.pump();
  CHECK(saved.size() == 2);
  REQUIRE(watch.all().size() == 1);
  CHECK(watch.all()[0].text == "buy milk");
}

TEST_CASE("the guide's notes plugin says why it could not save") {
  gantry::testkit::FakeHost kit;
  REQUIRE(kit.load<Notes>("notes").ok());
  const auto answer = kit.host().bus().call_wait<SaveNote>({"disk full"});
  REQUIRE_FALSE(answer.ok());
  CHECK(answer.error().code == gantry::Code::ResourceExhausted);
  CHECK(answer.error().detail == R"({"path":"/notes"})");
}

TEST_CASE("the guide's notes plugin reminds and gives slow watchers up") {
  gantry::testkit::FakeHost kit;
  REQUIRE(kit.load<Notes>("notes").ok());
  gantry::StreamOptions slow;
  slow.receive_credit = 1;
  slow.manual_credit = true;
  gantry::testkit::StreamProbe<WatchNotes> watch(kit.host(), {""}, slow);
  kit.advance(std::chrono::minutes(10));
  CHECK(kit.logs().back().fields.at("watchers") == "1");
  CHECK(kit.host().bus().call_wait<SaveNote>({"one"}).ok());
  CHECK(kit.host().bus().call_wait<SaveNote>({"two"}).ok());
  kit.pump();
  REQUIRE(watch.ends().size() == 1);
  CHECK(watch.ends()[0].message == "this watcher reads too slowly");
}

}  // namespace guide

GANTRY_INSTANTIATE(guide::Note)
