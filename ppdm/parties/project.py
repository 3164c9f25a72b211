"""What all parties of a project know, and what each must hold."""

import io
import tomllib
from typing import Any

import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.parties.jobs import TWO, job_of

# What may be held apart, the engines for it, and the name of who only adds up or deals, where there is one.
ENGINES: dict[str, dict] = {
    "rows": {"shamir": None, "ring": None, "additive": None, "mixer": "mixer", "masks": "server"},
    "columns": {"commodity": "helper", "shamir": None},
}
KNOWN = ["engine", "parties", "computes", "columns", "classes", "class"]  # what a project may say
KNOWN += ["holders", "target", "align", "limit", "job"]
CLASS = "class of the record"  # the column of its class, where the session writes the file
ID = "id"  # the column of a party's file that says whose record it is, where columns are held apart


def project_of(parties, engine, domains, align) -> tuple[dict, dict]:
    """A project of parties whose records are at hand: what all know, and each one's records as a file."""
    held = {name: _held(name, given) for name, given in parties.items() if given is not None}
    sets = [set(X) for X, _ in held.values()]
    apart = len(sets) > 1 and not set.intersection(*sets)
    for name, (X, _) in held.items():
        if apart and align:
            checks.distinct(f"the index of {name!r}", X.index.map(str))  # as which ids are compared
        elif apart:
            checks.same_length(f"X of {name!r} (align is False)", X, "another", next(iter(held.values()))[0])
    names = dict.fromkeys(name for X, _ in held.values() for name in X)
    checks.columns("domains", domains, names)
    parts = {name: {site: X[name] for site, (X, _) in held.items() if name in X} for name in names}
    labels = {name: y for name, (_, y) in held.items() if y is not None}
    project = {
        "engine": ("commodity" if apart and len(parties) == 2 else "shamir") if engine is None else engine,
        "held": "columns" if apart else "rows",
        "sites": list(parties),
        "columns": {name: _public(name, own, domains.get(name)) for name, own in parts.items()},
        "classes": np.unique(np.concatenate([*labels.values()])).tolist() if labels else [],
        "class": CLASS,
        "holders": {name: list(X) for name, (X, _) in held.items()},
        "target": list(labels),
        "align": apart and align,
        "told": [name for name in names if domains.get(name) is None],
    }
    tables = {name: X if y is None else X.assign(**{CLASS: y}) for name, (X, y) in held.items()}
    index = ID if apart else None
    return checked(project), {name: X.to_csv(index_label=index, index=apart) for name, X in tables.items()}


def checked(project) -> dict:
    """The project with the names of all parties, if it protects somebody."""
    held, engine, sites, target = (project[name] for name in ("held", "engine", "sites", "target"))
    rows, columns, holders = held == "rows", project["columns"], project["holders"]
    server = ENGINES[held][checks.choice("engine", engine, list(ENGINES[held]), hint=f"{held} are held apart")]
    if not all(isinstance(name, str) and name for name in sites) or server in sites:
        raise ValueError(f"parties are named {sites}; expected texts, and none of them {server!r}")
    if engine == "commodity" and len(sites) != 2:
        raise ValueError(f"parties are {len(sites)}; expected 2 for 'commodity', or engine='shamir'")
    if engine != "commodity" and len(sites) < 3:
        raise ValueError(f"parties are {len(sites)}: {TWO}")
    if rows and any(set(own) != set(columns) for own in holders.values()):
        raise ValueError("parties hold columns that some of them lack; expected the same ones, or none in common")
    order = [name for site in sites for name in holders.get(site, ())]
    if not rows and (set(holders) != set(sites) or sorted(order) != sorted(columns)):
        raise ValueError(f"holders are {holders}; expected each column once, and some for each party")
    if len(target) not in ((0, len(holders)) if rows else (0, 1)):
        wanted = "all that hold rows, or none" if rows else "one of them"
        raise ValueError(f"parties with classes are {target}; expected {wanted}")
    if target and len(_tellable("classes", checks.listed("classes", project["classes"], "class labels"))) < 2:
        raise ValueError(f"the classes are {project['classes']}; expected at least two")
    told = {"server": server, "parties": [*sites, *([server] if server else [])]}
    return project | told | {"columns": {name: columns[name] for name in order}}  # those of one holder together


def _held(name, given):
    """The records of a party, and their classes, if it has them."""
    X, y = given if isinstance(given, tuple) and len(given) == 2 else (given, None)
    names = [*map(str, checks.frame(f"X of {name!r}", X).columns)]
    checks.distinct(f"the columns of {name!r}", [*names, ID, CLASS])
    # As text, a float of few digits is another number than as a number.
    X = X.astype({column: float for column in X if pd.api.types.is_float_dtype(X[column])})
    if y is not None:
        y = checks.labels(f"y of {name!r}", y)
        checks.same_length(f"y of {name!r}", y, f"X of {name!r}", X)
    return X.set_axis(names, axis=1), y


