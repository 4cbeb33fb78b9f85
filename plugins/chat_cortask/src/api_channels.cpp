// SPDX-License-Identifier: Apache-2.0
// Channels: those of this daemon's plugins, and those that deployed clients know and nobody has
// installed.
#include <gantry/contract.hpp>
#include <gantry/contracts/channel.hpp>
#include <gantry/contracts/kernel.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "api_wire.hpp"
#include "routes.hpp"

namespace gantry::chat_cortask {
namespace {

struct KnownChannel {
  const char* id;
  const char* name;
};
constexpr KnownChannel kKnownChannels[] = {
    {"telegram", "Telegram"},
    {"whatsapp", "WhatsApp"},
    {"discord", "Discord"},
};

struct FoundChannel {
  ChannelInfo info;
  std::string plugin;
};
using FoundChannels = std::vector<FoundChannel>;

/// Asks one plugin after the other.
struct ChannelSearch {
  ExchangePtr exchange;
  std::function<void(Exchange&, const FoundChannels&)> then;
  std::vector<std::string> plugins;
  FoundChannels found;

  static void next(const std::shared_ptr<ChannelSearch>& search) {
    if (search->plugins.empty()) return search->then(*search->exchange, search->found);
    CallOptions options;
    options.target = search->plugins.back();
    search->exchange->host().bus().call<ChannelList>(
        {},
        [search](const Result<Ref<ChannelInfos>>& list) {
          if (list.ok()) {
            for (const ChannelInfo& info : (*list)->channels) {
              search->found.push_back({info, search->plugins.back()});
            }
          }
          search->plugins.pop_back();
          next(search);
        },
        options);
  }
};

void find_channels(Exchange& exchange, std::function<void(Exchange&, const FoundChannels&)> then) {
  auto search = std::make_shared<ChannelSearch>();
  search->exchange = exchange.shared_from_this();
  search->then = std::move(then);
  exchange.host().bus().call<KernelContracts>(
      {}, [search](const Result<Ref<ContractInfoList>>& contracts) {
        if (!contracts.ok()) return search->exchange->fail(contracts.error());
        for (const ContractInfo& contract : (*contracts)->contracts) {
          if (contract.name == ChannelList::kName) search->plugins = contract.providers;
        }
        ChannelSearch::next(search);
      });
}

ChannelView view_of(const ChannelInfo& info) {
  return {info.id, info.name, info.running, info.authenticated, true};
}

void refuse_unknown(Exchange& exchange) {
  const std::string& id = exchange.parameters[0];
  const bool known = std::any_of(std::begin(kKnownChannels), std::end(kKnownChannels),
                                 [&id](const KnownChannel& row) { return row.id == id; });
  if (!known) return exchange.error(404, "Channel not found");
  exchange.error(503, "The channel '" + id + "' is not installed");
}

void switch_channel(Exchange& exchange, bool running) {
  find_channels(exchange, [running](Exchange& self, const FoundChannels& channels) {
    const auto found = std::find_if(
        channels.begin(), channels.end(),
        [&self](const FoundChannel& one) { return one.info.id == self.parameters[0]; });
    if (found == channels.end()) return refuse_unknown(self);
    CallOptions options;
    options.target = found->plugin;
    self.host().bus().call<ChannelSwitch>(
        {found->info.id, running},
        [exchange = self.shared_from_this()](const Result<Ref<ChannelInfo>>& info) {
          if (info.ok()) return exchange->json(to_json(view_of(**info)));
          if (info.error().code == Code::FailedPrecondition) {
            return exchange->error(400, info.error().message);
          }
          exchange->fail(info.error());
        },
        options);
  });
}

}  // namespace

void list_channels(Exchange& exchange) {
  find_channels(exchange, [](Exchange& self, const FoundChannels& channels) {
    std::vector<ChannelView> out;
    for (const FoundChannel& one : channels) out.push_back(view_of(one.info));
    for (const KnownChannel& row : kKnownChannels) {
      const bool there = std::any_of(out.begin(), out.end(),
                                     [&row](const ChannelView& one) { return one.id == row.id; });
      if (!there) out.push_back({row.id, row.name, false, false, false});
    }
    self.json(to_json(out));
  });
}

void start_channel(Exchange& exchange) { switch_channel(exchange, true); }

void stop_channel(Exchange& exchange) { switch_channel(exchange, false); }

}  // namespace gantry::chat_cortask
