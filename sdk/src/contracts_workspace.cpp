// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/workspace.hpp>

GANTRY_INSTANTIATE(gantry::WorkspacePolicy)
GANTRY_INSTANTIATE(gantry::Workspace)
GANTRY_INSTANTIATE(gantry::WorkspaceListRequest)
GANTRY_INSTANTIATE(gantry::WorkspaceRows)
GANTRY_INSTANTIATE(gantry::WorkspaceRef)
GANTRY_INSTANTIATE(gantry::WorkspaceCreateRequest)
GANTRY_INSTANTIATE(gantry::WorkspaceChangeRequest)
GANTRY_INSTANTIATE(gantry::WorkspaceSortRequest)
GANTRY_INSTANTIATE(gantry::WorkspaceImportRequest)
GANTRY_INSTANTIATE(gantry::WorkspaceChangedEvent)
GANTRY_INSTANTIATE(gantry::WorkspaceFileRequest)
GANTRY_INSTANTIATE(gantry::WorkspaceFile)
GANTRY_INSTANTIATE(gantry::WorkspaceWriteRequest)
GANTRY_INSTANTIATE(gantry::WorkspaceMoveRequest)
GANTRY_INSTANTIATE(gantry::WorkspaceTreeRequest)
GANTRY_INSTANTIATE(gantry::WorkspaceEntries)
GANTRY_INSTANTIATE(gantry::WorkspaceNewestRequest)
GANTRY_INSTANTIATE(gantry::WorkspaceReferencesRequest)
GANTRY_INSTANTIATE(gantry::WorkspaceReferenceTexts)
