// SPDX-License-Identifier: Apache-2.0
#include "actions.hpp"

#include <gantry/counted.hpp>

#include "decode.hpp"
#include "fetch_call.hpp"
#include "roles.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

namespace gantry::atspi {
namespace {

constexpr const char* kEditable = "org.a11y.atspi.EditableText";

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

/// Index of the wanted action; nullopt when there is none of that name.
std::optional<int> pick(const std::vector<ActionInfo>& actions, const std::string& wanted) {
  if (wanted.empty()) return actions.empty() ? std::nullopt : std::optional(0);
  for (std::size_t i = 0; i < actions.size(); ++i) {
    if (same_word(actions[i].name, wanted)) return static_cast<int>(i);
  }
  int index = 0;
  const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), index);
  const bool number = error == std::errc{} && end == wanted.data() + wanted.size();
  if (number && index >= 0 && static_cast<std::size_t>(index) < actions.size()) return index;
  return std::nullopt;
}

std::string names_of(const std::vector<ActionInfo>& actions) {
  std::string names;
  for (const ActionInfo& action : actions) names += (names.empty() ? "" : ", ") + action.name;
  return names.empty() ? "none" : names;
}

/// The errors of a call in the words of the contract.
Error translated(const Error& error, const ObjectRef& object) {
  const std::string who = object.native() + ": " + error.message;
  if (error.code == Code::Unimplemented) {
    return {Code::Unimplemented,
            who + "; the element is gone or cannot do that: read the tree again",
            {}};
  }
  if (error.code == Code::Unavailable) {
    return {Code::NotFound, who + "; the application has left the bus: list the windows again", {}};
  }
  return {error.code, who, {}};
}

}  // namespace

Task<Result<Acted>> Actions::ask(ObjectRef object, const char* interface, const char* member,
                                 std::function<int(sd_bus_message*)> fill, std::string shown) {
  Call call = method(object, interface, member, {});
  call.fill = std::move(fill);
  Acted acted;
  Result<bool> answered = co_await bus_->call(std::move(call), config_.call_timeout,
                                              [&acted](sd_bus_message* m) -> Result<void> {
                                                // A method without a result (old SetTextContents)
                                                // counts as accepted once it is answered.
                                                acted.accepted = true;
                                                if (sd_bus_message_has_signature(m, "b") > 0) {
                                                  GANTRY_ASSIGN(acted.accepted, decode_bool(m));
                                                }
                                                return {};
                                              });
  if (!answered) co_return translated(answered.error(), object);
  acted.evidence = std::move(shown) + " = " + (acted.accepted ? "true" : "false");
  co_return acted;
}

Task<Result<Acted>> Actions::perform(ObjectRef object, std::string action) {
  std::vector<ActionInfo> actions;
  Result<bool> listed =
      co_await bus_->call(method(object, kAction, "GetActions", {}), config_.call_timeout,
                          [&actions](sd_bus_message* m) -> Result<void> {
                            GANTRY_ASSIGN(actions, decode_actions(m));
                            return {};
                          });
  if (!listed) co_return translated(listed.error(), object);
  std::optional<int> index = pick(actions, action);
  if (!index || actions[static_cast<std::size_t>(*index)].name.empty()) {
    Result<bool> named = co_await read_names(object, actions);
    if (!named) co_return translated(named.error(), object);
    index = pick(actions, action);
  }
  if (!index) {
    co_return Error{
        Code::Unimplemented,
        object.native() + " has no action \"" + action + "\"; it has " + names_of(actions),
        {}};
  }
  const int number = *index;
  std::string shown = "Action.DoAction(" + std::to_string(number) + " " +
                      actions[static_cast<std::size_t>(number)].name + ")";
  co_return co_await ask(
      object, kAction, "DoAction",
      [number](sd_bus_message* m) { return sd_bus_message_append(m, "i", number); },
      std::move(shown));
}

Task<Result<bool>> Actions::read_names(ObjectRef object, std::vector<ActionInfo>& actions) {
  // GetActions answers localized names (or none, Chromium); GetName is the same in every language.
  std::vector<Call> calls;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    Call call = method(object, kAction, "GetName", [&actions, i](const CallResult& answer) {
      if (answer.failure != CallFailure::kNone) return;
      if (auto name = decode_string(answer.reply)) actions[i].name = *name;
    });
    call.fill = [i](sd_bus_message* m) {
      return sd_bus_message_append(m, "i", static_cast<std::int32_t>(i));
    };
    calls.push_back(std::move(call));
  }
  BatchLimits limits;
  limits.deadline = Clock::now() + config_.call_timeout;
  limits.per_call = config_.call_timeout;
  const BatchOutcome outcome = co_await bus_->run(std::move(calls), limits);
  if (outcome.peer_silent || outcome.deadline_hit) {
    co_return Error{Code::DeadlineExceeded, "the application did not name its actions", {}};
  }
  co_return true;
}

Task<Result<Acted>> Actions::focus(ObjectRef object) {
  return ask(std::move(object), kComponent, "GrabFocus", {}, "Component.GrabFocus()");
}

Task<Result<Acted>> Actions::scroll_to(ObjectRef object) {
  constexpr std::uint32_t kAnywhere = 6;  // ATSPI_SCROLL_ANYWHERE: as little as makes it visible
  return ask(
      std::move(object), kComponent, "ScrollTo",
      [](sd_bus_message* m) { return sd_bus_message_append(m, "u", kAnywhere); },
      "Component.ScrollTo(anywhere)");
}

