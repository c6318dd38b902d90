"""Vectors of 64 bytes as values in compiled functions, and the few operations that kernels need.

A loop that the compiler vectorises by itself uses half of the widest registers, keeps no sum in a
register from one loop to the next, and tests at run time whether arrays overlap. Here a vector is a
value: 16 numbers of float32 or 8 of float64, with ``+``, ``-``, ``*`` and the functions
below; the compiler splits it where a processor's registers are smaller. Arrays are contiguous and
read by the offset of a number in them, without a look at their bounds.

Each function's body is what it does without the compiler, on arrays of NumPy.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin, models, register_model

_BYTES = 64
# a product and a sum may become one instruction; without any flag, Numba would let the compiler
# change the order of operations
_FLAGS = ("contract",)


def lanes_of(dtype: Any) -> int:
    """Numbers in a vector."""
    return _BYTES // np.dtype(dtype).itemsize


def padded(count: int, dtype: Any) -> int:
    """Round up to whole vectors."""
    lanes = lanes_of(dtype)
    return -(-count // lanes) * lanes


def zeros(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Return an array of zeros that begins with a cache line, so that no vector lies in two."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    memory = np.zeros(size + _BYTES, np.uint8)
    start = -memory.__array_interface__["data"][0] % _BYTES
    return memory[start : start + size].view(dtype).reshape(shape)


class Vector(types.Type):
    """Type of a vector in compiled code."""

    def __init__(self, dtype: types.Float) -> None:
        self.dtype = dtype
        super().__init__(f"Vector({dtype})")


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Vector) -> None:
        number = ir.FloatType() if fe_type.dtype == types.float32 else ir.DoubleType()
        super().__init__(dmm, fe_type, ir.VectorType(number, _BYTES * 8 // fe_type.dtype.bitwidth))


def _compile(
    function: Any, result: Callable[..., Any], *kinds: Any
) -> Callable[[Callable[..., Any]], None]:
    """Name what generates the code of a function, and the type of its result."""

    class Template(AbstractTemplate):
        key = function

        def generic(self, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
            if len(args) != len(kinds) or not all(map(isinstance, args, kinds)):
                return None
            return signature(result(*args), *args)

    infer_global(function)(Template)
    return lower_builtin(function, *kinds)


def load(array: np.ndarray, offset: int) -> Any:
    """Return the vector that begins at the number ``offset`` of a contiguous array."""
    return array.reshape(-1)[offset : offset + lanes_of(array.dtype)].copy()


def store(array: np.ndarray, offset: int, vector: Any) -> None:
    """Write a vector to where the number ``offset`` of a contiguous array is."""
    array.reshape(-1)[offset : offset + lanes_of(array.dtype)] = vector


def item(array: np.ndarray, offset: int) -> Any:
    """Return the number ``offset`` of a contiguous array."""
    return array.reshape(-1)[offset]


def put(array: np.ndarray, offset: int, number: Any) -> None:
    """Write the number ``offset`` of a contiguous array, of the array's type."""
    array.reshape(-1)[offset] = number


def load_few(array: np.ndarray, offset: int, count: int, others: Any) -> Any:
    """Return a vector of at most ``count`` numbers from ``offset`` on, and ``others`` behind them.

    Nothing behind them is read. Whole numbers become those of the vector's type.
    """
    vector = others.copy()
    count = min(count, len(vector))
    vector[:count] = array.reshape(-1)[offset : offset + count]
    return vector


def store_few(array: np.ndarray, offset: int, count: int, vector: Any) -> None:
    """Write at most the first ``count`` numbers of a vector, as numbers of the array's type."""
    count = min(count, len(vector))
    array.reshape(-1)[offset : offset + count] = vector[:count]


def gather(array: np.ndarray, offset: int, places: Any) -> Any:
    """Return the vector of the numbers that stand ``places``, a vector, behind ``offset``."""
    return array.reshape(-1)[offset + places.astype(np.int64)]


def spread(number: Any) -> Any:
    """Return a vector of equal numbers."""
    return np.full(lanes_of(number.dtype), number)


def pick_greater(a: Any, b: Any, yes: Any, no: Any) -> Any:
    """Return ``yes`` where a > b, and ``no`` elsewhere and where one is NaN."""
    return np.where(a > b, yes, no)


def pick_equal(a: Any, b: Any, yes: Any, no: Any) -> Any:
    """Return ``yes`` where a = b, and ``no`` elsewhere."""
    return np.where(a == b, yes, no)


