// SPDX-License-Identifier: Apache-2.0
#include "schemas.hpp"

namespace gantry::mcp_fixtures::schemas {

const char* const kNoArguments = R"({"type": "object", "properties": {}})";

const char* const kJsonSchema202012 = R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "$defs": {"address": {"$anchor": "addressDef", "type": "object",
    "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
  "properties": {
    "name": {"type": "string"},
    "address": {"$ref": "#/$defs/address"},
    "contactMethod": {"type": "string", "enum": ["phone", "email"]},
    "phone": {"type": "string"},
    "email": {"type": "string"}},
  "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
  "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
  "then": {"required": ["phone"]},
  "else": {"required": ["email"]},
  "additionalProperties": false})";

const char* const kHeaderParameter = R"({
  "type": "object",
  "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
  "required": ["region"]})";

const char* const kPromptArgument = R"({
  "type": "object",
  "properties": {"prompt": {"type": "string", "description": "What the model is asked"}},
  "required": ["prompt"]})";

const char* const kMessageArgument = R"({
  "type": "object",
  "properties": {"message": {"type": "string", "description": "What the user reads"}},
  "required": ["message"]})";

const char* const kName = R"({
  "type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]})";

const char* const kConfirm = R"({
  "type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]})";

const char* const kColour = R"({
  "type": "object", "properties": {"color": {"type": "string"}}, "required": ["color"]})";

const char* const kContext = R"({
  "type": "object", "properties": {"context": {"type": "string"}}, "required": ["context"]})";

const char* const kUser = R"({
  "type": "object",
  "properties": {
    "username": {"type": "string", "description": "User's response"},
    "email": {"type": "string", "description": "User's email address"}},
  "required": ["username", "email"]})";

const char* const kDefaults = R"({
  "type": "object",
  "properties": {
    "name": {"type": "string", "description": "User name", "default": "John Doe"},
    "age": {"type": "integer", "description": "User age", "default": 30},
    "score": {"type": "number", "description": "User score", "default": 95.5},
    "status": {"type": "string", "description": "User status",
               "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "description": "Verification status", "default": true}},
  "required": []})";

const char* const kEnums = R"({
  "type": "object",
  "properties": {
    "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
    "titledSingle": {"type": "string", "oneOf": [
      {"const": "value1", "title": "First Option"},
      {"const": "value2", "title": "Second Option"},
      {"const": "value3", "title": "Third Option"}]},
    "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"],
                   "enumNames": ["Option One", "Option Two", "Option Three"]},
    "untitledMulti": {"type": "array", "items": {
      "type": "string", "enum": ["option1", "option2", "option3"]}},
    "titledMulti": {"type": "array", "items": {"anyOf": [
      {"const": "value1", "title": "First Choice"},
      {"const": "value2", "title": "Second Choice"},
      {"const": "value3", "title": "Third Choice"}]}}},
  "required": []})";

}  // namespace gantry::mcp_fixtures::schemas
