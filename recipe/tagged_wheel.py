"""Make the wheel of one Python and one machine: the pure wheel, with machine code.

    python recipe/tagged_wheel.py dist ENV/bin/python

The Python of an environment, in which the pure wheel of the folder is installed, compiles what the
usual commands need (``gomkcn compile``): for the processors of a level, and for no feature that
only the machine at hand has. The new wheel lies beside the pure one. Where its code does not fit,
as with another version of Numba or NumPy, functions are compiled as with the pure wheel.

``auditwheel`` reads libraries, and there are none in it. What its rule for manylinux is about is
compared here: which names the code expects from the system. It finds them in Numba's runtime, in
Python, and in the C library among names that glibc has had since version 2.17, manylinux2014.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

# by machine: the processor that LLVM compiles for, and by its names what that has beyond the first
# ones of its kind; a processor must have it to run the code
LEVELS = {
    "x86_64": (
        "x86-64-v3",
        ("avx", "avx2", "bmi", "bmi2", "cx16", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sahf",
         "sse3", "sse4.1", "sse4.2", "ssse3", "xsave"),
    ),
    "aarch64": ("generic", ("neon",)),
}  # fmt: skip
# of Numba's runtime and of Python
_GIVEN = re.compile(r"NRT_|numba_|_?Py")
# of the C library
_OF_C = {
    "abort", "acos", "asin", "atan", "atan2", "bcmp", "cbrt", "ceil", "cos", "cosh", "erf",
    "erfc", "exp", "exp2", "expm1", "fabs", "floor", "fmod", "free", "frexp", "hypot",
    "ldexp", "lgamma", "log", "log10", "log1p", "log2", "malloc", "memcmp", "memcpy",
    "memmove", "memset", "modf", "pow", "rint", "round", "sin", "sincos", "sinh", "sqrt",
    "strlen", "tan", "tanh", "tgamma", "trunc",
}  # fmt: skip
# for the Python of the environment
_TELL = """
import json, platform, sys, sysconfig
tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
print(json.dumps([platform.machine(), tag, tag + sys.abiflags]))
"""
_STORE = """
import sys
from pathlib import Path
from gomkcn_dgl.runtime.machine_code import store_machine_code
source, folder, processor, *features = sys.argv[1:]
store_machine_code(Path(source).rglob("*.nb[ic]"), Path(folder), processor, features)
"""
_UNPACK = """
import pickle, sys
from pathlib import Path
from gomkcn_dgl.runtime.machine_code import object_code
for file in Path(sys.argv[1]).rglob("*.nbc"):
    file.with_suffix(".o").write_bytes(object_code(file))
"""


def main(folder: Path, python: str) -> Path:
    (pure,) = folder.glob("*-none-any.whl")
    with TemporaryDirectory() as temporary:
        code, tags = compile_code(python, Path(temporary))
        return _write(pure, code, tags)


def compile_code(
    python: str, temporary: Path, command: Sequence[str] = ("compile",)
) -> tuple[Path, str]:
    """Compile what a command of gomkcn needs; return the folder of a package, and its tags."""
    machine, tag, abi = json.loads(_run(python, "-c", _TELL))
    processor, features = LEVELS[machine]
    cache, folder = temporary / "compiled", temporary / "machine_code"
    cache.mkdir()
    environment = {
        **os.environ,
        "NUMBA_CPU_NAME": processor,
        # nothing of this machine
        "NUMBA_CPU_FEATURES": "",
        "NUMBA_CACHE_DIR": str(cache),
    }
    # in an empty folder, so that the installed package runs and not that of a checkout
    subprocess.run([python, "-m", "gomkcn", *command], env=environment, check=True, cwd=temporary)
    _run(python, "-c", _STORE, str(cache), str(folder), processor, *features)
    _run(python, "-c", _UNPACK, str(cache))
    _check_names(cache)
    return folder, f"{tag}-{abi}-manylinux_2_17_{machine}.manylinux2014_{machine}"


def _run(*command: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def _check_names(folder: Path) -> None:
    """Refuse machine code that expects something which not every manylinux system has."""
    files = [str(file) for file in folder.rglob("*.o")]
    assert files, "nothing was compiled"
    told = _run("nm", "--undefined-only", "--format=posix", *files)
    names = {line.split()[0] for line in told.splitlines() if line.endswith(tuple("Uw "))}
    foreign = sorted(name for name in names if not _GIVEN.match(name) and name not in _OF_C)
    if foreign:
        sys.exit(f"machine code expects what a system may not have: {', '.join(foreign)}")


def _write(pure: Path, folder: Path, tags: str) -> Path:
    """The files of the pure wheel and of a folder, by the name and with the record of their own."""
    name, version = pure.name.split("-")[:2]
    path = pure.with_name(f"{name}-{version}-{tags}.whl")
    info = f"{name}-{version}.dist-info"
    rows = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for member, content in _members(pure, folder, info, tags):
            wheel.writestr(member, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=")
            rows.append(f"{member},sha256={digest.decode()},{len(content)}")
        wheel.writestr(f"{info}/RECORD", "\n".join([*rows, f"{info}/RECORD,,", ""]))
    return path


def _members(pure: Path, folder: Path, info: str, tags: str) -> Iterator[tuple[str, bytes]]:
    python, abi, platforms = tags.split("-")
    lines = [f"Tag: {python}-{abi}-{platform}\n" for platform in platforms.split(".")]
    with zipfile.ZipFile(pure) as wheel:
        for member in wheel.namelist():
            content = wheel.read(member)
            if member == f"{info}/WHEEL":
                text = content.decode().replace("Root-Is-Purelib: true", "Root-Is-Purelib: false")
                content = re.sub(r"(Tag: .*\n)+", "".join(lines), text).encode()
            if member != f"{info}/RECORD":
                yield member, content
    for file in sorted(folder.iterdir()):
        yield f"gomkcn_dgl/machine_code/{file.name}", file.read_bytes()


if __name__ == "__main__":
    print(main(Path(sys.argv[1]), str(Path(sys.argv[2]).absolute())))
