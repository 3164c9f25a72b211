"""What all parties of a project know, what each must hold, and which jobs would protect nobody."""

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
KNOWN = [
    "engine",
    "parties",
    "computes",
    "columns",
    "classes",
    "class",
    "holders",
    "target",
    "align",
    "limit",
    "job",
]  # what a project may say
CLASS = "class of the record"  # the column of its class, where the session writes the file
ID = "id"  # the column of a party's file that says whose record it is, where columns are held apart


def project_of(parties, engine, domains, align) -> tuple[dict, dict]:
    """A project of parties whose records are at hand: what all know, and each one's records as a file."""
    held = {name: _held(name, given) for name, given in parties.items() if given is not None}
    sets = [set(X) for X, _ in held.values()]
    apart = len(sets) > 1 and not set.intersection(*sets)
    names = dict.fromkeys(name for X, _ in held.values() for name in X)
    for name, (X, _) in held.items():
        if apart and align:
            checks.distinct(f"the index of {name!r}", X.index.map(str))  # as which ids are compared
        elif apart:
            checks.same_length(f"X of {name!r} (align is False)", X, "another", next(iter(held.values()))[0])
    checks.columns("domains", domains, names)
    parts = {name: {site: X[name] for site, (X, _) in held.items() if name in X} for name in names}
    columns = {name: _domain(name, own, domains.get(name)) for name, own in parts.items()}
    labels = {name: y for name, (_, y) in held.items() if y is not None}
    project = {
        "engine": ("commodity" if apart and len(parties) == 2 else "shamir") if engine is None else engine,
        "held": "columns" if apart else "rows",
        "sites": list(parties),
        "columns": columns,
        "classes": np.unique(np.concatenate([*labels.values()])).tolist() if labels else [],
        "class": CLASS,
        "holders": {name: list(X) for name, (X, _) in held.items()},
        "target": list(labels),
        "align": apart and align,
        "told": [name for name in names if name not in domains],
    }
    files = {}
    for name, (X, y) in held.items():
        table = X if y is None else X.assign(**{project["class"]: y})
        files[name] = table.to_csv(index_label=ID if apart else None, index=apart)
    return checked(project), files


def checked(project) -> dict:
    """The project with the names of all parties, if it protects somebody."""
    held, engine, sites, target = (project[name] for name in ("held", "engine", "sites", "target"))
    rows = held == "rows"
    server = ENGINES[held][checks.choice("engine", engine, list(ENGINES[held]), hint=f"{held} are held apart")]
    if not all(isinstance(name, str) and name for name in sites) or server in sites:
        raise ValueError(f"parties are named {sites}; expected texts, and none of them {server!r}")
    if engine == "commodity" and len(sites) != 2:
        raise ValueError(f"parties are {len(sites)}; expected 2 for 'commodity', or engine='shamir'")
    if engine != "commodity" and len(sites) < 3:
        raise ValueError(f"parties are {len(sites)}: {TWO}")
    if rows and any(set(own) != set(project["columns"]) for own in project["holders"].values()):
        raise ValueError(
            "parties hold columns that some of them lack; expected the same columns, or none in common"
        )
    if len(target) not in ((0, len(project["holders"])) if rows else (0, 1)):
        wanted = "all that hold rows, or none" if rows else "one of them"
        raise ValueError(f"parties with classes are {target}; expected {wanted}")
    if target and len(project["classes"]) < 2:
        raise ValueError(f"the classes are {project['classes']}; expected at least two")
    return project | {"server": server, "parties": [*sites, *([server] if server else [])]}


def _held(name, given):
    """The records of a party, and their classes, if it has them."""
    X, y = given if isinstance(given, tuple) and len(given) == 2 else (given, None)
    checks.frame(f"X of {name!r}", X)
    checks.distinct(f"the columns of {name!r}", [*map(str, X.columns), ID, CLASS])
    if y is not None:
        y = checks.labels(f"y of {name!r}", y)
        checks.same_length(f"y of {name!r}", y, f"X of {name!r}", X)
    return X.set_axis([*map(str, X.columns)], axis=1), y


