# SPDX-License-Identifier: Apache-2.0
"""Waiting for what another program is about to do, where nothing tells of it."""
import time


def eventually(what, probe, seconds=60, pause=0.01, not_yet=()):
    """What `probe()` answers once that is true. `not_yet`: errors of the probe that mean no more than
    false. An AssertionError says that `what` did not come within `seconds`, which are many because a
    machine that tests may be busy, and what the probe answered last."""
    end = time.monotonic() + seconds
    while True:
        try:
            answer = probe()
        except not_yet as error:
            answer = error
        else:
            if answer:
                return answer
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not within {seconds} s, but {answer!r}")
        time.sleep(pause)
