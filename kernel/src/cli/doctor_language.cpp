// SPDX-License-Identifier: Apache-2.0
// The lines of gantry doctor about language models: which can be asked, and which one answers.
#include <gantry/contracts/kernel.hpp>
#include <gantry/contracts/llm.hpp>
#include <gantry/contracts/turn.hpp>
#include <gantry/counted.hpp>

#include <algorithm>
#include <map>

#include "cli/doctor_language.hpp"
#include "cli/printable.hpp"

namespace gantry::cli {
namespace {

constexpr const char* kArea = "language models";
// A server that has not answered by then is as good as gone to somebody who waits for a report.
constexpr int kPatienceMs = 3000;

void note(Report& report, const std::string& finding, const std::string& cure = {}) {
  report.push_back({kArea, Grade::kNote, printable_line(finding), printable_line(cure)});
}

std::vector<std::string> providers_of(const ContractInfoList& list, std::string_view contract) {
  for (const auto& info : list.contracts) {
    if (info.name == contract) return info.providers;
  }
  return {};
}

void add_models(const std::string& plugin, const LlmModelList& list, Report& report) {
  struct Found {
    std::size_t available = 0;
    const LlmModel* missing = nullptr;
  };
  std::map<std::string, Found> providers;
  for (const LlmModel& model : list.models) {
    Found& found = providers[model.provider];
    if (model.available) {
      ++found.available;
    } else {
      found.missing = &model;
    }
  }
  for (const auto& [provider, found] : providers) {
    if (found.available == 0) {
      note(report, plugin + ": " + found.missing->reason, found.missing->cure);
      continue;
    }
    report.push_back({kArea, Grade::kGood,
                      printable_line(plugin + ": " + counted(found.available, "model") + " of " +
                                     provider + " can be asked"),
                      ""});
  }
  for (const std::string& problem : list.problems) note(report, plugin + ": " + problem);
}

void add_answering(Access& access, Report& report) {
  TurnPreviewRequest request;
  request.turn.session = {"local", "terminal", "doctor"};
  request.turn.text = "hello";
  request.turn.caller = "gantry";
  const auto preview = call_typed<TurnPreview>(access, request, {}, kPatienceMs);
  if (!preview.ok()) return note(report, "gantry ask: " + preview.error().message);
  const TurnPreviewed& turn = **preview;
  if (turn.model.empty()) return note(report, "gantry ask: " + turn.token_error);
  report.push_back({kArea, Grade::kGood,
                    printable_line("gantry ask is answered by " + turn.provider + "/" + turn.model),
                    ""});
}

}  // namespace

void check_language_models(Access& access, Report& report) {
  const auto contracts = call_typed<gantry::KernelContracts>(access, {});
  if (!contracts.ok()) return;
  auto plugins = providers_of(**contracts, LlmModels::kName);
  std::sort(plugins.begin(), plugins.end());
  for (const std::string& plugin : plugins) {
    const auto list = call_typed<LlmModels>(access, {}, plugin, kPatienceMs);
    if (list.ok()) {
      add_models(plugin, **list, report);
    } else {
      note(report, plugin + ": " + list.error().message);
    }
  }
  if (!providers_of(**contracts, TurnPreview::kName).empty()) add_answering(access, report);
}

}  // namespace gantry::cli