Task<Result<Acted>> Actions::set_text(ObjectRef object, std::string text) {
  std::string shown = "EditableText.SetTextContents(" + counted(text.size(), "byte") + ")";
  return ask(
      std::move(object), kEditable, "SetTextContents",
      [text](sd_bus_message* m) { return sd_bus_message_append(m, "s", text.c_str()); },
      std::move(shown));
}

Task<Result<Acted>> Actions::insert_text(ObjectRef object, int position, std::string text) {
  if (position < 0) {
    Result<int> count = co_await read_count(object, kText, "CharacterCount");
    if (!count) co_return count.error();
    position = *count;
  }
  Task<Result<Acted>> inserted = insert_at(std::move(object), position, std::move(text));
  co_return co_await inserted;
}

Task<Result<Acted>> Actions::insert_at(ObjectRef object, int position, std::string text) {
  const auto bytes = static_cast<std::int32_t>(text.size());
  std::string shown = "EditableText.InsertText(at " + std::to_string(position) + ", " +
                      std::to_string(bytes) + " bytes)";
  return ask(
      std::move(object), kEditable, "InsertText",
      [position, bytes, text](sd_bus_message* m) {
        return sd_bus_message_append(m, "isi", position, text.c_str(), bytes);
      },
      std::move(shown));
}

Task<Result<Acted>> Actions::set_value(ObjectRef object, double value) {
  Call call;
  call.destination = object.bus;
  call.path = object.path;
  call.interface = "org.freedesktop.DBus.Properties";
  call.member = "Set";
  call.fill = [value](sd_bus_message* m) {
    return sd_bus_message_append(m, "ssv", kValue, "CurrentValue", "d", value);
  };
  Result<bool> answered = co_await bus_->call(std::move(call), config_.call_timeout);
  if (!answered) co_return translated(answered.error(), object);
  // The setter has no result: what the object says now is the evidence.
  double now = 0;
  Result<bool> read =
      co_await bus_->call(property_call(object.bus, object.path, kValue, "CurrentValue", {}),
                          config_.call_timeout, [&now](sd_bus_message* m) -> Result<void> {
                            GANTRY_ASSIGN(now, decode_variant_double(m));
                            return {};
                          });
  Acted acted;
  acted.accepted = read.ok();
  acted.evidence = "Value.CurrentValue set; reads " + (read ? std::to_string(now) : "nothing");
  co_return acted;
}

Task<Result<int>> Actions::read_count(ObjectRef object, const char* interface,
                                      const char* property) {
  int count = 0;
  Result<bool> read =
      co_await bus_->call(property_call(object.bus, object.path, interface, property, {}),
                          config_.call_timeout, [&count](sd_bus_message* m) -> Result<void> {
                            GANTRY_ASSIGN(count, decode_variant_int(m));
                            return {};
                          });
  if (!read) co_return translated(read.error(), object);
  co_return count;
}

Task<Result<bool>> Actions::refuse_password(ObjectRef object) {
  std::uint32_t role = 0;
  Result<bool> read =
      co_await bus_->call(method(object, kAccessible, "GetRole", {}), config_.call_timeout,
                          [&role](sd_bus_message* m) -> Result<void> {
                            GANTRY_ASSIGN(role, decode_u32(m));
                            return {};
                          });
  if (!read) co_return translated(read.error(), object);
  if ((role_info(role).traits & kSecret) != 0) {
    co_return Error{Code::PermissionDenied,
                    object.native() + " is a password field; its text is never read",
                    {}};
  }
  co_return true;
}

Task<Result<Acted>> Actions::get_text(ObjectRef object, int max_characters) {
  Result<bool> allowed = co_await refuse_password(object);
  if (!allowed) co_return allowed.error();
  Result<int> count = co_await read_count(object, kText, "CharacterCount");
  if (!count) co_return count.error();
  const int end = std::min(*count, max_characters);
  Acted acted;
  Call call = method(object, kText, "GetText", {});
  call.fill = [end](sd_bus_message* m) { return sd_bus_message_append(m, "ii", 0, end); };
  Result<bool> read = co_await bus_->call(std::move(call), config_.call_timeout,
                                          [&acted](sd_bus_message* m) -> Result<void> {
                                            GANTRY_ASSIGN(acted.text, decode_string(m));
                                            return {};
                                          });
  if (!read) co_return translated(read.error(), object);
  acted.accepted = true;
  acted.evidence = "Text.GetText(0, " + std::to_string(end) + ") of " + std::to_string(*count);
  co_return acted;
}

Task<Result<Acted>> Actions::get_selection(ObjectRef object) {
  Result<int> count = co_await read_count(object, kSelection, "NSelectedChildren");
  if (!count) co_return count.error();
  Acted acted;
  acted.evidence = "Selection.NSelectedChildren = " + std::to_string(*count);
  if (*count < 1) co_return acted;
  ObjectRef child;
  Call call = method(object, kSelection, "GetSelectedChild", {});
  call.fill = [](sd_bus_message* m) { return sd_bus_message_append(m, "i", 0); };
  Result<bool> read = co_await bus_->call(std::move(call), config_.call_timeout,
                                          [&child](sd_bus_message* m) -> Result<void> {
                                            GANTRY_ASSIGN(child, decode_ref(m));
                                            return {};
                                          });
  if (!read) co_return translated(read.error(), object);
  if (child.null()) co_return acted;
  read = co_await bus_->call(property_call(child.bus, child.path, kAccessible, "Name", {}),
                             config_.call_timeout, [&acted](sd_bus_message* m) -> Result<void> {
                               GANTRY_ASSIGN(acted.text, decode_variant_string(m));
                               return {};
                             });
  if (!read) co_return translated(read.error(), child);
  acted.accepted = true;
  acted.evidence += ", Selection.GetSelectedChild(0) read";
  co_return acted;
}

}  // namespace gantry::atspi
