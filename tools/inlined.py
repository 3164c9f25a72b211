"""A hidden check as code that stands alone, so that no module with hidden checks must be handed out."""

import ast
from collections.abc import Iterator
from pathlib import Path

from sheets import SheetError

Named = tuple[int, str, ast.stmt]  # a name of a module: where it is bound, its name, and by what


def names_of(module: ast.Module) -> Iterator[Named]:
    """The names that a module binds at its top."""
    for place, node in enumerate(module.body):
        match node:
            case ast.Import(names) | ast.ImportFrom(names=names):
                for alias in names:
                    yield place, alias.asname or alias.name.partition(".")[0], one_import(node, alias)
            case ast.FunctionDef(name) | ast.ClassDef(name):
                yield place, name, node
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for part in (part for target in targets for part in ast.walk(target)):
                    if isinstance(part, ast.Name):
                        yield place, part.id, node


def one_import(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> ast.stmt:
    """The import of one name alone; relative ones are spelt out."""
    if isinstance(node, ast.Import):
        return ast.Import([alias])
    module = ".".join(filter(None, ["oracles" if node.level else None, node.module]))
    return ast.ImportFrom(module, [alias], 0)


def needed(found: list[Named], start: str) -> list[ast.stmt]:
    """What a function needs of its module, it itself included, in the order of the module."""
    used: dict[tuple[int, str], ast.stmt] = {}
    left = [start]
    while left:
        name = left.pop()
        for place, bound, node in found:
            if bound == name and (place, ast.unparse(node)) not in used:
                used[place, ast.unparse(node)] = node
                left += [part.id for part in ast.walk(node) if isinstance(part, ast.Name)]
    return [used[key] for key in sorted(used)]


def inlined(path: Path, function: str) -> ast.FunctionDef:
    """The function ``hidden_w1_2(*answers)``: all that ``w1_2`` of the module needs, in a scope of its own."""
    module = ast.parse(path.read_text(encoding="utf-8"))
    found = list(names_of(module))
    if not any(name == function and isinstance(node, ast.FunctionDef) for _, name, node in found):
        raise SheetError(f"{path.name} has no function {function}, which a sheet calls")
    body = needed(found, function)
    for node in body:
        for part in ast.walk(node):
            if isinstance(part, ast.Global):
                raise SheetError(
                    f"{path.name}: {function} needs a global name; a check that stands alone has none"
                )
            if isinstance(part, ast.ImportFrom) and "hidden_" in f"{part.module} {[a.name for a in part.names]}":
                raise SheetError(
                    f"{path.name}: {function} needs another module with hidden checks; copy what it needs"
                )
    call = ast.parse(f"return {function}(*answers)").body
    scope = ast.parse(f"def hidden_{function}(*answers):\n    pass").body[0]
    assert isinstance(scope, ast.FunctionDef)
    scope.body = [*body, *call]
    return ast.fix_missing_locations(scope)
