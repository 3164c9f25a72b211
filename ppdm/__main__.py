"""The command: release a table as a specification says; check or suggest a specification; report on a release.

``python -m ppdm disguise table.csv --spec spec.toml --out released.csv --report report.html``. Where the library is
installed, the command is also called ``ppdm``. Random numbers come from the system's secure source: there is no seed.
"""

import argparse
import difflib
import hashlib
import os
import signal
import sys
import tomllib
import traceback
import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

try:
    import pandas as pd

    from ppdm import files
    from ppdm.disguise import PrivacySpecification, PrivacyWarning
    from ppdm.measure import release_report
except KeyboardInterrupt:  # these take a second, in which somebody may notice a mistake
    print("ppdm: interrupted", file=sys.stderr)
    sys.exit(130)

HERE = str(Path(__file__).parent)
STATUS = """exit status:
  0    done; what is set (thresholds, k) is held, and no sensitive value is disclosed completely
  1    failed under way, for example because the disk is full
  2    wrong usage, or faults in the specification or in the table, found before anything was released
  3    done, but a threshold or k is not held or cannot be judged, or a sensitive value is disclosed completely
  130  interrupted or terminated

Every file is written whole or not at all, the released table last. Only a kill that no program can notice (kill -9)
leaves hidden files .NAME.*.draft, which may hold records: remove them by hand."""
GIVEN = {"table": "the table", "released": "the released table", "spec": "the specification"}
SEED = (
    "there is no --seed: whoever guesses the seed of a release can undo it. The random numbers come from the system's "
    "secure source; for a study that others can repeat use the library (SECURITY.md says more)"
)


def main(argv: Sequence[str] | None = None) -> int:
    """Do what the command line says; return the exit status."""
    parser = _parser()
    argv = sys.argv[1:] if argv is None else argv
    if any(given.startswith("--seed") for given in argv):
        parser.error(SEED)
    options = parser.parse_args(argv)
    try:
        # Whoever ends the process, or closes its terminal, gets no half file, either: drafts are removed.
        for number in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
            if signal.getsignal(number) == signal.SIG_DFL:  # nohup has SIGHUP ignored
                signal.signal(number, signal.default_int_handler)
        with warnings.catch_warnings():
            warnings.showwarning = _warned
            return options.run(options)
    except KeyboardInterrupt:
        told, status = "interrupted", 130
    except OSError as error:
        told, status = str(error), 1
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        told, status = str(error), 2
        own = place.filename.startswith(HERE) and str(place.line).startswith(("raise ", "warnings.warn("))
        # What our own lines raise shows no value of a record. What NumPy or pandas say may do so.
        if not own:
            told, status = f"{type(error).__name__} in {place.filename}, line {place.lineno}", 1
    _say(f"ppdm: {told}")
    return status


def _warned(told, category, filename, *_):
    # Those of other libraries help nobody here, and may show a value.
    if issubclass(category, PrivacyWarning) or (category is UserWarning and filename.startswith(HERE)):
        _say(f"warning: {told}")


def _parser():
    own: Any = {"formatter_class": argparse.RawDescriptionHelpFormatter, "epilog": STATUS}
    parser = argparse.ArgumentParser(prog="ppdm", description=__doc__, **own)
    commands = parser.add_subparsers(required=True, metavar="command")
    for run in (_disguise, _check, _suggest, _report):
        command = commands.add_parser(run.__name__[1:], help=run.__doc__, description=run.__doc__, **own)
        command.set_defaults(run=run)
        add = command.add_argument
        # A misspelt option ends here. What depends on files is looked at later, before any work.
        add("table", type=Path, help="the true records: CSV in UTF-8, or .parquet")
        add("--sep", default=",", choices=files.SEPARATORS, help="what stands between the cells of CSV")
        if run is _report:
            add("released", type=Path, help="what was released of them, row by row")
        if run is _suggest:
            add("--class", required=True, help="the column that a miner predicts")
            add("--sensitive", action="append", required=True, help="again for each such column")
            add("--known", action="append", help="what an intruder may know; again for each such column")
        else:
            add("--spec", type=Path, required=True, help="the specification: TOML")
        if run is not _check:
            add("--out", type=Path, required=run is not _suggest, help="the file that is made")
            add("--force", action="store_true", help="let it take the place of an older file")
        if run is _disguise:
            add("--report", type=Path, help="a page on what was done, and what the release tells")
    return parser


