"""Machine code on a disk: what came with the package, and what earlier processes compiled.

A wheel of one version of Python brings code of the functions that the usual commands call, in
``gomkcn_dgl/machine_code``. It is for processors of a level, such as x86-64-v3, which nearly all
have. ``contents.json`` says what it was compiled for, and has the SHA-256 of each file. Code that
fits Python, system, machine, Numba, NumPy and processor is run; all else is compiled here, and kept
where Numba keeps it. The names of the files end with a hash of the sources.

Who reads a file of machine code runs it. What came with the package is read from its own folder
alone, which no setting changes, and only where its SHA-256 is that of ``contents.json``. Of this
file, as of each file of Python, the wheel's ``RECORD`` has the hash, and of the wheel the package
index, which pip compares. So the code is trusted as the package's Python is, and no more: who can
write to the folder of the package can change both. Numba's folder belongs to the user. The
checksum within a file of it tells that the file is whole, not who wrote it.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import logging
import multiprocessing
import os
import pickle
import platform
import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
from llvmlite.binding import parse_assembly, parse_bitcode
from numba.core import event
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    _CacheLocator,
)
from numba.core.registry import cpu_target
from numba.core.runtime import rtsys

log = logging.getLogger("gomkcn_dgl")

FOLDER = Path(__file__).parents[1] / "machine_code"
_CONTENTS = "contents.json"
# longer than any function takes, on a busy machine too; a process that was stopped keeps its claim
_LONGEST_SECONDS = 120.0
_SECONDS_BETWEEN = 0.02
_DIGEST_BYTES = hashlib.sha256().digest_size


@cache
def say_not_kept() -> None:
    """Say once that nothing is kept; the processes that this one started do not repeat it."""
    if multiprocessing.parent_process() is None:
        log.warning(
            "compiled code is compiled again at each start, since there is no folder to keep it "
            "in; set NUMBA_CACHE_DIR to a folder that can be written to"
        )


# ---------------------------------------------------------------- what came with the package


def store_machine_code(
    files: Iterable[Path], folder: Path, processor: str, features: Iterable[str]
) -> None:
    """Put Numba's files into the folder of a package, with what they were compiled for.

    They were compiled with ``NUMBA_CPU_NAME=processor`` and an empty ``NUMBA_CPU_FEATURES``, and
    run on each processor with these features, by LLVM's names.
    """
    folder.mkdir(parents=True)
    checksums = {}
    for file in sorted(files, key=lambda file: file.name):
        content = file.read_bytes()
        assert file.name not in checksums, "functions of two modules have one name"
        checksums[file.name] = hashlib.sha256(content).hexdigest()
        (folder / file.name).write_bytes(content)
    contents = {
        "compiled_for": _this_installation(),
        "processor": processor,
        "features": list(features),
        "files": checksums,
    }
    (folder / _CONTENTS).write_text(json.dumps(contents, indent=1) + "\n", encoding="utf-8")


def object_code(file: Path) -> bytes:
    """The object file, as the system's tools read it, within one of Numba's files of code."""
    (_, _, (content, _)), *_ = pickle.loads(file.read_bytes()[_DIGEST_BYTES:])
    return bytes(content)


def _this_installation() -> dict[str, str]:
    """What compiled code depends on, but for the processor and the sources."""
    return {
        "python": str(sys.implementation.cache_tag),
        "system": sys.platform,
        "machine": platform.machine(),
        "numba": numba.__version__,
        "numpy": np.__version__,
    }


@cache
def _shipped() -> tuple[str, dict[str, str]]:
    """The processor that files were compiled for, and their checksums; none where they do not fit.

    What Numba would compile for, as ``NUMBA_CPU_FEATURES`` may say, is what this processor has.
    """
    try:
        contents = json.loads((FOLDER / _CONTENTS).read_text(encoding="utf-8"))
        if contents["compiled_for"] == _this_installation():
            _, _, has = cpu_target.target_context.codegen().magic_tuple()
            if {f"+{feature}" for feature in contents["features"]} <= set(has.split(",")):
                return contents["processor"], contents["files"]
    # most installations have none
    except (OSError, ValueError, LookupError, TypeError):
        pass
    return "", {}


# ---------------------------------------------------------------- files of a function


class _CheckedFile(IndexDataCacheFile):
    """Files of machine code that are known to be whole, and their own, before they are run."""

    def __init__(self, folder: str | Path, name: str) -> None:
        # the name has a hash of the sources; the time of a file is another one in each
        # installation, and would have the same code compiled again
        super().__init__(cache_path=str(folder), filename_base=name, source_stamp=None)

    def is_there(self) -> bool:
        """Whether there is code of the function, of some types."""
        return Path(self._index_path).exists()

    def _read(self, name: str) -> bytes:
        return Path(self._data_path(name)).read_bytes()

    def _save_data(self, name: str, data: Any) -> None:
        content = self._dump(data)
        with self._open_for_write(self._data_path(name)) as file:
            file.write(_digest(name, content) + content)

    def _load_data(self, name: str) -> Any:
        content = self._read(name)
        digest, content = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
        if digest != _digest(name, content):
            raise ValueError(f"{name} is damaged or that of another function")
        return pickle.loads(content)


def _digest(name: str, content: bytes) -> bytes:
    return hashlib.sha256(name.encode() + content).digest()


class _ShippedFile(_CheckedFile):
    """Files that came with the package, which are only read."""

    def is_there(self) -> bool:
        return self._index_name in _shipped()[1]

    def load(self, key: Any) -> Any:
        """The code of a function with types; None where there is none that runs here."""
        types, (system, *_), content = key
        code = types, (system, _shipped()[0], ""), content
        return super().load(code) if self.is_there() else None

    def flush(self) -> None:
        """Nothing, as what is damaged belongs to the package."""

    def _read(self, name: str) -> bytes:
        content = super()._read(name)
        if hashlib.sha256(content).hexdigest() != _shipped()[1].get(name):
            raise ValueError(f"{name} is not what came with the package")
        return content

    def _load_index(self) -> dict[Any, str]:
        file = io.BytesIO(self._read(self._index_name))
        # Numba's version, which is that of the contents
        pickle.load(file)
        _, names = pickle.load(file)
        return dict(names)


class _Nowhere(_CacheLocator):
    """The place of a function whose code no folder can keep."""

    def __init__(self, function: Any, file: str) -> None:
        self._py_file, self._line = file, function.__code__.co_firstlineno

    @classmethod
    def from_function(cls, function: Any, file: str) -> _Nowhere:
        return cls(function, file)

    def ensure_cache_path(self) -> None:
        raise OSError("there is no folder for machine code")

    def get_cache_path(self) -> str:
        # in which there is no file
        return os.devnull

    def get_source_stamp(self) -> None:
        return None

    def get_disambiguator(self) -> str:
        return str(self._line)


class _Places(CompileResultCacheImpl):
    """Where Numba keeps the code of a function, or nowhere, and how it is read.

    With its machine code each function is kept as other functions would include it. This is read
    when one that does is compiled: to read both takes twice as long.
    """

    _locator_classes = (*CompileResultCacheImpl._locator_classes, _Nowhere)

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        (name, kind, (content, included)), described, *others = payload
        # the names that Numba would find in what is not read
        engine = target_context.codegen()._engine
        engine._defined_symbols |= {
            described.llvm_func_name,
            described.llvm_cpython_wrapper_name,
        }
        machine_code = name, kind, (content, _nothing_included())
        function = super().rebuild(target_context, (machine_code, described, *others))
        read = function.library

        def include() -> Any:
            if read._shared_module is None:
                read._shared_module = parse_bitcode(included)
                engine._load_defined_symbols(read._shared_module)
            return read._shared_module

        read._shared_module = None
        read._get_module_for_linking = include
        return function


@cache
def _nothing_included() -> bytes:
    return bytes(parse_assembly("").as_bitcode())


class Cache(FunctionCache):
    """What ``njit(cache=True)`` sets, except that nothing on a disk can end a program.

    Code that came with the package is read first. A full disk only leaves the code unsaved, and
    files that are damaged are replaced.
    """

    _impl_class = _Places

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        name = self._impl.filename_base
        self._cache_file = _CheckedFile(self._cache_path, name)
        self._lock: Any = None
        self._files: list[_CheckedFile] = [_ShippedFile(FOLDER, name)]
        self._has_folder = not isinstance(self._impl.locator, _Nowhere)
        if self._has_folder:
            self._files.append(self._cache_file)

    def is_kept(self) -> bool:
        """Whether there is code of this function, of some types, or never will be."""
        return not self._has_folder or any(file.is_there() for file in self._files)

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError:
            say_not_kept()
        finally:
            self.let_go()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Read compiled code, without all that Numba can compile, which takes as long as the code.

        Who compiles a function afterwards reads that then. Of several processes that have come to a
        function, such as those that share a job, one compiles it, and the others wait for its code.
        """
        rtsys.initialize(target_context)
        key = self._index_key(sig, target_context.codegen())
        code = self._read(key, target_context)
        if code is None and self._claim():
            # which another one may have compiled meanwhile
            code = self._read(key, target_context)
            if code is not None:
                self.let_go()
        return code

    def _read(self, key: Any, target_context: Any) -> Any:
        for file in self._files:
            # a damaged file can raise nearly anything
            try:
                code = file.load(key)
                if code is not None:
                    return self._impl.rebuild(target_context, code)
            except Exception:
                # the code is compiled again, and saved as if there had been none
                with contextlib.suppress(OSError):
                    file.flush()
        return None

    def _claim(self) -> bool:
        """Wait until no other process compiles this function; False where nobody can tell."""
        if not self._has_folder:
            return False
        # who finds all code never needs it
        from filelock import FileLock

        try:
            self._impl.locator.ensure_cache_path()
            if self._lock is None:
                path = f"{self._cache_file._index_path}.lock"
                self._lock = FileLock(path, timeout=_LONGEST_SECONDS, fallback_to_soft=False)
            self._lock.acquire(poll_interval=_SECONDS_BETWEEN)
        # also where time was up; without locks two processes may compile the same
        except (OSError, NotImplementedError):
            return False
        return True

    def let_go(self) -> None:
        """Let other processes compile this function."""
        if self._lock is not None:
            self._lock.release()


class _Failures(event.Listener):
    """Who could not compile a function does not keep others waiting."""

    def on_start(self, event: Any) -> None:
        pass

    def on_end(self, event: Any) -> None:
        function = event.data["dispatcher"]
        if isinstance(function._cache, Cache) and event.data["args"] not in function.overloads:
            function._cache.let_go()


event.register("numba:compile", _Failures())


def is_kept(function: Any) -> bool:
    """Whether an earlier process compiled a function; also True where nothing is ever kept."""
    cache = getattr(function, "_cache", None)
    return not isinstance(cache, Cache) or cache.is_kept()
