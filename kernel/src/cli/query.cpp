// SPDX-License-Identifier: Apache-2.0
// plugins, contracts, call, trace: questions to the bus.
#include <gantry/contracts/kernel.hpp>
#include <gantry/counted.hpp>

#include <cstdio>
#include <ctime>

#include "cli/access.hpp"
#include "kernel.hpp"

namespace gantry::cli {
namespace {

// With --json standard output holds one JSON document in every case.
int no_answer(const Invocation& invocation, const Error& error) {
  complain(error.message + " [" + std::string(code_name(error.code)) + "]");
  if (invocation.json) {
    const std::string detail = error.detail.empty() ? "null" : error.detail;
    std::printf("{\"error\":{\"code\":\"%s\",\"message\":%s,\"detail\":%s}}\n",
                std::string(code_name(error.code)).c_str(),
                config::quote_json(error.message).c_str(), detail.c_str());
  }
  return exit_of(error);
}

int usage(const std::string& text) {
  complain("usage: gantry " + text);
  return kUsage;
}

void print_line(const std::string& text) { std::printf("%s\n", text.c_str()); }

// The answer as it came.
int print_raw(Access& access, const Invocation& invocation, const CallRequest& request) {
  const auto answer = access.call(request);
  if (!answer.ok()) return no_answer(invocation, answer.error());
  print_line(*answer);
  return kOk;
}

template <class T>
int print_encoded(const T& value) {
  gantry_buf text{};
  if (type_of<T>().encode(&value, &text) != GANTRY_OK) return kSoftware;
  print_line(std::string(Buffer::adopt(text).text()));
  return kOk;
}

std::string decimal(double value, const char* format) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string megabytes(std::int64_t bytes) {
  return decimal(static_cast<double>(bytes) / 1048576.0, "%.1f");
}

void print_plugins(const PluginInfoList& list) {
  std::vector<std::vector<std::string>> rows{
      {"PLUGIN", "STATE", "VERSION", "LOAD ms", "START ms", "MiB", "REASON"}};
  for (const auto& info : list.plugins) {
    const bool ran = info.load_ms > 0;
    rows.push_back({info.name, info.state, info.version.empty() ? "-" : info.version,
                    ran ? decimal(info.load_ms, "%.1f") : "-",
                    ran ? decimal(info.start_ms, "%.1f") : "-",
                    ran ? megabytes(info.memory_bytes) : "-", info.reason});
  }
  std::fputs(table(rows).c_str(), stdout);
}

std::string or_nothing(const std::vector<std::string>& names) {
  return names.empty() ? "nothing" : config::join(names);
}

// Everything that is known about one plugin, as sentences.
void print_plugin(const PluginInfo& info) {
  print_line(info.name + " " + info.version + " is " + info.state +
             (info.reason.empty() ? "." : ": " + info.reason));
  if (!info.summary.empty()) print_line("  " + info.summary);
  if (!info.path.empty()) print_line("  folder:   " + info.path);
  print_line("  provides: " + or_nothing(info.provides));
  print_line("  requires: " + or_nothing(info.requires_contracts));
  if (info.suitability >= 0) {
    print_line("  suits this machine: " + std::to_string(info.suitability) + " of 100, " +
               info.suitability_reason);
  }
  if (info.load_ms > 0) {
    print_line("  cost:     load " + decimal(info.load_ms, "%.1f") + " ms, start " +
               decimal(info.start_ms, "%.1f") + " ms, " + megabytes(info.memory_bytes) + " MiB, " +
               counted(static_cast<std::uint64_t>(info.restarts), "restart"));
  }
}

Error not_listed(const std::string& name, const std::string& dir) {
  return not_found("plugin '" + name + "' is installed in " + dir +
                   ", but the configuration does not list it; list it under plugins: or give --set "
                   "plugins." +
                   name + "=true");
}

int why(const Invocation& invocation, const PluginInfoList& list, const std::string& name) {
  std::vector<std::string> known;
  for (const auto& info : list.plugins) {
    known.push_back(info.name);
    if (info.name != name) continue;
    if (invocation.json) return print_encoded(PluginInfoList{{info}});
    print_plugin(info);
    return kOk;
  }
  for (const auto& dir : plugin::find_plugin_dirs(plan_options(invocation).vendor_dir)) {
    if (dir.filename() != name) continue;
    return no_answer(invocation, not_listed(name, dir.string()));
  }
  return no_answer(invocation, not_found("the configuration lists no plugin '" + name + "'." +
                                         config::did_you_mean(name, known)));
}

std::string clock_time(double at_ms) {
  const auto seconds = static_cast<std::time_t>(at_ms / 1e3);
  std::tm parts{};
  localtime_r(&seconds, &parts);
  char text[16];
  std::strftime(text, sizeof text, "%H:%M:%S", &parts);
  const int milliseconds = static_cast<int>(at_ms - static_cast<double>(seconds) * 1e3);
  char fraction[8];
  std::snprintf(fraction, sizeof fraction, ".%03d", milliseconds);
  return std::string(text) + fraction;
}

// The end of an id is enough to tell those of one screen apart.
std::string short_id(const std::string& id) {
  constexpr std::size_t kShown = 8;
  return id.size() > kShown ? id.substr(id.size() - kShown) : id;
}

void print_trace(const TraceList& list) {
  std::vector<std::vector<std::string>> rows{
      {"TIME", "KIND", "CONTRACT", "FROM", "TO", "STATUS", "us", "TRACE", "SPAN", "PARENT"}};
  for (const auto& entry : list.entries) {
    rows.push_back({clock_time(entry.at_ms), entry.kind, entry.contract, entry.sender,
                    entry.receiver, entry.status, decimal(entry.duration_us, "%.1f"),
                    short_id(entry.trace), short_id(entry.span), short_id(entry.parent)});
  }
  std::fputs(table(rows).c_str(), stdout);
}

int print_schema(Access& access, const Invocation& invocation) {
  const auto schemas = call_typed<KernelSchema>(access, {invocation.arguments[1]});
  if (!schemas.ok()) return no_answer(invocation, schemas.error());
  const ContractSchemas& found = **schemas;
  constexpr const char* kNames[3][3] = {
      {"event", "", ""}, {"request", "response", ""}, {"opening", "down", "up"}};
  const int kind = found.kind == "event" ? 0 : found.kind == "call" ? 1 : 2;
  std::string out =
      "{\"contract\":" + config::quote_json(found.name) + ",\"kind\":\"" + found.kind + "\"";
  const Json* parts[3] = {&found.first, &found.second, &found.third};
  for (int i = 0; i < 3; ++i) {
    if (kNames[kind][i][0] == '\0') break;
    out += std::string(",\"") + kNames[kind][i] + "\":" + parts[i]->text;
  }
  print_line(out + "}");
  return kOk;
}

// The bus says that nobody answers, or that it refuses. Here a near name is offered, and a stream
// or an event is told from a call that failed.
Error explained(Access& access, const std::string& contract, Error error) {
  const auto found = call_typed<gantry::KernelContracts>(access, {});
  if (!found.ok()) return error;
  std::vector<std::string> calls;
  for (const auto& info : (*found)->contracts) {
    if (info.kind == "call") calls.push_back(info.name);
    // A name that was only asked for is listed too, as unknown.
    if (info.name != contract || info.kind == "unknown") continue;
    if (info.kind == "call") return error;
    error.message = contract + " cannot be called, it is of the kind " + info.kind +
                    "; `gantry contracts schema " + contract + "` shows its messages";
    return error;
  }
  // For contracts of plugins that do not run the manifests have been asked already.
  if (error.message.find("did you mean") != std::string::npos) return error;
  if (const auto near = config::did_you_mean(contract, calls); !near.empty()) {
    error.message += "." + near;
  }
  return error;
}

}  // namespace

int plugins(const Invocation& invocation) {
  const auto& words = invocation.arguments;
  const bool one = words.size() == 2 && words[0] == "why";
  const bool list = words.empty() || (words.size() == 1 && words[0] == "list");
  if (!one && !list) return usage("plugins [list | why PLUGIN]");
  auto access = open_access(invocation, Need::kEverything);
  if (!access.ok()) return no_answer(invocation, access.error());
  if (invocation.json && list) {
    return print_raw(**access, invocation, {std::string(KernelPlugins::kName)});
  }
  const auto found = call_typed<KernelPlugins>(**access, {});
  if (!found.ok()) return no_answer(invocation, found.error());
  if (one) return why(invocation, **found, words[1]);
  print_plugins(**found);
  std::fflush(stdout);  // where both go to one place, this does not stand in the middle
  std::fprintf(stderr, "asked: %s\n", (*access)->describe().c_str());
  return kOk;
}

int contracts(const Invocation& invocation) {
  const auto& words = invocation.arguments;
  const bool schema = words.size() == 2 && words[0] == "schema";
  const bool list = words.empty() || (words.size() == 1 && words[0] == "list");
  if (!schema && !list) return usage("contracts [list | schema CONTRACT]");
  auto access = open_access(invocation, Need::kContracts);
  if (!access.ok()) return no_answer(invocation, access.error());
  if (schema) return print_schema(**access, invocation);
  if (invocation.json) {
    return print_raw(**access, invocation, {std::string(gantry::KernelContracts::kName)});
  }
  const auto found = call_typed<gantry::KernelContracts>(**access, {});
  if (!found.ok()) return no_answer(invocation, found.error());
  std::vector<std::vector<std::string>> rows{{"CONTRACT", "KIND", "SERVED BY", "WHAT"}};
  for (const auto& info : (*found)->contracts) {
    rows.push_back({info.name, info.kind, config::join(info.providers), info.doc});
  }
  std::fputs(table(rows).c_str(), stdout);
  return kOk;
}

int call(const Invocation& invocation) {
  const auto& words = invocation.arguments;
  if (words.empty() || words.size() > 2)
    return usage("call CONTRACT [JSON] [--target PLUGIN] [--timeout MS]");
  auto access = open_access(invocation, Need::kContract, words[0]);
  if (!access.ok()) return no_answer(invocation, access.error());
  CallRequest request;
  request.contract = words[0];
  if (words.size() == 2) request.json = words[1];
  request.target = invocation.target;
  request.timeout_ms = invocation.timeout_ms;
  const auto answer = (*access)->call(request);
  if (!answer.ok()) {
    return no_answer(invocation, explained(**access, request.contract, answer.error()));
  }
  print_line(*answer);
  return kOk;
}

int trace(const Invocation& invocation) {
  const auto& words = invocation.arguments;
  if (!words.empty() && words[0] == "export") return trace_export(invocation);
  if (words.size() > 1) return usage("trace [CONTRACT] [--limit N]");
  auto access = open_daemon(invocation);
  if (!access.ok()) return no_answer(invocation, access.error());
  TraceRequest request;
  request.limit = invocation.limit;
  if (!words.empty()) request.contract = words[0];
  const auto found = call_typed<KernelTrace>(**access, request);
  if (!found.ok()) return no_answer(invocation, found.error());
  if (invocation.json) return print_encoded(**found);
  print_trace(**found);
  return kOk;
}

int version(const Invocation& invocation) {
  if (!invocation.arguments.empty()) return usage("version");
  const std::string number(kernel::version());
  const std::string abi = std::to_string(GANTRY_ABI_MAJOR) + "." + std::to_string(GANTRY_ABI_MINOR);
  print_line(invocation.json ? "{\"version\":\"" + number + "\",\"abi\":\"" + abi + "\"}"
                             : "gantry " + number + " (plugin ABI " + abi + ")");
  return kOk;
}

}  // namespace gantry::cli
