# SPDX-License-Identifier: Apache-2.0
"""The environment in which a daemon with a whole profile takes no port that somebody else may have."""

ANY_PORTS = {f"GANTRY_{plugin}_PORT": "0"
             for plugin in ("AGENT_HTTP", "AGENT_WS", "CHAT_AIDE", "CHAT_CORTASK", "GATEWAY_V3")}