def _disguise(options):
    """Release a table as a specification says."""
    with files.drafts(*_targets(options), replace=options.force) as drafts:
        specification, table, source = _read(options.table, options)
        released = specification.release(table)
        _say(f"writing {len(table):,} released records")
        files.save(drafts[-1], options.out, specification.actions_, table, released, *source)
        _say("measuring what they tell")
        # What can be learnt from other columns takes long, and decides nothing without a threshold.
        columns = specification.settings_["columns"].values()
        quick = not (options.report or any(own["threshold"] for own in columns))
        report = release_report(specification, table, released, quick)
        if options.report:
            _page(drafts[0], report, options, options.out.name, drafts[-1])
    return _verdict(report, specification)


def _check(options):
    """Tell all faults of a specification for a table, or what it would do, and what reports look at."""
    _targets(options)
    specification, table, _ = _read(options.table, options)
    specification.fit(table)
    settings = _said(specification.settings_)
    given = tomllib.loads(specification.to_toml())
    wide = max(len(repr(name)) for name in table)
    for name, action in specification.actions_.items():
        own = _said(settings["columns"][name])
        told = f"{name!r:{wide}}  {action!r}"
        if own["sensitive"]:
            # A tolerance that is taken from the data would tell a range.
            tolerance = given["columns"][name].get("tolerance", "5 % of the range (text: none)")
            told += f"  sensitive, threshold: {own['threshold']}, tolerance: {tolerance}"
        print(told)
    known = settings["known"] if "known" in given else "the row itself"
    print(
        f"class: {settings['class']}, known of a person: {known}, k: {settings['k']}",
        *specification.notes_,
        sep="\n",
    )
    return 0


def _said(settings):
    return {name: "not set" if value is None else value for name, value in settings.items()}


def _suggest(options):
    """Suggest a specification for a table."""
    targets = _targets(options)
    _, table, _ = _read(options.table, options)
    target = vars(options)["class"]
    for option, given in ("class", [target]), ("sensitive", options.sensitive), ("known", options.known or []):
        for name in given:
            _named(f"--{option}", name, table, options.table)
    if target in options.sensitive:
        raise ValueError(f"--sensitive is {target!r}, the class, which a miner predicts; expected another column")
    suggested = PrivacySpecification.suggest(
        table, table[target], sensitive=options.sensitive, known=options.known
    ).to_toml()
    for path in targets:
        files.write(path, suggested, options.force)
    if not targets:
        print(suggested, end="")
    return 0


def _named(option, name, table, path):
    """Refuse a name that is no column. No other is told but one that is near: line 1 may be a record."""
    if name in table:
        return
    expected = f"a column of {path.name}" if files.is_parquet(path) else f"a name of line 1 of {path.name}"
    if option != "--class" and all(piece.strip() in table for piece in name.split(",")):
        expected += f"; give {option} once for each column"
    elif near := difflib.get_close_matches(name, map(str, table), 1):
        expected += f"; did you mean {near[0]!r}?"
    raise ValueError(f"{option} is {name!r}; expected {expected}")


def _report(options):
    """Report on an earlier release."""
    with files.drafts(*_targets(options), replace=options.force) as [draft]:
        specification, table, [text, _] = _read(options.table, options)
        _, released, [seen, _] = _read(options.released, options)
        # What was drawn for the release is not known any more. All else follows from the table and the specification.
        specification.fit(table)
        # Of values that were written in another way a report would not tell.
        both = (table, released) if text is None or seen is None else (text, seen)
        if told := files.unlike(specification.actions_, released, *both):
            expected = "all records in their order, and kept columns to the letter"
            raise ValueError(f"{options.released} is no release of {options.table}: {told}; expected {expected}")
        report = release_report(specification, table, released)
        _page(draft, report, options, options.released.name, options.released)
    return _verdict(report, specification)


