"""One input to one reader → nothing, or what is wrong: a finding.

A reader may read the input, or refuse it with one sentence. It may not fail in another way, take
more than a few seconds of the processor or hundreds of megabytes of memory, start a program, open
a connection, unpickle a class, or write outside its folder.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from gomkcn_dgl.errors import InputError, InputTypeError

SECONDS = 5.0
# of growth of the resident set, and of address space beside what is in use
RESIDENT_BYTES = 256 << 20
ADDRESS_BYTES = 1 << 30
LONGEST_SENTENCE = 2000

_PACKAGES = ("gomkcn", "gomkcn_dgl", "mining", "synthetic")
_FORBIDDEN = {
    "ctypes.dlopen",
    "os.exec",
    "os.fork",
    "os.posix_spawn",
    "os.system",
    "pickle.find_class",
    "socket.connect",
    "socket.getaddrinfo",
    "subprocess.Popen",
}
# what writes: its arguments that are paths, each with the one that is the folder it starts from
_WRITES = {
    "os.mkdir": {0: 2},
    "os.remove": {0: 1},
    "os.rename": {0: 2, 1: 3},
    "os.rmdir": {0: 1},
    "os.symlink": {1: 2},
    "shutil.rmtree": {0: 1},
}
_OPEN_TO_WRITE = os.O_WRONLY | os.O_RDWR | os.O_CREAT


@dataclass(frozen=True)
class Finding:
    """What is wrong with how an input was read.

    Attributes
    ----------
    kind : {"exception", "sentence", "time", "memory", "forbidden", "crash", "hang"}
    place : str
        Exception and line of ours; findings with the same kind and place are the same.
    message : str
    """

    kind: str
    place: str
    message: str


class TimeUpError(BaseException):
    """An input takes too long; no reader catches it."""


class ForbiddenError(BaseException):
    """An input makes the reader do what none may do; no reader catches it."""


class Judge:
    """Reads inputs in a folder and watches what happens."""

    def __init__(self, read: Callable[[Path, bytes], None], folder: Path) -> None:
        self._read = read
        self._folder = folder
        self._watching = False
        self.was_refused = False

    def start(self) -> None:
        """Watch this process from now on; what a reader loads late has to be loaded before."""
        sys.addaudithook(self._audit)
        signal.signal(signal.SIGPROF, _raise_time_up)
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (used + ADDRESS_BYTES, most))

    def find(self, data: bytes) -> Finding | None:
        """Read an input; return what is wrong with how that went."""
        before = _peak_bytes()
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        self._watching = True
        self.was_refused, found = False, None
        try:
            self._read(self._folder, data)
        except (InputError, InputTypeError) as error:
            self.was_refused = True
            found = _wrong_refusal(error)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            found = _describe(error)
        finally:
            self._watching = False
            signal.setitimer(signal.ITIMER_PROF, 0)
        grown = _peak_bytes() - before
        if grown > RESIDENT_BYTES and found is None:
            found = Finding("memory", "resident", f"{grown >> 20} MiB for {len(data)} bytes")
        return found

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self._watching:
            return
        if event in _FORBIDDEN:
            raise ForbiddenError(f"{event} {arguments!r:.200}")
        if event == "open":
            path, mode, flags = arguments
            if set(mode) & set("wax+") if isinstance(mode, str) else flags & _OPEN_TO_WRITE:
                self._check_inside(event, path, -1)
        for place, start in _WRITES.get(event, {}).items():
            folder = arguments[start] if start < len(arguments) else -1
            self._check_inside(event, arguments[place], folder)

    def _check_inside(self, event: str, path: Any, start: Any) -> None:
        if not isinstance(path, (str, bytes, os.PathLike)):
            return
        whole = Path(os.fsdecode(path))
        if isinstance(start, int) and start >= 0:
            whole = Path(f"/proc/self/fd/{start}").resolve() / whole
        if self._folder.resolve() not in (whole.resolve(), *whole.resolve().parents):
            raise ForbiddenError(f"{event} {str(whole)!r} outside the folder")


def _raise_time_up(signum: int, frame: FrameType | None) -> None:
    raise TimeUpError(f"more than {SECONDS:g} s of the processor")


def _peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _describe(error: BaseException) -> Finding:
    kinds = {MemoryError: "memory", TimeUpError: "time", ForbiddenError: "forbidden"}
    kind = kinds.get(type(error), "exception")
    return Finding(kind, f"{type(error).__name__} at {_place(error)}", f"{error}"[:300])


def _place(error: BaseException) -> str:
    """The innermost line of ours."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if any(f"/{name}/" in frame.filename for name in _PACKAGES)]
    if not ours:
        return "fuzz"
    path = Path(ours[-1].filename)
    return f"{path.name}:{ours[-1].name}"


def _wrong_refusal(error: Exception) -> Finding | None:
    """What is wrong with a refusal: no sentence, or memory that ran out before it."""
    sentence = str(error)
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, MemoryError) or "allocate memory" in str(cause):
            return Finding("memory", f"MemoryError at {_place(cause)}", f"{cause}"[:300])
        cause = cause.__cause__ or cause.__context__
    wrong = None
    if not sentence.endswith("."):
        wrong = "no full stop"
    elif not sentence.isprintable():
        wrong = "not one printable line"
    elif len(sentence) > LONGEST_SENTENCE:
        wrong = "too long"
    if wrong is None:
        return None
    return Finding("sentence", f"{wrong} at {_place(error)}", sentence[:300])
