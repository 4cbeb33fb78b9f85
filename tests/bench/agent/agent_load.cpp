// SPDX-License-Identifier: Apache-2.0
//   agent_load model PORT
//   agent_load floor PORT MODEL_PORT DATABASE FRAMES_FILE
//   agent_load turns PORT TOKEN_FILE [per_user=N] [turns=N] [chunks=N] [gap_us=N]
//   [spread_ms=N] [definition=1] [path=PATH] [echo=1] [frames=FILE] [hold=1] [record=FILE]
#include "agent_load.hpp"

#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>

namespace {

/// Takes over one key=value.
bool set(gantry::bench::LoadOptions& options, const std::string& word) {
  const std::size_t equals = word.find('=');
  const std::string key = word.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
  if (key == "per_user") {
    options.per_user = std::atoi(value.c_str());
  } else if (key == "turns") {
    options.turns = std::atoi(value.c_str());
  } else if (key == "chunks") {
    options.chunks = std::atoi(value.c_str());
  } else if (key == "gap_us") {
    options.gap_us = std::atoll(value.c_str());
  } else if (key == "spread_ms") {
    options.spread_ms = std::atoll(value.c_str());
  } else if (key == "definition") {
    options.definition = value == "1";
  } else if (key == "path") {
    options.path = value;
  } else if (key == "frames") {
    options.frames = value;
  } else if (key == "echo") {
    options.echo = value == "1";
  } else if (key == "hold") {
    options.hold = value == "1";
  } else if (key == "record") {
    options.record = value;
  } else {
    return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  const std::string mode = argc > 2 ? argv[1] : "";
  const auto port = static_cast<std::uint16_t>(argc > 2 ? std::atoi(argv[2]) : 0);
  if (mode == "model") {
    gantry::bench::serve_model(port);
    return 0;
  }
  if (mode == "floor" && argc == 6) {
    gantry::bench::serve_floor(port, static_cast<std::uint16_t>(std::atoi(argv[3])), argv[4],
                               argv[5]);
    return 0;
  }
  gantry::bench::LoadOptions options;
  options.port = port;
  bool understood = mode == "turns" && argc > 3;
  if (understood) options.token_file = argv[3];
  for (int i = 4; i < argc; ++i) understood = set(options, argv[i]) && understood;
  if (!understood) {
    std::fputs("see the top of agent_load.cpp\n", stderr);
    return 2;
  }
  return gantry::bench::run_clients(options);
}
