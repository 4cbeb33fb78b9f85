# SPDX-License-Identifier: Apache-2.0
"""What a program prints, heard as it comes: tests wait for lines instead of looking again and again."""
import re
import threading


class Printed:
    """Reads `stream` (bytes) to its end on a thread of its own, into the file `path` too if given."""

    def __init__(self, stream, path=None):
        self.text = ""
        self.ended = False
        self.changed = threading.Condition()
        self.reader = threading.Thread(target=self._read, args=(stream, path), daemon=True)
        self.reader.start()

    def _read(self, stream, path):
        with stream, open(path or "/dev/null", "ab", buffering=0) as copy:
            for line in stream:
                copy.write(line)
                with self.changed:
                    self.text += line.decode(errors="replace")
                    self.changed.notify_all()
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def wait_for(self, *patterns, limit=60):
        """The matches of all patterns, in whatever order they came. An AssertionError with all that
        was printed says that the program ended before, or that it took longer than `limit` seconds."""
        def found():
            matches = [re.search(pattern, self.text) for pattern in patterns]
            return matches if all(matches) else self.ended

        with self.changed:
            matches = self.changed.wait_for(found, limit)
            if matches and matches is not True:
                return matches
            how = "the program ended" if self.ended else f"not within {limit} s"
            raise AssertionError(f"{how}: {' and '.join(patterns)}\n{self.text}")

    def join(self):
        """Waits for the end of what it prints."""
        self.reader.join()
