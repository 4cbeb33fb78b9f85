/* SPDX-License-Identifier: Apache-2.0 */
#include <gantry/abi/plugin.h>

__attribute__((visibility("default")))
const gantry_plugin_entry_v1 gantry_plugin_entry = {GANTRY_PLUGIN_MAGIC,
                                                    sizeof(gantry_plugin_entry_v1),
                                                    GANTRY_ABI_MAJOR + 1,
                                                    0,
                                                    "newer_major",
                                                    "0.1.0",
                                                    "9.0.0",
                                                    "by hand",
                                                    0};
