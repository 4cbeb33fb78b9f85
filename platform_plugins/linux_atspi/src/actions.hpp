// SPDX-License-Identifier: Apache-2.0
// Acting on one object through its own interfaces. Each answer says what the toolkit said; whether
// anything changed is for the caller to verify (toolkits answer true and do nothing). Bus thread
// only.
#pragma once

#include "bus.hpp"
#include "config.hpp"
#include "node.hpp"

#include <gantry/result.hpp>

#include <memory>
#include <string>

namespace gantry::atspi {

struct Acted {
  bool accepted = false;  ///< the toolkit's own answer
  std::string text;       ///< get_text: the content; get_selection: the child's name
  std::string evidence;   ///< what was called and what came back, "Action.DoAction(0 click) = true"
};

/// Errors: not_found (object or application is gone), unimplemented (no such interface or action),
/// deadline_exceeded (silent application), permission_denied (password), unavailable.
class Actions {
 public:
  Actions(std::shared_ptr<Bus> bus, const AtspiConfig& config)
      : bus_(std::move(bus)), config_(config) {}

  /// `action`: a name (case does not matter), a decimal index, or empty for the first one.
  Task<Result<Acted>> perform(ObjectRef object, std::string action);
  Task<Result<Acted>> focus(ObjectRef object);
  Task<Result<Acted>> scroll_to(ObjectRef object);
  /// Replaces the whole content.
  Task<Result<Acted>> set_text(ObjectRef object, std::string text);
  /// `position` in characters, −1: at the end. The protocol wants the length in bytes.
  Task<Result<Acted>> insert_text(ObjectRef object, int position, std::string text);
  Task<Result<Acted>> set_value(ObjectRef object, double value);
  Task<Result<Acted>> get_text(ObjectRef object, int max_characters);
  /// The name of the first selected child; not accepted when none is selected.
  Task<Result<Acted>> get_selection(ObjectRef object);

 private:
  Task<Result<Acted>> ask(ObjectRef object, const char* interface, const char* member,
                          std::function<int(sd_bus_message*)> fill, std::string shown);
  Task<Result<Acted>> insert_at(ObjectRef object, int position, std::string text);
  Task<Result<bool>> read_names(ObjectRef object, std::vector<ActionInfo>& actions);
  Task<Result<int>> read_count(ObjectRef object, const char* interface, const char* property);
  Task<Result<bool>> refuse_password(ObjectRef object);

  std::shared_ptr<Bus> bus_;
  const AtspiConfig& config_;
};

}  // namespace gantry::atspi
