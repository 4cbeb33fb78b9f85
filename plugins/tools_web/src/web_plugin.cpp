// SPDX-License-Identifier: Apache-2.0
#include "web_plugin.hpp"

#include <utility>

#include "html_text.hpp"

namespace gantry::web {

Result<void> WebPlugin::init() {
  init_html();
  GANTRY_TRY(take_settings());
  return server_.serve(tools_.tools());
}

Result<void> WebPlugin::start() {
  server_.announce();
  return {};
}

Result<void> WebPlugin::take_settings() {
  GANTRY_ASSIGN(Settings settings, read_settings(host().config_json()));
  server_.set_callers(settings.callers);
  tools_.set_settings(std::move(settings));
  return {};
}

Result<void> WebPlugin::reconfigure() {
  GANTRY_TRY(take_settings());
  server_.replace(tools_.tools());
  return {};
}

void WebPlugin::stop(Deadline) { server_.stop(); }

}  // namespace gantry::web
