# SPDX-License-Identifier: Apache-2.0
"""The vendors' npm SDKs against the doubles of the model providers."""
import os
import subprocess
import sys

SUPPORT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support")
sys.path.insert(0, SUPPORT)
import mcp_support  # noqa: E402

if __name__ == "__main__":
    for package in ("openai", "@anthropic-ai/sdk", "@google/genai"):
        if not os.path.isdir(os.path.join(mcp_support.node_modules(), package)):
            mcp_support.skip(f"the npm package {package} is not installed: run tools/setup")
    node = mcp_support.node()
    with subprocess.Popen([sys.executable, os.path.join(SUPPORT, "model_server.py")], text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        port = server.stdout.readline().strip()
        try:
            done = subprocess.run([node, os.path.join(os.path.dirname(__file__), "sdk_proof.mjs"), port],
                                  timeout=mcp_support.LIMIT_S * 8, check=False)
        finally:
            server.stdin.close()
    sys.exit(done.returncode)