def _domain(name, parts, given):
    """What is public of a column: as it is given, or else as the parties tell each other."""
    for site, part in parts.items():
        checks.none_missing(f"column {name!r} of {site!r}", part)
    parts = [*parts.values()]
    numbers = [checks.is_number(part.dtype) for part in parts]
    if any(numbers) and not all(numbers):
        raise TypeError(f"column {name!r} holds numbers at some parties only; expected one kind")
    if all(numbers):
        values = np.concatenate([checks.vector(f"column {name!r}", part) for part in parts])
        step = 1 if (values == np.rint(values)).all() else None
        own = (values.min(), values.max()) if given is None else given
        known = [one for one in own if one is not None] if np.ndim(own) == 1 else own  # no step: any number
        told = checks.vector(f"domains[{name!r}]", known).tolist()
        if len(told) not in (2, 3) or told[0] > told[1] or min(told[2:], default=1) <= 0:
            raise ValueError(f"domains[{name!r}] is {given}; expected (low, high), or (low, high, step)")
        low, high, step = [*told, step if given is None else None][:3]
        _inside(name, values, (values < low) | (values > high), f"numbers in [{low:g}, {high:g}]")
        return {"low": low, "high": high, "step": step}
    dtype = parts[0].dtype
    known = sorted(pd.concat([part.astype(object) for part in parts]).unique().tolist())
    found = given if given is not None else getattr(dtype, "categories", known)
    categories = [checks.scalar(one) for one in checks.listed(f"domains[{name!r}]", found, "categories")]
    checks.distinct(f"domains[{name!r}] as text", [str(one) for one in categories])
    for part in parts:
        _inside(name, part, ~part.astype(object).isin(categories), f"some of {categories}")
    return {"categories": categories, "ordered": bool(getattr(dtype, "ordered", False))}


def own_records(project, me, text) -> tuple[pd.DataFrame, Any]:
    """A party's records from its file, and their classes if it has them, if the project describes them."""
    table = pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)
    wanted = [*project["holders"][me], *([project["class"]] if me in project["target"] else [])]
    checks.columns("the project", [*wanted, *([ID] if project["align"] else [])], table.columns)
    if project["align"]:
        checks.distinct(f"column {ID!r}", table[ID])
        table = table.set_index(ID)
    X = pd.DataFrame(index=table.index)
    for name in project["holders"][me]:
        domain = project["columns"][name]
        if "categories" in domain:
            X[name] = _labels(name, table[name], domain["categories"])
            continue
        sound = pd.to_numeric(table[name], errors="coerce").notna()
        X[name] = values = table[name].where(sound, "nan").astype(float)  # exactly as it is written
        low, high = domain["low"], domain["high"]
        _inside(name, values, ~values.between(low, high), f"numbers in [{low:g}, {high:g}]")
    y = None
    if me in project["target"]:
        y = _labels(project["class"], table[project["class"]], project["classes"])
    return X, y


def _inside(name, values, wrong, expected):
    checks.none_wrong(f"column {name!r}", values, wrong, "values outside its domain", expected)


def _labels(name, texts, labels):
    """The labels that are written so."""
    places = checks.places(f"column {name!r}", texts, [str(one) for one in labels])
    _inside(name, texts, places < 0, f"some of {labels}")
    return pd.Series(labels).to_numpy()[places]  # booleans stay booleans


def read_project(text) -> tuple[dict, dict, dict]:
    """A project from TOML: what all know, the addresses of the parties, and the job."""
    told = tomllib.loads(text)
    checks.columns("the project", list(told), KNOWN)
    addresses = {
        name: _address(name, one) for name, one in checks.mapping("parties", told.get("parties", {})).items()
    }
    engine = told.get("engine", "shamir")
    held = "columns" if "holders" in told else "rows"
    server = ENGINES[held].get(engine)
    if server and server not in addresses:
        raise ValueError(f"parties are {list(addresses)}; expected {server!r} among them, for engine {engine!r}")
    sites = [name for name in addresses if name != server]
    domains = checks.mapping("columns", told.get("columns", {}))
    columns = {name: _told_domain(name, one) for name, one in domains.items()}
    project = {
        "engine": engine,
        "sites": sites,
        "columns": columns,
        "class": told.get("class", "class"),
        "limit": checks.number("limit", told.get("limit", 60), "(0, inf)"),
        "job": told.get("job", {"do": "tree"}),
        **_holding(told, held, sites, columns),
    }
    return checked(project), addresses, job_of(project, **project["job"])


def _holding(told, held, sites, columns):
    """Who holds what."""
    classes = told.get("classes", [])
    holders = told.get("holders", {one: list(columns) for one in sites if one not in told.get("computes", [])})
    target = ([told.get("target")] if held == "columns" else list(holders)) if classes else []
    align = held == "columns" and checks.flag("align", told.get("align", True))
    return {"held": held, "holders": holders, "align": align, "classes": classes, "target": target}


def _address(name, told):
    host, _, port = str(told).rpartition(":")
    if not host or not port.isdecimal():
        raise ValueError(f'parties has {told!r} for {name!r}; expected an address such as "127.0.0.1:7001"')
    return [host, int(port)]


def _told_domain(name, told):
    """The domain of a column as TOML tells it."""
    if "categories" in told:
        return {
            "categories": checks.distinct(f"categories of {name!r}", told["categories"]),
            "ordered": told.get("ordered", False),
        }
    low = checks.number(f"low of {name!r}", told.get("low"))
    high = checks.number(f"high of {name!r}", told.get("high"), f"({low!r}, inf)")
    return {"low": low, "high": high, "step": told.get("step")}
