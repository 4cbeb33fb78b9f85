// SPDX-License-Identifier: Apache-2.0
// The lines of gantry doctor that come from the machine itself, and the report that they make.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/ports.hpp"
#include "config/environment.hpp"

namespace gantry::cli {

/// Good; worth knowing; in the way of starting.
enum class Grade { kGood, kNote, kBad };

struct Line {
  std::string area;
  Grade grade = Grade::kGood;
  std::string finding;
  std::string cure;  ///< what to do or to type; empty when there is nothing to cure
};

using Report = std::vector<Line>;

/// Display and session bus that programs of this session have.
void check_session(const config::Environment& environment, Report& report);
/// Programs that a desktop needs beside the daemon, looked for below `root`.
void check_programs(const std::filesystem::path& root, Report& report);
/// Whether each port could be bound now.
void check_ports_free(const std::vector<WantedPort>& ports, Report& report);
/// Whether the folders of GANTRY_RUNTIME_DIR and GANTRY_STATE_DIR are there or can be made.
void check_folders(const config::Environment& environment, Report& report);

/// Nothing is bad.
bool is_ready(const Report& report);
/// {"ready", "asked", "lines": [{"area", "grade": ok|note|bad, "finding", "cure"}]} and a newline.
std::string report_json(const Report& report, const std::string& asked);
std::string report_text(const Report& report, const std::string& asked);

}  // namespace gantry::cli
