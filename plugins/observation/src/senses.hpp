// SPDX-License-Identifier: Apache-2.0
#pragma once
// Text recognition and vision models, as far as the engine can use them: whether they are there,
// and what to say in their place when they are not.

#include <gantry/contracts/kernel.hpp>
#include <gantry/contracts/observe.hpp>

#include <string>
#include <string_view>

#include "settings.hpp"

namespace gantry::observation {

/// What the kernel said of the plugins that serve a contract.
struct Provider {
  bool served = false;    ///< A running one does.
  ObserverSense refusal;  ///< Why those that would cannot, or nothing.
};

[[nodiscard]] ObserverSense ocr_sense(const Settings& settings, const Provider& provider);
[[nodiscard]] ObserverSense vlm_sense(const Settings& settings, const Provider& provider);

/// A running plugin serves the contract and does not say of itself that it cannot work here.
[[nodiscard]] bool serves(const PluginInfoList& plugins, std::string_view contract);

/// Reason and cure of a plugin that would serve the contract and says that it cannot work here;
/// empty when there is no such.
[[nodiscard]] ObserverSense refusal_of(const PluginInfoList& plugins, std::string_view contract);

[[nodiscard]] Provider provider_of(const PluginInfoList& plugins, std::string_view contract);

/// "[OCR unavailable: <reason>. <cure>]", the text of a section that cannot be filled.
[[nodiscard]] std::string unavailable_section(std::string_view name, const ObserverSense& sense);

}  // namespace gantry::observation
