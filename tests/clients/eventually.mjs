// SPDX-License-Identifier: Apache-2.0
//
// Waiting for what another program is about to do, where nothing tells of it.

/** What `probe()` answers once that is true; an error names `what` after `patience` ms. */
export async function eventually(what, probe, patience = 60000) {
  const end = Date.now() + patience;
  for (;;) {
    const answer = await probe();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`not within ${patience} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** What `promise` gives; an error names `what` after `patience` ms. */
export async function within(what, promise, patience = 30000) {
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error(`not within ${patience} ms: ${what}`)), patience); });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
