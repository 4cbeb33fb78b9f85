// SPDX-License-Identifier: Apache-2.0
//
// Resources: things with an address that a client may list, read and watch. Any plugin may serve
// them, beside others; they are found like tools (contracts/tool.hpp).
#pragma once

#include <gantry/contracts/content.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry {

struct ResourceDescription {
  std::string uri;
  std::string name;
  std::string title;
  std::string description;
  std::string media_type;
  std::optional<std::int64_t> size;  // bytes
  std::optional<ContentAnnotations> annotations;
};
BOOST_DESCRIBE_STRUCT(ResourceDescription, (),
                      (uri, name, title, description, media_type, size, annotations))

struct ResourceDescriptions {
  std::vector<ResourceDescription> resources;
};
BOOST_DESCRIBE_STRUCT(ResourceDescriptions, (), (resources))

struct ResourceList {
  static constexpr std::string_view kName = "gantry.resource.list/1";
  static constexpr std::string_view kDoc = "Lists the resources of one plugin that are there now.";
  using Request = Nothing;
  using Response = ResourceDescriptions;
};

/// Resources that are made when they are asked for. `uri_template` is RFC 6570, level 1: `{name}`
/// stands for one value without a slash.
struct ResourceTemplate {
  std::string uri_template;
  std::string name;
  std::string title;
  std::string description;
  std::string media_type;
};
BOOST_DESCRIBE_STRUCT(ResourceTemplate, (), (uri_template, name, title, description, media_type))

struct ResourceTemplates {
  std::vector<ResourceTemplate> templates;
};
BOOST_DESCRIBE_STRUCT(ResourceTemplates, (), (templates))

struct ResourceTemplateList {
  static constexpr std::string_view kName = "gantry.resource.templates/1";
  static constexpr std::string_view kDoc = "Lists the resource templates of one plugin.";
  using Request = Nothing;
  using Response = ResourceTemplates;
};

struct ResourceReadRequest {
  std::string uri;
  std::string caller;  // protocol and client, for audit and traces
};
BOOST_DESCRIBE_STRUCT(ResourceReadRequest, (), (uri, caller))

/// Blocks of the kind Resource.
struct ResourceContents {
  std::vector<ContentBlock> contents;
};
BOOST_DESCRIBE_STRUCT(ResourceContents, (), (contents))

/// Errors: not_found (not one of this plugin's, or gone).
struct ResourceRead {
  static constexpr std::string_view kName = "gantry.resource.read/1";
  static constexpr std::string_view kDoc = "Reads one resource of one plugin.";
  using Request = ResourceReadRequest;
  using Response = ResourceContents;
};

/// `uri` is what has other contents now; empty: the list itself has changed.
struct ResourceChangedEvent {
  std::string plugin;
  std::string uri;
};
BOOST_DESCRIBE_STRUCT(ResourceChangedEvent, (), (plugin, uri))

/// Published by the plugin that owns the resource; with an empty `uri` also when it has started.
struct ResourceChanged {
  static constexpr std::string_view kName = "gantry.resource.changed/1";
  static constexpr std::string_view kDoc = "A resource, or the list of them, has changed.";
  using Event = ResourceChangedEvent;
};

}  // namespace gantry
