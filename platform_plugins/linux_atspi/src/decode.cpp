// SPDX-License-Identifier: Apache-2.0
#include "decode.hpp"

#include "geometry.hpp"

#include <array>
#include <cstring>
#include <string_view>

namespace gantry::atspi {
namespace {

constexpr const char* kItemsNow = "a((so)(so)(so)iiassusau)";
constexpr const char* kItemsOld = "a((so)(so)(so)a(so)assusau)";

constexpr std::string_view kInterfacePrefix = "org.a11y.atspi.";
constexpr std::array<std::pair<std::string_view, std::uint32_t>, 11> kInterfaces = {{
    {"Accessible", kHasAccessible},
    {"Action", kHasAction},
    {"Application", kHasApplication},
    {"Collection", kHasCollection},
    {"Component", kHasComponent},
    {"Document", kHasDocument},
    {"EditableText", kHasEditableText},
    {"Selection", kHasSelection},
    {"Table", kHasTable},
    {"Text", kHasText},
    {"Value", kHasValue},
}};

Error malformed(sd_bus_message* message, int status) {
  const char* signature = sd_bus_message_get_signature(message, 1);
  return internal_error(std::string("an accessibility answer could not be read: signature \"") +
                        (signature != nullptr ? signature : "") + "\", " + std::strerror(-status));
}

int read_ref(sd_bus_message* message, ObjectRef& out) {
  const char* bus = nullptr;
  const char* path = nullptr;
  const int status = sd_bus_message_read(message, "(so)", &bus, &path);
  if (status > 0) {
    out.bus = bus;
    out.path = path;
  }
  return status;
}

int read_refs(sd_bus_message* message, std::vector<ObjectRef>& out) {
  int status = sd_bus_message_enter_container(message, 'a', "(so)");
  if (status < 0) return status;
  ObjectRef ref;
  while ((status = read_ref(message, ref)) > 0) out.push_back(ref);
  return status < 0 ? status : sd_bus_message_exit_container(message);
}

constexpr std::uint32_t kLabelledBy = 2;  // AtspiRelationType of at-spi2-core

int read_label(sd_bus_message* message, ObjectRef& out) {
  int status = sd_bus_message_enter_container(message, 'a', "(ua(so))");
  if (status < 0) return status;
  while ((status = sd_bus_message_enter_container(message, 'r', "ua(so)")) > 0) {
    std::uint32_t type = 0;
    std::vector<ObjectRef> targets;
    status = sd_bus_message_read_basic(message, 'u', &type);
    if (status >= 0) status = read_refs(message, targets);
    if (status >= 0) status = sd_bus_message_exit_container(message);
    if (status < 0) return status;
    if (type == kLabelledBy && out.null() && !targets.empty()) out = std::move(targets.front());
  }
  return status < 0 ? status : sd_bus_message_exit_container(message);
}

int read_states(sd_bus_message* message, StateSet& out) {
  const void* words = nullptr;
  std::size_t size = 0;
  const int status = sd_bus_message_read_array(message, 'u', &words, &size);
  if (status < 0) return status;
  std::array<std::uint32_t, 2> pair{};
  if (size > 0) std::memcpy(pair.data(), words, std::min(size, sizeof pair));
  out = StateSet(pair[0], pair[1]);
  return 1;
}

int read_interfaces(sd_bus_message* message, std::uint32_t& out) {
  int status = sd_bus_message_enter_container(message, 'a', "s");
  if (status < 0) return status;
  const char* name = nullptr;
  out = 0;
  while ((status = sd_bus_message_read_basic(message, 's', &name)) > 0) out |= interface_bit(name);
  return status < 0 ? status : sd_bus_message_exit_container(message);
}

/// The fields after the three references; `old_format` has the child list in place of two numbers.
int read_item_tail(sd_bus_message* message, bool old_format, CacheItem& item) {
  int status = old_format ? read_refs(message, item.children)
                          : sd_bus_message_read(message, "ii", &item.index, &item.child_count);
  if (status < 0) return status;
  item.lists_children = old_format;
  if (old_format) item.child_count = static_cast<int>(item.children.size());
  status = read_interfaces(message, item.interfaces);
  if (status < 0) return status;
  const char* name = nullptr;
  const char* description = nullptr;
  status = sd_bus_message_read(message, "sus", &name, &item.role, &description);
  if (status < 0) return status;
  item.name = name;
  item.description = description;
  return read_states(message, item.states);
}

/// 1 when an item was read, 0 at the end of the enclosing array.
int read_item(sd_bus_message* message, bool old_format, CacheItem& item) {
  const char* contents = old_format ? "(so)(so)(so)a(so)assusau" : "(so)(so)(so)iiassusau";
  int status = sd_bus_message_enter_container(message, 'r', contents);
  if (status <= 0) return status;
  ObjectRef application;
  status = read_ref(message, item.object);
  if (status < 0) return status;
  status = read_ref(message, application);
  if (status < 0) return status;
  status = read_ref(message, item.parent);
  if (status < 0) return status;
  status = read_item_tail(message, old_format, item);
  if (status < 0) return status;
  status = sd_bus_message_exit_container(message);
  return status < 0 ? status : 1;
}

template <class T, class Read>
Result<T> decode_with(sd_bus_message* message, Read read) {
  T value{};
  const int status = read(message, value);
  if (status < 0) return malformed(message, status);
  return value;
}

template <class T>
int read_number(sd_bus_message* message, char type, T& out) {
  if (type == 'd') {
    double value = 0;
    const int status = sd_bus_message_read_basic(message, 'd', &value);
    out = static_cast<T>(value);
    return status;
  }
  if (type == 'i') {
    std::int32_t value = 0;
    const int status = sd_bus_message_read_basic(message, 'i', &value);
    out = static_cast<T>(value);
    return status;
  }
  if (type == 'u') {
    std::uint32_t value = 0;
    const int status = sd_bus_message_read_basic(message, 'u', &value);
    out = static_cast<T>(value);
    return status;
  }
  return -EBADMSG;
}

template <class T>
Result<T> decode_variant_number(sd_bus_message* message) {
  return decode_with<T>(message, [](sd_bus_message* m, T& out) {
    char type = 0;
    const char* contents = nullptr;
    int status = sd_bus_message_peek_type(m, &type, &contents);
    if (status <= 0 || type != 'v') return -EBADMSG;
    status = sd_bus_message_enter_container(m, 'v', contents);
    if (status < 0) return status;
    status = read_number(m, contents[0], out);
    if (status < 0) return status;
    return sd_bus_message_exit_container(m);
  });
}

}  // namespace

std::uint32_t interface_bit(std::string_view name) {
  if (!name.starts_with(kInterfacePrefix)) return 0;
  name.remove_prefix(kInterfacePrefix.size());
  for (const auto& [known, bit] : kInterfaces) {
    if (known == name) return bit;
  }
  return 0;
}

std::optional<ObjectRef> ObjectRef::parse(std::string_view native) {
  // The bus name itself has a ':' (":1.42"), so the path starts at the first ":/".
  const auto at = native.find(":/");
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  ObjectRef ref{std::string(native.substr(0, at)), std::string(native.substr(at + 1))};
  if (sd_bus_object_path_is_valid(ref.path.c_str()) <= 0) return std::nullopt;
  if (sd_bus_service_name_is_valid(ref.bus.c_str()) <= 0) return std::nullopt;
  return ref;
}

Result<std::vector<CacheItem>> decode_cache_items(sd_bus_message* message, std::size_t max_items) {
  const bool now = sd_bus_message_has_signature(message, kItemsNow) > 0;
  const bool old = !now && sd_bus_message_has_signature(message, kItemsOld) > 0;
  if (!now && !old) return malformed(message, -EBADMSG);
  const char* element = now ? "((so)(so)(so)iiassusau)" : "((so)(so)(so)a(so)assusau)";
  int status = sd_bus_message_enter_container(message, 'a', element);
  if (status < 0) return malformed(message, status);
  std::vector<CacheItem> items;
  while (items.size() < max_items) {
    CacheItem item;
    status = read_item(message, old, item);
    if (status < 0) return malformed(message, status);
    if (status == 0) break;
    items.push_back(std::move(item));
  }
  return items;
}

Result<CacheItem> decode_cache_item(sd_bus_message* message) {
  const bool old = sd_bus_message_has_signature(message, "((so)(so)(so)a(so)assusau)") > 0;
  CacheItem item;
  const int status = read_item(message, old, item);
  if (status <= 0) return malformed(message, status == 0 ? -EBADMSG : status);
  return item;
}

Result<std::vector<ObjectRef>> decode_refs(sd_bus_message* message) {
  return decode_with<std::vector<ObjectRef>>(message, read_refs);
}

Result<ObjectRef> decode_ref(sd_bus_message* message) {
  return decode_with<ObjectRef>(message, read_ref);
}

Result<ObjectRef> decode_label(sd_bus_message* message) {
  return decode_with<ObjectRef>(message, read_label);
}

Result<StateSet> decode_states(sd_bus_message* message) {
  return decode_with<StateSet>(message, read_states);
}

Result<std::uint32_t> decode_interfaces(sd_bus_message* message) {
  return decode_with<std::uint32_t>(message, read_interfaces);
}

Result<std::uint32_t> decode_u32(sd_bus_message* message) {
  return decode_with<std::uint32_t>(message, [](sd_bus_message* m, std::uint32_t& out) {
    char type = 0;
    const int status = sd_bus_message_peek_type(m, &type, nullptr);
    return status <= 0 ? -EBADMSG : read_number(m, type, out);
  });
}

Result<bool> decode_bool(sd_bus_message* message) {
  return decode_with<bool>(message, [](sd_bus_message* m, bool& out) {
    int value = 0;
    const int status = sd_bus_message_read(m, "b", &value);
    out = value != 0;
    return status;
  });
}

Result<std::string> decode_string(sd_bus_message* message) {
  return decode_with<std::string>(message, [](sd_bus_message* m, std::string& out) {
    const char* text = nullptr;
    const int status = sd_bus_message_read(m, "s", &text);
    if (status > 0) out = text;
    return status;
  });
}

Result<std::vector<std::string>> decode_strings(sd_bus_message* message) {
  return decode_with<std::vector<std::string>>(
      message, [](sd_bus_message* m, std::vector<std::string>& out) {
        int status = sd_bus_message_enter_container(m, 'a', "s");
        if (status < 0) return status;
        const char* text = nullptr;
        while ((status = sd_bus_message_read_basic(m, 's', &text)) > 0) out.emplace_back(text);
        return status;
      });
}

Result<std::vector<ActionInfo>> decode_actions(sd_bus_message* message) {
  return decode_with<std::vector<ActionInfo>>(
      message, [](sd_bus_message* m, std::vector<ActionInfo>& out) {
        int status = sd_bus_message_enter_container(m, 'a', "(sss)");
        if (status < 0) return status;
        const char* name = nullptr;
        const char* description = nullptr;
        const char* key = nullptr;
        while ((status = sd_bus_message_read(m, "(sss)", &name, &description, &key)) > 0) {
          out.push_back({name, description, key});
        }
        return status;
      });
}

Result<std::string> decode_attribute(sd_bus_message* message, std::string_view key) {
  return decode_with<std::string>(message, [key](sd_bus_message* m, std::string& out) {
    int status = sd_bus_message_enter_container(m, 'a', "{ss}");
    if (status < 0) return status;
    const char* name = nullptr;
    const char* value = nullptr;
    while ((status = sd_bus_message_read(m, "{ss}", &name, &value)) > 0) {
      if (name == key) out = value;
    }
    return status < 0 ? status : sd_bus_message_exit_container(m);
  });
}

Result<std::optional<Bounds>> decode_extents(sd_bus_message* message) {
  return decode_with<std::optional<Bounds>>(
      message, [](sd_bus_message* m, std::optional<Bounds>& out) {
        Bounds box;
        const char* format = sd_bus_message_has_signature(m, "(iiii)") > 0 ? "(iiii)" : "iiii";
        const int status = sd_bus_message_read(m, format, &box.x, &box.y, &box.width, &box.height);
        if (status > 0) out = plausible_bounds(box);
        return status;
      });
}

Result<std::string> decode_variant_string(sd_bus_message* message) {
  return decode_with<std::string>(message, [](sd_bus_message* m, std::string& out) {
    const char* text = nullptr;
    const int status = sd_bus_message_read(m, "v", "s", &text);
    if (status > 0) out = text;
    return status;
  });
}

Result<int> decode_variant_int(sd_bus_message* message) {
  return decode_variant_number<int>(message);
}

Result<double> decode_variant_double(sd_bus_message* message) {
  return decode_variant_number<double>(message);
}

Result<bool> decode_variant_bool(sd_bus_message* message) {
  return decode_with<bool>(message, [](sd_bus_message* m, bool& out) {
    int value = 0;
    const int status = sd_bus_message_read(m, "v", "b", &value);
    out = value != 0;
    return status;
  });
}

namespace {

int read_property(sd_bus_message* m, AccessibleProperties& out) {
  const char* name = nullptr;
  int status = sd_bus_message_read_basic(m, 's', &name);
  if (status < 0) return status;
  const std::string_view key = name;
  const char* text = nullptr;
  if (key == "Name" || key == "Description" || key == "AccessibleId") {
    status = sd_bus_message_read(m, "v", "s", &text);
    if (status < 0) return status;
    (key == "Name" ? out.name : key == "Description" ? out.description : out.identifier) = text;
    return 1;
  }
  if (key == "Attributes" && out.identifier.empty()) {
    // atk-bridge adds them here; a web page's element id is among them.
    status = sd_bus_message_enter_container(m, 'v', "a{ss}");
    if (status < 0) return status;
    auto id = decode_attribute(m, "id");
    if (!id) return -EBADMSG;
    out.identifier = *id;
    return sd_bus_message_exit_container(m);
  }
  if (key == "ChildCount") return sd_bus_message_read(m, "v", "i", &out.child_count);
  return sd_bus_message_skip(m, "v");
}

}  // namespace

Result<AccessibleProperties> decode_accessible_properties(sd_bus_message* message) {
  return decode_with<AccessibleProperties>(
      message, [](sd_bus_message* m, AccessibleProperties& out) {
        int status = sd_bus_message_enter_container(m, 'a', "{sv}");
        if (status < 0) return status;
        while ((status = sd_bus_message_enter_container(m, 'e', "sv")) > 0) {
          status = read_property(m, out);
          if (status < 0) return status;
          status = sd_bus_message_exit_container(m);
          if (status < 0) return status;
        }
        return status;
      });
}

std::optional<Event> decode_event(sd_bus_message* message) {
  constexpr std::string_view kPrefix = "org.a11y.atspi.Event.";
  const char* interface = sd_bus_message_get_interface(message);
  const char* member = sd_bus_message_get_member(message);
  const char* sender = sd_bus_message_get_sender(message);
  const char* path = sd_bus_message_get_path(message);
  if (interface == nullptr || member == nullptr || sender == nullptr || path == nullptr) {
    return std::nullopt;
  }
  if (!std::string_view(interface).starts_with(kPrefix)) return std::nullopt;
  Event event;
  event.source = {sender, path};
  event.interface = interface + kPrefix.size();
  event.member = member;
  const char* detail = nullptr;
  if (sd_bus_message_read(message, "sii", &detail, &event.detail1, &event.detail2) < 0) {
    return std::nullopt;
  }
  event.detail = detail;
  char type = 0;
  const char* contents = nullptr;
  if (sd_bus_message_peek_type(message, &type, &contents) > 0 && type == 'v') {
    const char* text = nullptr;
    ObjectRef object;
    if (std::strcmp(contents, "s") == 0 && sd_bus_message_read(message, "v", "s", &text) > 0) {
      event.text = text;
    } else if (std::strcmp(contents, "(so)") == 0 &&
               sd_bus_message_enter_container(message, 'v', "(so)") > 0 &&
               read_ref(message, object) > 0) {
      event.object = std::move(object);
    }
  }
  return event;
}

}  // namespace gantry::atspi
