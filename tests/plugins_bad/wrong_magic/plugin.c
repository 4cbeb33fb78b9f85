/* SPDX-License-Identifier: Apache-2.0 */
#include <gantry/abi/plugin.h>

__attribute__((visibility("default")))
const gantry_plugin_entry_v1 gantry_plugin_entry = {0xdeadbeefu,
                                                    sizeof(gantry_plugin_entry_v1),
                                                    GANTRY_ABI_MAJOR,
                                                    GANTRY_ABI_MINOR,
                                                    "wrong_magic",
                                                    "0.1.0",
                                                    "0.1.0",
                                                    "by hand",
                                                    0};
