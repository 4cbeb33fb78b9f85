/* SPDX-License-Identifier: Apache-2.0 */
int some_other_symbol(void);
int some_other_symbol(void) { return 0; }