def _page(draft, report, options, name, released):
    """Write the report as a page, which names the files, without their folders."""
    facts = {
        "table": options.table.name,
        "specification": options.spec.name,
        "released table": name,
        "sha256 of the released table": hashlib.sha256(released.read_bytes()).hexdigest(),
        # The library knows no file: what it has summed up is the table as it would write it.
        **{fact: value for fact, value in report.facts.items() if "sha256" not in fact},
    }
    page = replace(report, facts=pd.Series(facts)).to_html()
    draft.write_text(page, encoding="utf-8", errors="backslashreplace")  # of a name that is no UTF-8


def _verdict(report, specification):
    """Print it. What is asked for and cannot be judged is not held."""
    print(report.summary)
    settings = specification.settings_
    limits = [settings["k"], *(own["threshold"] for own in settings["columns"].values())]
    return 3 if report.held is False or (report.held is None and any(limits)) else 0


def _targets(options):
    """The files to be made, the report first; refuse what would destroy a file, or fail for want of one."""
    given = {name: path for name in (*GIVEN, "report", "out") if (path := getattr(options, name, None))}
    targets = [path for name, path in given.items() if name not in GIVEN]
    found: dict = {}
    for name, path in given.items():
        files.is_parquet(path)
        if not path.is_file() and (path.exists() or path not in targets):
            raise ValueError(f"{path} is no file; expected one")
        if path not in targets and not os.access(path, os.R_OK):
            raise ValueError(f"{path} cannot be read (no permission); expected a file that you may read")
        # A link is the file that it leads to, by whatever name.
        place = path.stat()[1:3] if path.exists() else path.resolve()
        if place in found:
            option = name if name in GIVEN else f"--{name}"
            raise ValueError(f"{option} {path} is {found[place]} itself; expected another name")
        found[place] = GIVEN.get(name, "the report")
    for path in targets:
        if os.path.lexists(path) and not options.force:
            raise ValueError(f"{path} is there already; expected a new name, or --force to replace it")
        if not path.parent.is_dir():
            raise ValueError(f"{path.parent} is no folder; expected one")
        if not os.access(path.parent, os.W_OK):
            raise ValueError(f"{path.parent} takes no files (no permission); expected a folder that does")
    if options.run is _disguise and options.out.suffix.lower() not in (".csv", ".tsv", ".txt", ".parquet"):
        raise ValueError(f"--out is {options.out}; expected a name that ends in .csv or .parquet")
    return targets


def _read(path, options):
    """The specification, the table as it needs it, and of CSV the text of the cells and how such a file is written."""
    specification = PrivacySpecification(getattr(options, "spec", None))
    given = tomllib.loads(specification.to_toml())
    if not files.is_parquet(path):
        actions = {}
        with suppress(AttributeError, TypeError):  # what is no table, or no list, the specification tells itself
            actions = {given.get("class"): "keep"}
            for name, own in given.get("columns", {}).items():
                actions |= {
                    name: own.get("action", actions.get(name)),
                    **dict.fromkeys(own.get("with", []), "shuffle"),
                }
        table, *source = files.read_csv(path, files.SEPARATORS[options.sep], actions, given.get("others"))
        return specification, table, source
    try:
        table = pd.read_parquet(path)
    except ValueError:
        raise ValueError(f"{path} cannot be read; expected Parquet, or a name that ends otherwise") from None
    # An index that is more than the number of the row may name people. As a column it is released only if somebody
    # says so.
    if table.index.name is not None or not table.index.equals(pd.RangeIndex(len(table))):
        table = table.reset_index(allow_duplicates=True)
    return specification, table, [None, {"lineterminator": "\n"}]


def _say(told):
    with suppress(OSError):  # the terminal may be closed
        print(told, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
