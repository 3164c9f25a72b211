"""Texts that say the same thing the same way in every process: what streams and cache keys are hashed from.

``canonical`` writes plain arguments. ``content`` also writes functions, by what they run: their code, their
defaults and whatever they take from around them, as far as that is not installed software. The order of a dict
does not matter, equal numbers are written alike (1 and 1.0), and nothing depends on Python's randomised hashes.
"""

import dataclasses
import functools
import hashlib
import inspect
import os
import sys
import sysconfig
from collections.abc import Callable, Mapping
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

LIBRARY = Path(__file__).parent
_INSTALLED = tuple(f"{place}{os.sep}" for place in (*map(sysconfig.get_path, ("stdlib", "purelib")), LIBRARY))


def digest(*texts: str) -> str:
    """A hash of some texts, in hexadecimal digits.

    >>> digest("a", "b") == digest("a", "b") != digest("ab", "")
    True
    """
    return hashlib.sha256(repr(texts).encode()).hexdigest()


def canonical(value: Any, other: Callable[[Any], str] | None = None) -> str:
    """The text of an argument, refused if there is none that stays the same; ``other`` writes what is not plain data.

    >>> canonical({"level": np.float64(1), "cuts": (0.5, 2)})
    "{'cuts': [0.5, 2], 'level': 1}"
    """
    other = other or _by_name
    write = functools.partial(canonical, other=other)
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | str | int):
        return repr(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(write, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(sorted(f'{write(key)}: {write(item)}' for key, item in value.items()))}}}"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value) if field.compare}
        return other(type(value)) + write(fields)
    return other(value)


def content(value: Any, seen: list[Any] | None = None) -> str:
    """The text of a value together with all the code that it brings; ``seen`` are functions written before."""
    return canonical(value, functools.partial(_with_code, seen=[] if seen is None else seen))


def _number(value: float) -> str:
    if value != value:
        raise ValueError("an argument is nan, which equals nothing, not even itself; expected a number")
    return repr(int(value)) if value.is_integer() else repr(value)


def _by_name(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return canonical(value.tolist())
    if isinstance(value, FunctionType | type) and "<lambda>" not in value.__qualname__:
        return f"{value.__module__}.{value.__qualname__}"
    raise TypeError(
        f"{value!r} is of type {type(value).__name__}, of which no text stays the same; expected None, booleans, "
        "numbers, text, functions with a name, dataclasses, or lists and dicts of these; "
        "pass a name or a number and build the object inside the measure"
    )


def _with_code(value: Any, seen: list[Any]) -> str:
    write = functools.partial(content, seen=seen)
    if isinstance(value, functools.partial):
        return "partial" + write([value.func, value.args, value.keywords])
    if isinstance(value, MethodType):
        return "method" + write([value.__func__, value.__self__])
    if isinstance(value, ModuleType):
        return value.__name__ + ("" if _installed(value) else digest(inspect.getsource(value)))
    if isinstance(value, FunctionType):
        return _function(value, seen)
    if isinstance(value, type):
        return _class(value, seen)
    return write(type(value)) + _hash(value)


def _function(function: FunctionType, seen: list[Any]) -> str:
    code = function.__code__
    if function in seen or code.co_filename.startswith(_INSTALLED):
        return f"{function.__module__}.{function.__qualname__}"
    seen.append(function)
    enclosed = [cell.cell_contents for cell in function.__closure__ or ()]
    around = {name: function.__globals__[name] for name in sorted(_names(code)) if name in function.__globals__}
    held = [function.__defaults__, function.__kwdefaults__, enclosed, around]
    return f"{function.__module__}.{function.__qualname__}" + _code(code) + content(held, seen)


def _class(kind: type, seen: list[Any]) -> str:
    name = f"{kind.__module__}.{kind.__qualname__}"
    if _installed(sys.modules.get(kind.__module__)):
        return name
    parts = {key: getattr(part, "__func__", getattr(part, "fget", part)) for key, part in sorted(vars(kind).items())}
    methods = {key: part for key, part in parts.items() if isinstance(part, FunctionType)}
    constants = {key: part for key, part in parts.items() if isinstance(part, int | float | str) and key[:2] != "__"}
    return name + content([list(kind.__bases__), methods, constants], seen)


def _installed(module: ModuleType | None) -> bool:
    file = getattr(module, "__file__", None)
    return getattr(module, "__name__", "__main__") != "__main__" and (file is None or file.startswith(_INSTALLED))


def _names(code: CodeType) -> set[str]:
    inner = [_names(const) for const in code.co_consts if isinstance(const, CodeType)]
    return set(code.co_names).union(*inner)


def _code(code: CodeType) -> str:
    """What runs is the loaded code; the file that it came from may have changed since."""
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    steps = (code.co_code.hex(), code.co_exceptiontable.hex())
    return digest(repr(counts), repr(names), *steps, *map(_constant, code.co_consts))


def _constant(const: Any) -> str:
    if isinstance(const, CodeType):
        return _code(const)
    return repr(sorted(map(repr, const))) if isinstance(const, frozenset) else repr(const)


def _hash(value: Any) -> str:
    import joblib  # not above, so that `import ppdm` stays quick

    try:
        return joblib.hash(value)
    except Exception as error:
        raise TypeError(f"{value!r} cannot be hashed for the cache ({error}); pass it as an argument") from error
