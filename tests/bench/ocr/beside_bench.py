#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long other calls take while text is read: GET /api/healthz again and again on one connection,
first while the daemon idles, then while it reads full-HD pages one after the other.

    tools/desktop-session -- tests/bench/ocr/beside_bench.py BUILD CORPUS

CORPUS is a folder of corpus.py (tests/bench/ocr/run makes one).
"""
import base64
import http.client
import pathlib
import statistics
import struct
import sys
import threading
import time
import zlib

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1])]
from daemon_bench import Daemon, missed, report  # noqa: E402

SIZE = (1920, 1080)
PAUSE_S = 0.002  # between two questions, as a client that looks often
IDLE_QUESTIONS = 2000


def png(page):
    """A page of corpus.py (width, height, then blue, green, red and nothing of each pixel)."""
    pixels = page.read_bytes()
    width, height = struct.unpack_from("<II", pixels)
    if (width, height) != SIZE:
        return None
    rows = bytearray()
    for y in range(height):
        row = pixels[8 + y * width * 4:8 + (y + 1) * width * 4]
        line = bytearray(width * 3)
        line[0::3], line[1::3], line[2::3] = row[2::4], row[1::4], row[0::4]
        rows += b"\0" + line

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(rows), 1)) + chunk(b"IEND", b"")


def ask(connection):
    """Milliseconds that one question took."""
    begun = time.perf_counter()
    connection.request("GET", "/api/healthz")
    answer = connection.getresponse()
    answer.read()
    took = time.perf_counter() - begun
    assert answer.status == 200, answer.status
    time.sleep(PAUSE_S)
    return took * 1000


def p99(times):
    return statistics.quantiles(times, n=100)[98]


def main():
    build, corpus = sys.argv[1:]
    pages = [page for page in map(png, sorted(pathlib.Path(corpus).glob("*.bgrx"))) if page]
    daemon = Daemon(build)
    connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=60)
    idle = [ask(connection) for _ in range(IDLE_QUESTIONS)]
    seconds = []

    def read():
        for page in pages:
            begun = time.perf_counter()
            status, answer = daemon.call("gantry.picture.text/1", {"file": base64.b64encode(page).decode()})
            assert status == 200 and answer["rows"], answer
            seconds.append(time.perf_counter() - begun)

    reader = threading.Thread(target=read)
    reader.start()
    busy = []
    while reader.is_alive():
        busy.append(ask(connection))
    reader.join()
    assert len(seconds) == len(pages), "a page was not read"
    print(f"{len(busy)} questions while {len(pages)} pages were read, {statistics.median(seconds):.2f} s each")
    report("GET /api/healthz while text is read, p50", statistics.median(busy), "ms",
           baseline=statistics.median(idle), of="idle")
    report("GET /api/healthz while text is read, p99", p99(busy), "ms", 5, baseline=p99(idle), of="idle")
    daemon.stop()
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