def _public(name, parts, given):
    """What is public of a column: as it is given, or else as the parties tell each other."""
    for site, part in parts.items():
        checks.none_missing(f"column {name!r} of {site!r}", part)
    columns = [*parts.values()]
    dtype = columns[0].dtype
    if len({checks.is_number(part.dtype) for part in columns}) > 1:
        raise TypeError(f"column {name!r} holds numbers at some parties only; expected one kind")
    if checks.is_number(dtype):
        values = np.concatenate([checks.vector(f"column {name!r}", part) for part in columns])
        own = values.min(), values.max(), 1 if (values == np.rint(values)).all() else None
        ends = checks.listed(f"domains[{name!r}]", own if given is None else given, "two numbers, or three")
        if len(ends) not in (2, 3):
            raise ValueError(f"domains[{name!r}] is {given}; expected (low, high), or (low, high, step)")
        told = dict(zip(("low", "high", "step"), ends))
    else:
        found = sorted(pd.concat([part.astype(object) for part in columns]).unique())
        known = getattr(dtype, "categories", found) if given is None else given
        told = {"categories": known, "ordered": bool(getattr(dtype, "ordered", False))}
    domain = _domain(name, told)
    for part in columns:
        _inside(name, part, domain)
    return domain


def _domain(name, told):
    """What is public of a column, as all parties know it: the ends and the step of a number, or the categories."""
    if "categories" in told:
        known = checks.listed(f"categories of {name!r}", told["categories"], "categories")
        return {"categories": _tellable(f"categories of {name!r}", known), "ordered": told.get("ordered", False)}
    low = checks.number(f"low of {name!r}", told.get("low"))
    high = checks.number(f"high of {name!r}", told.get("high"), f"[{low!r}, inf)")
    if (step := told.get("step")) is not None:  # else any number
        checks.number(f"step of {name!r}", step, "(0, inf)")
    return {"low": low, "high": high, "step": step}


def _tellable(name, labels):
    """Labels that can be told to others, and found again in a file."""
    found = [checks.scalar(one) for one in labels]
    checks.distinct(f"{name} as text", [*map(str, found)])
    if odd := {type(one).__name__ for one in found if not isinstance(one, str | int | float)}:
        raise TypeError(
            f"{name} are of type {', '.join(sorted(odd))}; expected texts, numbers or booleans: convert them"
        )
    return found


def _inside(name, values, domain) -> Any:
    """The values of a column, as numbers or as categories, if all lie in its domain."""
    if "categories" in domain:
        labels = domain["categories"]
        places = checks.places(f"column {name!r}", values.astype(str), [*map(str, labels)])
        found = pd.Series(labels).to_numpy()[places]  # booleans stay booleans
        wrong, expected = places < 0, f"some of {labels}"
    else:
        low, high = domain["low"], domain["high"]
        sound = pd.to_numeric(values, errors="coerce").notna()
        found = values.where(sound).astype(float)  # exactly as it is written
        wrong, expected = ~found.between(low, high), f"numbers in [{low:g}, {high:g}]"
    checks.none_wrong(f"column {name!r}", values, wrong, "values outside its domain", expected)
    return found


def own_records(project, me, text) -> tuple[pd.DataFrame, Any]:
    """A party's records from its file, and their classes if it has them, if the project describes them."""
    table = pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)
    names, align = project["holders"][me], project["align"]
    labels = [project["class"]] * (me in project["target"])
    checks.columns("the project", [*names, *labels, *[ID] * align], table.columns)
    if align:
        checks.distinct(f"column {ID!r}", table[ID])
        table = table.set_index(ID)
    X = pd.DataFrame({name: _inside(name, table[name], project["columns"][name]) for name in names}, table.index)
    y = [_inside(name, table[name], {"categories": project["classes"]}) for name in labels]
    return X, y[0] if y else None


def read_project(text) -> tuple[dict, dict, dict]:
    """A project from TOML: what all know, the addresses of the parties, and the job."""
    told = tomllib.loads(text)
    checks.columns("the project", list(told), KNOWN)
    parties = checks.mapping("parties", told.get("parties", {}))
    addresses = {name: _address(name, one) for name, one in parties.items()}
    domains = checks.mapping("columns", told.get("columns", {}))
    columns = {name: _domain(name, checks.mapping(f"columns.{name}", one)) for name, one in domains.items()}
    engine, held = told.get("engine", "shamir"), "columns" if "holders" in told else "rows"
    server = ENGINES[held].get(str(engine))
    if server and server not in addresses:
        raise ValueError(f"parties are {list(addresses)}; expected {server!r} among them, for engine {engine!r}")
    sites = [name for name in addresses if name != server]
    classes = told.get("classes", [])
    computes = checks.listed("computes", told.get("computes", []), "names")
    rows = {one: list(columns) for one in sites if one not in computes}
    holders = checks.mapping("holders", told.get("holders", rows))
    project = {
        "engine": engine,
        "held": held,
        "sites": sites,
        "columns": columns,
        "classes": classes,
        "class": told.get("class", "class"),
        "holders": holders,
        "target": ([told.get("target")] if held == "columns" else list(holders)) if classes else [],
        "align": held == "columns" and checks.flag("align", told.get("align", True)),
        "limit": checks.number("limit", told.get("limit", 60), "(0, inf)"),
        "job": checks.mapping("job", told.get("job", {"do": "tree"})),
    }
    return checked(project), addresses, job_of(project, **project["job"])


def _address(name, told):
    host, _, port = str(told).rpartition(":")
    if not host or not port.isdecimal():
        raise ValueError(f'parties has {told!r} for {name!r}; expected an address such as "127.0.0.1:7001"')
    return [host, int(port)]
