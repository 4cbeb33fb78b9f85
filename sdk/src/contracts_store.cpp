// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/store.hpp>

GANTRY_INSTANTIATE(gantry::StoreAppendRequest)
GANTRY_INSTANTIATE(gantry::StoreAppended)
GANTRY_INSTANTIATE(gantry::StoreReadLogRequest)
GANTRY_INSTANTIATE(gantry::StoreLogPage)
GANTRY_INSTANTIATE(gantry::StoreTrimLogRequest)
GANTRY_INSTANTIATE(gantry::StoreTrimmed)
GANTRY_INSTANTIATE(gantry::StoreWriteRequest)
GANTRY_INSTANTIATE(gantry::StoreWritten)
GANTRY_INSTANTIATE(gantry::StoreGetRequest)
GANTRY_INSTANTIATE(gantry::StoreDocuments)
GANTRY_INSTANTIATE(gantry::StoreListRequest)
