// SPDX-License-Identifier: Apache-2.0
//
// Answers as they are on the wire. No member's name is spelt anywhere else but in resolver
// payloads. Any thread.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string_view>
#include <vector>

#include "job.hpp"

namespace gantry::perception_http {

boost::json::object image_view(const Source& source);
boost::json::object box_view(const Rect& box);
boost::json::object row_view(const Row& row);
boost::json::array rows_view(const std::vector<Row>& rows);
boost::json::object overlay_view(const Source& source, const Saved& saved,
                                 std::string_view base_url);
boost::json::object target_view(const VisionMatch& match, std::string_view description,
                                std::size_t rank);

}  // namespace gantry::perception_http
