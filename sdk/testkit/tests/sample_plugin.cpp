// SPDX-License-Identifier: Apache-2.0
#include "sample_plugin.hpp"

#include <gantry/codec.hpp>

GANTRY_INSTANTIATE(gantry::samples::Text)
GANTRY_INSTANTIATE(gantry::samples::Settings)

namespace gantry::samples {

Result<void> SamplePlugin::serve_calls() {
  Bus& bus = host().bus();
  GANTRY_TRY(bus.serve<Repeat>([this](const Text& in) -> Result<Text> {
    if (in.text == "throw") throw std::runtime_error("on purpose");
    if (in.text == "refuse") return not_found("no such text: refuse");
    host().counter("repeats", "Repeats served").add();
    Text out;
    for (std::int32_t i = 0; i < settings.times; ++i) out.text += in.text;
    return out;
  }));
  GANTRY_TRY(
      bus.serve<Later>([this](const Ref<Text>& in, const CallInfo& info, Reply<Later> reply) {
        if (in->text == "forget") return;
        if (in->text == "twice") {
          reply(Text{"first"});
          reply(Text{"second"});
          return;
        }
        if (in->text == "throw") throw std::runtime_error("with the reply in hand");
        reply.on_cancel([this, text = in->text, sender = std::string(info.sender)] {
          cancelled.push_back(sender + ":" + text);
        });
        waiting.push_back(std::move(reply));
      }));
  return bus.serve<Ask>([this](const Ref<Text>& in, const CallInfo&, Reply<Ask> reply) {
    host().blocking([this, in, reply = std::move(reply)]() mutable {
      auto answer = host().bus().call_wait<Needed>(*in);
      if (answer.ok()) {
        reply(Text{"they say " + (*answer)->text});
      } else {
        reply.fail(answer.error().with_context("asking"));
      }
    });
  });
}

Result<void> SamplePlugin::init() {
  GANTRY_TRY(reconfigure());
  GANTRY_TRY(serve_calls());
  GANTRY_ASSIGN(go_, host().bus().subscribe<Go>([this](const Text& event) {
    if (event.text == "throw") throw std::runtime_error("in an event");
    for (auto& reply : waiting) reply(Text{event.text});
    waiting.clear();
  }));
  return host().bus().serve_stream<EchoStream>(
      [](const Ref<Text>& opening, const CallInfo&,
         Stream<Text> down) -> Result<StreamHandlers<Text>> {
        if (opening->text == "refuse") return not_found("no echo here");
        if (opening->text == "throw") throw std::runtime_error("in accept");
        StreamHandlers<Text> handlers;
        handlers.on_chunk = [down](const Ref<Text>& chunk) mutable {
          if (chunk->text == "throw") throw std::runtime_error("in a chunk");
          if (chunk->text == "end") return down.close();
          (void)down.send(chunk);
        };
        return handlers;
      });
}

Result<void> SamplePlugin::start() {
  if (settings.refuse_start) return unavailable("no reason to start", "set refuse_start to false");
  host().log().info("started", {{"times", settings.times}, secret("token", "abc")});
  host().healthy("self");
  host().bus().set_suitability(70, "it is a sample");
  tick_ = host().every(std::chrono::seconds(1), [this] {
    host().bus().publish<Tick>({"tick " + std::to_string(++ticks_)});
  });
  return {};
}

Result<void> SamplePlugin::reconfigure() {
  GANTRY_ASSIGN(settings, from_json<Settings>(host().config_json()));
  return {};
}

}  // namespace gantry::samples
