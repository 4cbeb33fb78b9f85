// SPDX-License-Identifier: Apache-2.0
// JSON Schemas that the conformance suite reads back.
#pragma once

namespace gantry::mcp_fixtures::schemas {

extern const char* const kNoArguments;
/// Every keyword of 2020-12 that must reach the client unchanged (SEP-1613, SEP-2106).
extern const char* const kJsonSchema202012;
/// A parameter that clients repeat in a header (SEP-2243).
extern const char* const kHeaderParameter;
extern const char* const kPromptArgument;
extern const char* const kMessageArgument;

// Forms of elicitation.
extern const char* const kName;
extern const char* const kConfirm;
extern const char* const kColour;
extern const char* const kContext;
extern const char* const kUser;
extern const char* const kDefaults;  // SEP-1034
extern const char* const kEnums;     // SEP-1330

}  // namespace gantry::mcp_fixtures::schemas
