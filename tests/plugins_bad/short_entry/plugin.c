/* SPDX-License-Identifier: Apache-2.0 */
#include <gantry/abi/plugin.h>

/* Claims 16 bytes: nothing behind abi_minor may be read. */
__attribute__((visibility("default"))) const gantry_plugin_entry_v1 gantry_plugin_entry = {
    GANTRY_PLUGIN_MAGIC, 16, GANTRY_ABI_MAJOR, GANTRY_ABI_MINOR, 0, 0, 0, 0, 0};
