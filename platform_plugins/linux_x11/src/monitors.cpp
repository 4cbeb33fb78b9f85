// SPDX-License-Identifier: Apache-2.0
#include "monitors.hpp"

#include "property.hpp"

#include <xcb/randr.h>

#include <charconv>
#include <tuple>

namespace gantry::x11 {

namespace {

std::vector<Monitor> by_monitors(const Session& session) {
  std::vector<Monitor> out;
  const auto reply = fetch_or_null<xcb_randr_get_monitors_reply>(
      session.xcb(), xcb_randr_get_monitors(session.xcb(), session.root(), 1));
  if (!reply) return out;
  for (auto it = xcb_randr_get_monitors_monitors_iterator(reply.get()); it.rem > 0;
       xcb_randr_monitor_info_next(&it)) {
    const xcb_randr_monitor_info_t& m = *it.data;
    out.push_back({session.atom_name(m.name), {m.x, m.y, m.width, m.height}, m.primary != 0, 1.0});
  }
  return out;
}

std::vector<Monitor> by_crtcs(const Session& session) {
  std::vector<Monitor> out;
  xcb_connection_t* xcb = session.xcb();
  const auto primary_cookie = xcb_randr_get_output_primary(xcb, session.root());
  const auto resources = fetch_or_null<xcb_randr_get_screen_resources_current_reply>(
      xcb, xcb_randr_get_screen_resources_current(xcb, session.root()));
  const auto primary = fetch_or_null<xcb_randr_get_output_primary_reply>(xcb, primary_cookie);
  if (!resources) return out;
  const xcb_randr_output_t* outputs =
      xcb_randr_get_screen_resources_current_outputs(resources.get());
  for (int i = 0; i < xcb_randr_get_screen_resources_current_outputs_length(resources.get()); ++i) {
    const auto output = fetch_or_null<xcb_randr_get_output_info_reply>(
        xcb, xcb_randr_get_output_info(xcb, outputs[i], resources->config_timestamp));
    if (!output || output->crtc == XCB_NONE) continue;
    const auto crtc = fetch_or_null<xcb_randr_get_crtc_info_reply>(
        xcb, xcb_randr_get_crtc_info(xcb, output->crtc, resources->config_timestamp));
    if (!crtc || crtc->width == 0) continue;
    const std::string name(
        reinterpret_cast<const char*>(xcb_randr_get_output_info_name(output.get())),
        static_cast<std::size_t>(xcb_randr_get_output_info_name_length(output.get())));
    out.push_back({name,
                   {crtc->x, crtc->y, crtc->width, crtc->height},
                   primary && primary->output == outputs[i],
                   1.0});
  }
  return out;
}

Result<Monitor> whole_screen(const Session& session) {
  // Not the setup block: the root may have been resized since.
  GANTRY_ASSIGN(const auto root, fetch<xcb_get_geometry_reply>(
                                     session.xcb(), xcb_get_geometry(session.xcb(), session.root()),
                                     "asking for the size of the screen"));
  return Monitor{"screen", {0, 0, root->width, root->height}, true, 1.0};
}

}  // namespace

Result<std::vector<Monitor>> list_monitors(const Session& session) {
  const auto resources = xcb_get_property(session.xcb(), 0, session.root(),
                                          XCB_ATOM_RESOURCE_MANAGER, XCB_ATOM_STRING, 0, 65536);
  std::vector<Monitor> monitors;
  if (session.extensions().randr_monitors) monitors = by_monitors(session);
  if (monitors.empty() && session.extensions().randr) monitors = by_crtcs(session);
  if (monitors.empty()) {
    GANTRY_ASSIGN(auto screen, whole_screen(session));
    monitors.push_back(std::move(screen));
  }
  if (std::none_of(monitors.begin(), monitors.end(), [](const Monitor& m) { return m.primary; })) {
    monitors.front().primary = true;
  }
  std::stable_sort(monitors.begin(), monitors.end(), [](const Monitor& a, const Monitor& b) {
    return std::tuple(!a.primary, a.bounds.x, a.bounds.y) <
           std::tuple(!b.primary, b.bounds.x, b.bounds.y);
  });
  const double dpi = xft_dpi(Property::take(session, resources).bytes());
  for (Monitor& monitor : monitors) monitor.scale = dpi > 0 ? dpi / 96.0 : 1.0;
  return monitors;
}

int monitor_of(const std::vector<Monitor>& monitors, const Rect& bounds) {
  int best = -1;
  std::int64_t most = 0;
  for (std::size_t i = 0; i < monitors.size(); ++i) {
    const std::int64_t shown = area(intersection(monitors[i].bounds, bounds));
    if (shown > most) {
      most = shown;
      best = static_cast<int>(i);
    }
  }
  return best;
}

double xft_dpi(std::string_view resources) {
  constexpr std::string_view kKey = "Xft.dpi:";
  for (std::size_t at = 0; at < resources.size();) {
    const std::size_t end = std::min(resources.find('\n', at), resources.size());
    std::string_view line = resources.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with(kKey)) continue;
    line.remove_prefix(kKey.size());
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    double value = 0;
    const auto parsed = std::from_chars(line.data(), line.data() + line.size(), value);
    return parsed.ec == std::errc() && value > 0 ? value : 0;
  }
  return 0;
}

}  // namespace gantry::x11
