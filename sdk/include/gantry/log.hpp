// SPDX-License-Identifier: Apache-2.0
//
// Log: structured log lines of one plugin. Cheap to copy; every member may be called from any
// thread until the plugin is destroyed. A default-constructed Log writes nothing.
#pragma once

#include <gantry/abi/observe.h>
#include <gantry/buffer.hpp>
#include <gantry/contract_id.hpp>

#include <exception>
#include <initializer_list>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace gantry {

/// One key and value of a structured log line.
struct Field {
  std::string_view key;
  std::string value;
  bool secret = false;

  Field(std::string_view k, std::string_view v) : key(k), value(v) {}
  Field(std::string_view k, const char* v) : key(k), value(v) {}
  Field(std::string_view k, const std::string& v) : key(k), value(v) {}
  Field(std::string_view k, bool v) : key(k), value(v ? "true" : "false") {}
  template <class N>
    requires std::is_arithmetic_v<N>
  Field(std::string_view k, N v) : key(k), value(std::to_string(v)) {}
};

/// A field whose value is printed as ***.
inline Field secret(std::string_view key, std::string_view value) {
  Field field(key, value);
  field.secret = true;
  return field;
}

class Log {
 public:
  using Fields = std::initializer_list<Field>;
  using Place = std::source_location;

  Log() = default;
  Log(gantry_host* host, const gantry_host_log* table) : host_(host), table_(table) {}

  void trace(std::string_view message, Fields fields = {}, Place at = Place::current()) const {
    write(GANTRY_LOG_TRACE, message, fields, at);
  }
  void debug(std::string_view message, Fields fields = {}, Place at = Place::current()) const {
    write(GANTRY_LOG_DEBUG, message, fields, at);
  }
  void info(std::string_view message, Fields fields = {}, Place at = Place::current()) const {
    write(GANTRY_LOG_INFO, message, fields, at);
  }
  void warn(std::string_view message, Fields fields = {}, Place at = Place::current()) const {
    write(GANTRY_LOG_WARN, message, fields, at);
  }
  void error(std::string_view message, Fields fields = {}, Place at = Place::current()) const {
    write(GANTRY_LOG_ERROR, message, fields, at);
  }

  /// Whether a line of that level would be written; saves the work of preparing it.
  [[nodiscard]] bool enabled(gantry_log_level level) const {
    return table_ != nullptr && table_->enabled(host_, level) != 0;
  }

 private:
  void write(gantry_log_level level, std::string_view message, Fields fields,
             const Place& at) const {
    if (!enabled(level)) return;
    std::vector<gantry_log_field> raw;
    raw.reserve(fields.size());
    for (const Field& field : fields) {
      raw.push_back({to_str(field.key), to_str(field.value),
                     field.secret ? GANTRY_FIELD_SECRET : GANTRY_FIELD_PLAIN, 0});
    }
    // Lines of one place share a rate limit. Zero would mean "no place".
    const std::uint64_t site = (contract_id(at.file_name()) ^ at.line()) | 1U;
    table_->write(host_, level, site, to_str(message), raw.data(), raw.size());
  }
  gantry_host* host_ = nullptr;
  const gantry_host_log* table_ = nullptr;
};

namespace detail {

/// What the exception that is being handled says.
inline std::string current_exception_text() {
  try {
    throw;
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "something that is not a std::exception";
  }
}

/// Runs `work`. An exception must not cross the plugin boundary, and when nobody waits for an
/// answer the log is the only place that can tell of it. True when `work` returned.
template <class F>
bool run_guarded(const Log& log, std::string_view what, F&& work) noexcept {
  try {
    work();
    return true;
  } catch (...) {
    log.error("an exception left a handler",
              {{"handler", what}, {"exception", current_exception_text()}});
    return false;
  }
}

}  // namespace detail
}  // namespace gantry
