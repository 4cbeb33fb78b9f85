// SPDX-License-Identifier: Apache-2.0
//
// The inspector of an installation: every file of the source tree's page is served by an installed
// daemon, byte for byte. Usage: node installed_test.mjs SOURCE_DIR BUILD_DIR
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { Observer } from "../../clients/observer.mjs";

const [, , source, build] = process.argv;
const prefix = mkdtempSync(path.join(tmpdir(), "gantry-prefix-"));
try {
  for (const component of ["runtime", "plugins", "platform_plugins"]) {
    const done = spawnSync("cmake", ["--install", build, "--prefix", prefix, "--component", component], { encoding: "utf-8" });
    assert.equal(done.status, 0, done.stderr);
  }
  const observer = await Observer.start(path.join(prefix, "bin/gantry"), ["--mock"]);
  try {
    const folder = path.join(source, "plugins/rest_observer/web");
    const files = readdirSync(folder);
    assert.ok(files.includes("index.html"));
    for (const file of files) {
      const answer = await fetch(`${observer.address}/web/${file}`);
      assert.equal(answer.status, 200, file);
      assert.equal(await answer.text(), readFileSync(path.join(folder, file), "utf-8"), file);
    }
    const page = await (await fetch(observer.address + "/")).text();
    assert.equal(page, readFileSync(path.join(folder, "index.html"), "utf-8"));
    console.log(`${files.length} files are served by the installed daemon`);
  } finally {
    await observer.stop();
  }
} finally {
  rmSync(prefix, { recursive: true, force: true });
}
