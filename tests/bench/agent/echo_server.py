#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The baselines of agent_bench.py: at /ws/frames whatever text comes, the frames of one turn go back,
pieces of an answer the path's gap_us apart; at /ws/echo each text goes back.

  echo_server.py PORT FRAMES_FILE
"""
import asyncio
import sys

import fastapi
import uvicorn

app = fastapi.FastAPI()
with open(sys.argv[2], encoding="utf-8") as frames:
    FRAMES = frames.read().splitlines()
PIECE = '{"type":"streaming-response"'


@app.websocket("/ws/echo")
async def echo(socket: fastapi.WebSocket):
    await socket.accept()
    try:
        while True:
            await socket.send_text(await socket.receive_text())
    except fastapi.WebSocketDisconnect:
        pass


@app.websocket("/ws/frames")
async def turns(socket: fastapi.WebSocket):
    await socket.accept()
    gap = int(socket.query_params.get("gap_us", 0)) / 1e6
    try:
        while True:
            await socket.receive_text()
            for frame in FRAMES:
                if gap and frame.startswith(PIECE):
                    await asyncio.sleep(gap)
                await socket.send_text(frame)
    except fastapi.WebSocketDisconnect:
        pass


uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="error")
