// SPDX-License-Identifier: Apache-2.0
#include "fake_peer.hpp"

#include <poll.h>

#include <cstring>

namespace gantry::atspi::testing {
namespace {

constexpr const char* kPrefix = "/org/a11y/atspi/accessible/";

std::string id_of(const char* path) {
  const std::size_t length = std::strlen(kPrefix);
  return std::strncmp(path, kPrefix, length) == 0 ? path + length : "";
}

int append_interfaces(sd_bus_message* m, const FakeNode& node) {
  int status = sd_bus_message_open_container(m, 'a', "s");
  for (const std::string& name : node.interfaces) {
    if (status >= 0) status = sd_bus_message_append(m, "s", ("org.a11y.atspi." + name).c_str());
  }
  return status < 0 ? status : sd_bus_message_close_container(m);
}

int append_states(sd_bus_message* m, const FakeNode& node) {
  return sd_bus_message_append(m, "au", 2, static_cast<std::uint32_t>(node.states),
                               static_cast<std::uint32_t>(node.states >> 32U));
}

}  // namespace

FakePeer::FakePeer(const std::string& address, Behaviour behaviour, bool registry)
    : behaviour_(std::move(behaviour)), registry_(registry) {
  sd_bus_new(&bus_);
  sd_bus_set_address(bus_, address.c_str());
  sd_bus_set_bus_client(bus_, 1);
  open_ = sd_bus_start(bus_) >= 0;
  if (registry_) sd_bus_request_name(bus_, "org.a11y.atspi.Registry", 0);
  const char* name = nullptr;
  if (sd_bus_get_unique_name(bus_, &name) >= 0) unique_name_ = name;
  sd_bus_add_filter(bus_, nullptr, &FakePeer::on_message, this);
  if (!registry_) {
    FakeNode& root = nodes_["root"];
    root.role = 75;
    root.name = "fake";
    root.interfaces = {"Accessible", "Application"};
  }
  loop_.attach(this);
  thread_ = std::thread([this] { loop_.run(); });
}

FakePeer::~FakePeer() {
  loop_.stop();
  thread_.join();
  sd_bus_close_unref(bus_);
}

std::string FakePeer::path_of(const std::string& id) { return kPrefix + id; }

void FakePeer::add(const std::string& id, const std::string& parent, FakeNode node) {
  const std::lock_guard lock(mutex_);
  node.parent = parent;
  nodes_[parent].children.push_back(id);
  nodes_[id] = std::move(node);
}

void FakePeer::edit(const std::string& id, const std::function<void(FakeNode&)>& change) {
  const std::lock_guard lock(mutex_);
  change(nodes_[id]);
}

void FakePeer::behave(const std::function<void(Behaviour&)>& change) {
  const std::lock_guard lock(mutex_);
  change(behaviour_);
}

void FakePeer::list_application(const std::string& unique_name) {
  const std::lock_guard lock(mutex_);
  applications_.push_back(unique_name);
}

void FakePeer::emit(const std::string& id, const char* member, const std::string& detail,
                    int detail1, const std::string& text, const std::string& object_id) {
  loop_.post([=, this] {
    sd_bus_message* signal = nullptr;
    sd_bus_message_new_signal(bus_, &signal, path_of(id).c_str(), "org.a11y.atspi.Event.Object",
                              member);
    sd_bus_message_append(signal, "sii", detail.c_str(), detail1, 0);
    if (object_id.empty()) {
      sd_bus_message_append(signal, "v", "s", text.c_str());
    } else {
      sd_bus_message_append(signal, "v", "(so)", unique_name_.c_str(), path_of(object_id).c_str());
    }
    sd_bus_message_append(signal, "(so)", unique_name_.c_str(), path_of("root").c_str());
    sd_bus_send(bus_, signal, nullptr);
    sd_bus_message_unref(signal);
  });
}

int FakePeer::calls(const std::string& member) const {
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(member);
  return found == calls_.end() ? 0 : found->second;
}

int FakePeer::poll_fd() { return open_ ? sd_bus_get_fd(bus_) : -1; }

short FakePeer::poll_events() {
  return open_ ? static_cast<short>(sd_bus_get_events(bus_)) : short{0};
}

TimePoint FakePeer::poll_deadline() {
  std::uint64_t until = 0;
  if (!open_ || sd_bus_get_timeout(bus_, &until) <= 0 || until == UINT64_MAX)
    return TimePoint::max();
  return TimePoint(std::chrono::microseconds(until));
}

void FakePeer::dispatch() {
  while (open_) {
    const int status = sd_bus_process(bus_, nullptr);
    if (status == 0) return;
    if (status < 0) open_ = false;
  }
}

int FakePeer::on_message(sd_bus_message* message, void* self, sd_bus_error*) {
  std::uint8_t type = 0;
  sd_bus_message_get_type(message, &type);
  if (type != SD_BUS_MESSAGE_METHOD_CALL) return 0;
  auto& peer = *static_cast<FakePeer*>(self);
  const std::lock_guard lock(peer.mutex_);
  const int status = peer.answer(message);
  if (status < 0) sd_bus_reply_method_errno(message, status, nullptr);
  return 1;
}

int FakePeer::reply_with(sd_bus_message* call, const std::function<int(sd_bus_message*)>& fill) {
  sd_bus_message* reply = nullptr;
  int status = sd_bus_message_new_method_return(call, &reply);
  if (status >= 0) status = fill(reply);
  if (status >= 0) status = sd_bus_send(nullptr, reply, nullptr);
  sd_bus_message_unref(reply);
  return status < 0 ? status : 1;
}

int FakePeer::append_ref(sd_bus_message* reply, const std::string& id) {
  if (id.empty()) return sd_bus_message_append(reply, "(so)", "", "/org/a11y/atspi/null");
  return sd_bus_message_append(reply, "(so)", unique_name_.c_str(), path_of(id).c_str());
}

int FakePeer::answer(sd_bus_message* call) {
  const std::string member = sd_bus_message_get_member(call);
  ++calls_[member];
  if (behaviour_.die_after >= 0 && ++total_calls_ > behaviour_.die_after) {
    sd_bus_close(bus_);
    open_ = false;
    return 1;
  }
  if (behaviour_.silent) return 1;
  if (registry_) return answer_registry(call, member);
  if (member == "GetItems") return answer_items(call);
  const std::string id = id_of(sd_bus_message_get_path(call));
  if (id.empty() || !nodes_.contains(id)) {
    return sd_bus_reply_method_errorf(call, "org.freedesktop.DBus.Error.UnknownObject", "no %s",
                                      id.c_str());
  }
  return answer_node(call, member, id);
}

int FakePeer::answer_registry(sd_bus_message* call, const std::string& member) {
  if (member == "RegisterEvent") return reply_with(call, [](sd_bus_message*) { return 0; });
  if (member != "GetChildren") return -EOPNOTSUPP;
  return reply_with(call, [this](sd_bus_message* m) {
    int status = sd_bus_message_open_container(m, 'a', "(so)");
    for (const std::string& name : applications_) {
      if (status >= 0) {
        status = sd_bus_message_append(m, "(so)", name.c_str(), path_of("root").c_str());
      }
    }
    return status < 0 ? status : sd_bus_message_close_container(m);
  });
}

int FakePeer::answer_node(sd_bus_message* call, const std::string& member, const std::string& id) {
  const FakeNode& node = nodes_[id];
  if (member == "Get") return answer_property(call, node, id);
  if (member == "GetChildren") {
    return reply_with(call, [&](sd_bus_message* m) {
      int status = sd_bus_message_open_container(m, 'a', "(so)");
      for (const std::string& child : node.children) {
        if (status >= 0) status = append_ref(m, child);
      }
      return status < 0 ? status : sd_bus_message_close_container(m);
    });
  }
  if (member == "GetChildAtIndex") {
    std::int32_t index = 0;
    sd_bus_message_read(call, "i", &index);
    // Endless lists answer the same few children again and again under new names.
    return reply_with(
        call, [&](sd_bus_message* m) { return append_ref(m, "cell" + std::to_string(index)); });
  }
  if (member == "GetRole") {
    return reply_with(call,
                      [&](sd_bus_message* m) { return sd_bus_message_append(m, "u", node.role); });
  }
  if (member == "GetState")
    return reply_with(call, [&](sd_bus_message* m) { return append_states(m, node); });
  if (member == "GetInterfaces") {
    return reply_with(call, [&](sd_bus_message* m) { return append_interfaces(m, node); });
  }
  if (member == "GetExtents") {
    if (behaviour_.silent_extents) return 1;
    return reply_with(call, [&](sd_bus_message* m) {
      return sd_bus_message_append(m, "(iiii)", node.box.x, node.box.y, node.box.width,
                                   node.box.height);
    });
  }
  if (member == "GetText") {
    return reply_with(
        call, [&](sd_bus_message* m) { return sd_bus_message_append(m, "s", node.text.c_str()); });
  }
  if (member == "GetSelectedChild") {
    return reply_with(call, [&](sd_bus_message* m) { return append_ref(m, node.chosen); });
  }
  if (member == "GetRelationSet") {
    return reply_with(call, [&](sd_bus_message* m) {
      if (node.label.empty()) return sd_bus_message_append(m, "a(ua(so))", 0);
      const std::string path = path_of(node.label);
      const char* bus = unique_name_.c_str();
      // 11: member of a group, which names nothing.
      return sd_bus_message_append(m, "a(ua(so))", 2, 11U, 1, bus, path_of("root").c_str(), 2U, 1,
                                   bus, path.c_str());
    });
  }
  if (member == "GetActions") {
    return reply_with(call, [](sd_bus_message* m) {
      return sd_bus_message_append(m, "a(sss)", 1, "click", "", "");
    });
  }
  if (member == "DoAction" || member == "GrabFocus") {
    return reply_with(call, [](sd_bus_message* m) { return sd_bus_message_append(m, "b", 1); });
  }
  if (member == "InsertText") {
    std::int32_t position = 0;
    std::int32_t bytes = 0;
    const char* text = nullptr;
    sd_bus_message_read(call, "isi", &position, &text, &bytes);
    nodes_[id].text.insert(static_cast<std::size_t>(position), text,
                           static_cast<std::size_t>(bytes));
    return reply_with(call, [](sd_bus_message* m) { return sd_bus_message_append(m, "b", 1); });
  }
  return sd_bus_reply_method_errorf(call, "org.freedesktop.DBus.Error.UnknownMethod", "no %s",
                                    member.c_str());
}

int FakePeer::answer_property(sd_bus_message* call, const FakeNode& node, const std::string& id) {
  const char* interface = nullptr;
  const char* name = nullptr;
  sd_bus_message_read(call, "ss", &interface, &name);
  const std::string property = name;
  const auto text = [&](const std::string& value) {
    return reply_with(
        call, [&](sd_bus_message* m) { return sd_bus_message_append(m, "v", "s", value.c_str()); });
  };
  const auto number = [&](std::int32_t value) {
    return reply_with(call,
                      [&](sd_bus_message* m) { return sd_bus_message_append(m, "v", "i", value); });
  };
  if (property == "ToolkitName") return text(behaviour_.toolkit);
  if (property == "Version") return text(behaviour_.version);
  if (property == "Name") return text(node.name);
  if (property == "Description") return text("");
  if (property == "CharacterCount") return number(static_cast<std::int32_t>(node.text.size()));
  if (property == "ChildCount") {
    const bool endless = id == "list" && behaviour_.endless_children > 0;
    return number(
        static_cast<std::int32_t>(endless ? behaviour_.endless_children : node.children.size()));
  }
  if (property == "CurrentValue" || property == "MinimumValue" || property == "MaximumValue") {
    return reply_with(
        call, [&](sd_bus_message* m) { return sd_bus_message_append(m, "v", "d", node.value); });
  }
  return sd_bus_reply_method_errorf(call, "org.freedesktop.DBus.Error.UnknownProperty", "no %s",
                                    name);
}

int FakePeer::answer_items(sd_bus_message* call) {
  if (behaviour_.no_cache || behaviour_.unknown_get_items-- > 0) {
    return sd_bus_reply_method_errorf(call, "org.freedesktop.DBus.Error.UnknownMethod",
                                      "no cache yet");
  }
  return reply_with(call, [this](sd_bus_message* m) {
    const char* item =
        behaviour_.old_cache ? "((so)(so)(so)a(so)assusau)" : "((so)(so)(so)iiassusau)";
    int status = sd_bus_message_open_container(m, 'a', item);
    for (const auto& [id, node] : nodes_) {
      if (status >= 0) status = append_item(m, id, node);
    }
    return status < 0 ? status : sd_bus_message_close_container(m);
  });
}

int FakePeer::append_item(sd_bus_message* m, const std::string& id, const FakeNode& node) {
  const char* contents =
      behaviour_.old_cache ? "(so)(so)(so)a(so)assusau" : "(so)(so)(so)iiassusau";
  int status = sd_bus_message_open_container(m, 'r', contents);
  if (status >= 0) status = append_ref(m, id);
  if (status >= 0) status = append_ref(m, "root");
  if (status >= 0) status = append_ref(m, node.parent);
  if (behaviour_.old_cache) {
    if (status >= 0) status = sd_bus_message_open_container(m, 'a', "(so)");
    for (const std::string& child : node.children) {
      if (status >= 0) status = append_ref(m, child);
    }
    if (status >= 0) status = sd_bus_message_close_container(m);
  } else if (status >= 0) {
    int index = -1;
    const auto parent = nodes_.find(node.parent);
    for (std::size_t i = 0; parent != nodes_.end() && i < parent->second.children.size(); ++i) {
      if (parent->second.children[i] == id) index = static_cast<int>(i);
    }
    const bool managed = (node.states >> 31U & 1U) != 0;
    status = sd_bus_message_append(m, "ii", index,
                                   managed ? -1 : static_cast<int>(node.children.size()));
  }
  if (status >= 0) status = append_interfaces(m, node);
  if (status >= 0) status = sd_bus_message_append(m, "sus", node.name.c_str(), node.role, "");
  if (status >= 0) status = append_states(m, node);
  return status < 0 ? status : sd_bus_message_close_container(m);
}

}  // namespace gantry::atspi::testing
