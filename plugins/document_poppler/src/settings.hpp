// SPDX-License-Identifier: Apache-2.0
#pragma once
// The plugin's configuration, as plugin.yaml declares it.

#include <gantry/result.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace gantry::document_poppler {

struct Limits {
  std::int64_t file = 32LL << 20;  // bytes
  std::int64_t pages = 500;
  std::int64_t memory = 1LL << 30;  // bytes
  std::int64_t time = 20'000;       // milliseconds
  std::int64_t running = 2;
  std::int64_t waiting = 64;
};
BOOST_DESCRIBE_STRUCT(Limits, (), (file, pages, memory, time, running, waiting))

struct Settings {
  std::string program = "pdftotext";
  std::string sandbox = "bubblewrap";  // or none
  std::string bubblewrap = "/usr/bin/bwrap";
  Limits limits;
};
BOOST_DESCRIBE_STRUCT(Settings, (), (program, sandbox, bubblewrap, limits))

[[nodiscard]] Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::document_poppler
