// SPDX-License-Identifier: Apache-2.0
#pragma once
// A PDF as text.

#include <gantry/contracts/document.hpp>
#include <gantry/result.hpp>

#include <string>
#include <vector>

#include "settings.hpp"

namespace gantry::document_poppler {

/// What is run for a document: limits, sandbox, pdftotext. Errors: unavailable (a program is
/// missing).
[[nodiscard]] Result<std::vector<std::string>> command_of(const Settings& settings);

/// As gantry.document.text/1 says. Waits.
[[nodiscard]] Result<DocumentTextAnswer> pdf_text(const Settings& settings,
                                                  const DocumentTextRequest& request);

}  // namespace gantry::document_poppler
