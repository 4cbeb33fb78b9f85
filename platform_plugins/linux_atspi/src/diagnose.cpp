// SPDX-License-Identifier: Apache-2.0
#include "diagnose.hpp"

#include "read_all.hpp"
#include "roles.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace gantry::atspi {
namespace {

struct Bridge {
  std::string_view module;  ///< substring of a mapped file's name
  std::string_view toolkit;
  std::string_view cure;
};

constexpr Bridge kBridges[] = {
    {"libQt5Gui", "Qt 5",
     "start it with QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1, or with org.a11y.Status IsEnabled true"},
    {"libQt6Gui", "Qt 6",
     "start it with QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1, or with org.a11y.Status IsEnabled true"},
    {"libgtk-4", "GTK 4",
     "start it in the session of this accessibility bus, without GTK_A11Y=none"},
    {"libgtk-3", "GTK 3",
     "start it in the session of this accessibility bus, without NO_AT_BRIDGE=1"},
    {"libgtk-x11-2", "GTK 2", "start it with GTK_MODULES=gail:atk-bridge"},
    {"libjvm", "Java", "install java-atk-wrapper and name it in accessibility.properties"},
    {"libxul", "Gecko", "start it with GNOME_ACCESSIBILITY=1"},
};

bool is_chromium_like(const std::string& command) {
  constexpr std::string_view kMarks[] = {"chrom", "electron", "--type=renderer",
                                         ".asar", "brave",    "msedge"};
  return std::any_of(std::begin(kMarks), std::end(kMarks), [&](std::string_view mark) {
    return command.find(mark) != std::string::npos;
  });
}

}  // namespace

Degraded diagnose_missing(std::uint32_t pid, const std::string& proc) {
  const std::string who = "process " + std::to_string(pid);
  if (pid == 0) {
    return {"no_a11y", "no application on the accessibility bus has this window",
            "give the window's process id, so that the cause can be named"};
  }
  const std::string folder = proc + "/" + std::to_string(pid);
  const std::string maps = read_all(folder + "/maps");
  for (const Bridge& bridge : kBridges) {
    if (maps.find(bridge.module) == std::string::npos) continue;
    return {
        "bridge_off",
        who + " uses " + std::string(bridge.toolkit) + " but has not come to the accessibility bus",
        std::string(bridge.cure)};
  }
  std::string command = read_all(folder + "/cmdline");
  std::replace(command.begin(), command.end(), '\0', ' ');
  if (is_chromium_like(command)) {
    return {"bridge_off",
            who + " is of the Chromium family and has not come to the accessibility bus",
            "start it with --force-renderer-accessibility, or with org.a11y.Status IsEnabled true"};
  }
  return {"no_a11y",
          who + " has no accessible application on the bus and no toolkit known to have one",
          "use OCR and coordinates for this window"};
}

std::optional<Degraded> diagnose_renderer(const App& app, const Order& order) {
  if (app.toolkit != Toolkit::kChromium) return std::nullopt;
  bool has_document = false;
  for (const NodeIndex index : order.nodes) {
    const NodeRecord& node = app.model.at(index);
    if (!role_is(node.role, Role::kDocumentWeb) && !role_is(node.role, Role::kDocumentFrame))
      continue;
    has_document = true;
    if (!node.children.empty()) return std::nullopt;
  }
  return Degraded{"renderer_off",
                  has_document ? "the page of this Chromium-family window is empty in the tree"
                               : "this Chromium-family window shows no page in the tree",
                  "start the application with --force-renderer-accessibility (Electron: also "
                  "ACCESSIBILITY_ENABLED=1) and read again after 2 seconds"};
}

}  // namespace gantry::atspi