# float32: adding it leaves the nearest whole number in the low bits, and the 127 of an exponent
_MAGIC = np.float32(1.5 * 2**23 + 127)
# 2^r = 1 + c1 r + ... + c5 r^5 + e, |e| < 1.2e-7 for |r| <= 1 / 2
_POLYNOMIAL = (1.0, 0.69314706, 0.24022235, 0.055506784, 0.009671962, 0.0013274633)


def exp2(vector: Any) -> Any:
    """Return 2^t for t <= 0; for float32 with an error below 3e-7 of it, and 0 below 2^-127."""
    lowest = -126.5 if vector.dtype == np.float32 else -np.inf
    return np.exp2(np.where(vector < lowest, -np.inf, vector))


def _pointer(context: Any, builder: Any, kind: Any, array: Any, offset: Any) -> Any:
    data = context.make_array(kind)(context, builder, array).data
    return builder.gep(data, [offset])


def _size(sig: Any) -> int:
    """Bytes of a number of the array that is the first argument."""
    return int(sig.args[0].dtype.bitwidth // 8)


@_compile(load, lambda array, _: Vector(array.dtype), types.Array, types.Integer)
def _load(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    kind = context.get_value_type(sig.return_type).as_pointer()
    pointer = builder.bitcast(_pointer(context, builder, sig.args[0], *args), kind)
    return builder.load(pointer, align=_size(sig))


@_compile(store, lambda *_: types.none, types.Array, types.Integer, Vector)
def _store(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    pointer = _pointer(context, builder, sig.args[0], *args[:2])
    pointer = builder.bitcast(pointer, args[2].type.as_pointer())
    builder.store(args[2], pointer, align=_size(sig))
    return context.get_dummy_value()


@_compile(item, lambda array, _: array.dtype, types.Array, types.Integer)
def _item(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.load(_pointer(context, builder, sig.args[0], *args))


@_compile(put, lambda *_: types.none, types.Array, types.Integer, types.Number)
def _put(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    number = context.cast(builder, args[2], sig.args[2], sig.args[0].dtype)
    builder.store(number, _pointer(context, builder, sig.args[0], *args[:2]))
    return context.get_dummy_value()


def _first(builder: Any, count: Any, lanes: int) -> Any:
    """Which lanes are the first ``count``."""
    whole = ir.VectorType(count.type, lanes)
    limit = _repeat(builder, count, whole)
    return builder.icmp_signed("<", ir.Constant(whole, list(range(lanes))), limit)


def _repeat(builder: Any, number: Any, kind: Any) -> Any:
    vector = builder.insert_element(ir.Constant(kind, ir.Undefined), number, ir.IntType(32)(0))
    mask = ir.Constant(ir.VectorType(ir.IntType(32), kind.count), None)
    return builder.shuffle_vector(vector, vector, mask)


def _call(builder: Any, name: str, kind: Any, result: Any, *args: Any) -> Any:
    """Call what LLVM has for parts of a vector."""
    number = {"float": "f32", "double": "f64"}.get(str(kind.element), str(kind.element))
    types_of = [arg.type for arg in args]
    function = cgutils.get_or_insert_function(
        builder.module,
        ir.FunctionType(result, types_of),
        name.format(f"v{kind.count}{number}", f"v{kind.count}p0"),
    )
    return builder.call(function, args)


@_compile(load_few, lambda *args: args[3], types.Array, types.Integer, types.Integer, Vector)
def _load_few(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    others = args[3]
    is_whole = isinstance(sig.args[0].dtype, types.Integer)
    kind = ir.VectorType(context.get_value_type(sig.args[0].dtype), others.type.count)
    start = _pointer(context, builder, sig.args[0], *args[:2])
    mask = _first(builder, args[2], kind.count)
    align = ir.IntType(32)(_size(sig))
    behind = ir.Constant(kind, None) if is_whole else others
    name = "llvm.masked.load.{0}.p0"
    vector = _call(
        builder, name, kind, kind, builder.bitcast(start, kind.as_pointer()), align, mask, behind
    )
    if is_whole:
        vector = builder.select(mask, builder.sitofp(vector, others.type), others)
    return vector


@_compile(store_few, lambda *_: types.none, types.Array, types.Integer, types.Integer, Vector)
def _store_few(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    vector = args[3]
    kind = ir.VectorType(context.get_value_type(sig.args[0].dtype), vector.type.count)
    if isinstance(sig.args[0].dtype, types.Integer):
        vector = builder.fptosi(vector, kind)
    start = _pointer(context, builder, sig.args[0], *args[:2])
    mask = _first(builder, args[2], kind.count)
    start = builder.bitcast(start, kind.as_pointer())
    align = ir.IntType(32)(_size(sig))
    _call(builder, "llvm.masked.store.{0}.p0", kind, ir.VoidType(), vector, start, align, mask)
    return context.get_dummy_value()


@_compile(gather, lambda *args: args[2], types.Array, types.Integer, Vector)
def _gather(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    kind, long = args[2].type, ir.IntType(64)
    # addresses: that of the first number, and the bytes up to each place
    start = _pointer(context, builder, sig.args[0], *args[:2])
    longs = ir.VectorType(long, kind.count)
    bytes_behind = builder.mul(
        builder.fptosi(args[2], longs), ir.Constant(longs, [_size(sig)] * kind.count)
    )
    addresses = builder.add(_repeat(builder, builder.ptrtoint(start, long), longs), bytes_behind)
    # to what they point at, which LLVM 15 of the oldest Numba wants to know
    of_number = ir.VectorType(kind.element.as_pointer(), kind.count)
    pointers = builder.inttoptr(addresses, of_number)
    every = ir.Constant(ir.VectorType(ir.IntType(1), kind.count), [True] * kind.count)
    align = ir.IntType(32)(_size(sig))
    none = ir.Constant(kind, None)
    return _call(builder, "llvm.masked.gather.{0}.{1}", kind, kind, pointers, align, every, none)


@_compile(spread, Vector, types.Float)
def _spread(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return _repeat(builder, args[0], context.get_value_type(sig.return_type))


@_compile(pick_greater, lambda *args: args[0], Vector, Vector, Vector, Vector)
def _pick_greater(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", args[0], args[1]), args[2], args[3])


@_compile(pick_equal, lambda *args: args[0], Vector, Vector, Vector, Vector)
def _pick_equal(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.select(builder.fcmp_ordered("==", args[0], args[1]), args[2], args[3])


def _compile_operator(function: Any, name: str) -> None:
    @_compile(function, lambda *args: args[0], Vector, Vector)
    def _operate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return getattr(builder, name)(*args, flags=_FLAGS)


_compile_operator(operator.add, "fadd")
_compile_operator(operator.sub, "fsub")
_compile_operator(operator.mul, "fmul")


@_compile(exp2, lambda vector: vector, Vector)
def _exp2(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    kind = args[0].type
    if sig.return_type.dtype == types.float64:
        function = ir.FunctionType(kind, [kind])
        name = f"llvm.exp2.v{kind.count}f64"
        library = cgutils.get_or_insert_function(builder.module, function, name)
        return builder.call(library, args)
    whole = ir.VectorType(ir.IntType(32), kind.count)

    def constant(number: float) -> Any:
        return ir.Constant(kind, [float(np.float32(number))] * kind.count)

    def integer(number: int) -> Any:
        return ir.Constant(whole, [number] * kind.count)

    # t = k + r with a whole k; from -127 on, 2^k becomes 0 below; a NaN stays one
    low = constant(-127)
    t = builder.select(builder.fcmp_ordered(">", low, args[0]), low, args[0])
    shifted = builder.fadd(t, constant(_MAGIC), flags=_FLAGS)
    rounded = builder.fsub(shifted, constant(_MAGIC), flags=_FLAGS)
    r = builder.fsub(t, rounded, flags=_FLAGS)
    # 2^r by Horner's rule
    total = constant(_POLYNOMIAL[-1])
    for coefficient in _POLYNOMIAL[-2::-1]:
        product = builder.fmul(total, r, flags=_FLAGS)
        total = builder.fadd(product, constant(coefficient), flags=_FLAGS)
    # k + 127 stands in the low bits: moved to the exponent they give 2^k
    bits = builder.shl(builder.bitcast(shifted, whole), integer(23))
    power = builder.bitcast(bits, kind)
    return builder.fmul(total, power, flags=_FLAGS)


@_compile(lanes_of, lambda _: types.intp, types.DType)
def _lanes_of(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return context.get_constant(types.intp, _BYTES * 8 // sig.args[0].dtype.bitwidth)
