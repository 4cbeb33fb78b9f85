// SPDX-License-Identifier: Apache-2.0
#pragma once
// Devices as the protocol shows them. Any thread.

#include <boost/json/object.hpp>

#include "pairing.hpp"

namespace gantry::gateway {

inline boost::json::object device_row(const Device& device) {
  return {{"sender_id", device.sender},     {"channel", device.channel},
          {"chat_id", device.chat},         {"user_id", device.user},
          {"paired_at", device.paired_ms},  {"paired_by", device.paired_by},
          {"expires_at", device.expires_ms}};
}

inline boost::json::object request_row(const PairingRequest& request) {
  return {{"code", request.code},
          {"sender_id", request.sender},
          {"channel", request.channel},
          {"chat_id", request.chat},
          {"account_id", request.account},
          {"user_id", request.user},
          {"created_at", request.created_ms},
          {"expires_at", request.expires_ms}};
}

}  // namespace gantry::gateway
