# SPDX-License-Identifier: Apache-2.0
"""docs/models.md: every configuration on the page is one that the daemon takes.

    models_page_test.py GANTRY PAGE
"""
import os
import re
import subprocess
import sys
import tempfile


def check(gantry, text):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "gantry.yaml")
        with open(path, "w", encoding="utf-8") as config:
            config.write(text)
        env = {**os.environ, "GANTRY_RUNTIME_DIR": folder, "GANTRY_STATE_DIR": folder}
        done = subprocess.run([gantry, "check", "--config", path], env=env, text=True, timeout=60,
                              capture_output=True, check=False)
        if done.returncode != 0:
            sys.exit(f"refused:\n{text}\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    with open(sys.argv[2], encoding="utf-8") as page:
        blocks = re.findall(r"^```yaml\n(.*?)^```", page.read(), re.DOTALL | re.MULTILINE)
    assert len(blocks) >= 4, "the page has lost its examples"
    for block in blocks:
        check(sys.argv[1], block)
    try:
        check(sys.argv[1], blocks[0].replace("api_key", "api_kee"))
    except SystemExit:
        print(f"{len(blocks)} configurations are taken, and one with a wrong key is not")
    else:
        sys.exit("a wrong key was taken")
