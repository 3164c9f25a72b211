"""Mine with parties on other machines: a tree, or rules, of records that nobody brings together.

``keys`` makes certificates, ``check`` looks at a project and the own records, ``run`` does what the project says. The
file project.toml is the same for all parties.
"""

import argparse
import json
import re
import ssl
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd

from ppdm import checks, files
from ppdm.parties.net import Net
from ppdm.parties.project import own_records, read_project
from ppdm.parties.wires import PartyError

STATUS = """exit status:
  0  done
  2  wrong usage, or refused before anything of the records was sent
  3  a party was lost, or failed, while the parties computed"""
DAYS = 30  # for which certificates are valid


def main(argv: Sequence[str] | None = None) -> int:
    """Do what the command line says; return the exit status."""
    form, name = argparse.RawDescriptionHelpFormatter, "python -m ppdm.parties"
    parser = argparse.ArgumentParser(name, description=__doc__, epilog=STATUS, formatter_class=form)
    commands = parser.add_subparsers(required=True, metavar="command")
    for run in (_keys, _check, _run):
        command = commands.add_parser(run.__name__[1:], help=run.__doc__, description=run.__doc__)
        command.set_defaults(run=run)
        add = command.add_argument
        if run is _keys:
            add("names", nargs="+", help="of all parties")
        else:
            add("project", type=Path, help="project.toml, the same for all")
            add("--as", dest="me", required=True, help="the name of this party")
            add("--data", type=Path, help="the own records, as CSV")
        if run is not _check:
            add("--keys", type=Path, default=Path("keys"), help="the folder of the certificates")
        if run is _run:
            add("--out", type=Path, required=True, help="what is made: a tree as JSON, or rules as CSV")
            add("--listen", default="127.0.0.1", help="the address at which the others find this party")
    options = parser.parse_args(argv)
    try:
        return options.run(options)
    except (TypeError, ValueError, OSError) as error:
        print(f"refused: {error}", file=sys.stderr)
        return 2


def _keys(options):
    """Make a certificate and a key for each party, and the certificate of the authority that has signed them."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    names = checks.distinct("names", ["authority", *options.names])
    if odd := [name for name in names if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}", name)]:
        raise ValueError(f"names holds {odd}; expected up to 64 letters a to z, digits, and . _ - within")
    options.keys.mkdir(mode=0o700, exist_ok=False)
    authority: Any = None
    for name in names:
        key = ec.generate_private_key(ec.SECP256R1())
        called = x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, name)])
        signer, issuer = authority or (key, called)
        now = datetime.now(UTC)
        made = x509.CertificateBuilder(issuer, called, key.public_key(), x509.random_serial_number())
        made = made.not_valid_before(now).not_valid_after(now + timedelta(days=DAYS))
        made = made.add_extension(x509.BasicConstraints(ca=not authority, path_length=None), critical=True)
        made = made.add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        text = made.sign(signer, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
        if authority:
            kind = serialization.PrivateFormat.PKCS8
            text += key.private_bytes(serialization.Encoding.PEM, kind, serialization.NoEncryption())
        file = options.keys / f"{name}.pem"
        file.touch(mode=0o600)
        file.write_bytes(text)
        authority = authority or (key, called)  # which is kept nowhere: nobody can sign another certificate
    print(f"give each party its own file of {options.keys}, secretly, and authority.pem; valid for {DAYS} days")
    return 0


def _check(options):
    """Look whether a project is sound, and whether the own records are as it says; nothing leaves this machine."""
    project, _, job, _ = _known(options)
    engine, held, sites = project["engine"], project["held"], ", ".join(project["sites"])
    print(f"sound: {job['do']} by {engine!r}, {held} held apart by {sites}")
    return 0


def _run(options):
    """Do with the others what the project says."""
    project, addresses, job, records = _known(options)
    if options.out.exists():
        raise ValueError(f"{options.out} is there already; expected another name")
    from ppdm.parties.party import Party

    net = Net(options.me, project["parties"], b"", project, project["limit"], tls=_contexts(options))
    try:
        party = Party(net, project, records)
        net.run(net.listen(options.listen, addresses[options.me][1]))
        net.run(net.meet(addresses))
    except PartyError as error:
        raise ValueError(error) from None
    try:
        party.start()
        found = party.work(job["do"], job["with"])["found"]
        net.run(net.part())
    except PartyError as error:
        print(f"failed: {error}", file=sys.stderr)
        return 3
    if found:
        text = found["tree"] if job["do"] == "tree" else pd.DataFrame(found).to_csv(index=False)
        files.write(options.out, text, replace=False)
    opened = {what: sum(one.size for other, one in party.opened if other == what) for what, _ in party.opened}
    print(f"done; all parties learned, in numbers: {json.dumps(opened)}", file=sys.stderr)
    return 0


def _known(options):
    project, addresses, job = read_project(options.project.read_text(encoding="utf-8"))
    if options.me not in addresses:
        raise ValueError(f"--as is {options.me!r}; expected one of {list(addresses)}")
    holds = options.me in project["holders"]
    if holds != (options.data is not None):
        raise ValueError(f"{options.me!r} holds {'records: expected' if holds else 'none: expected no'} --data")
    records = own_records(project, options.me, options.data.read_text(encoding="utf-8-sig")) if holds else None
    return project, addresses, job, records


def _contexts(options):
    """TLS for listening and for dialling: both sides show a certificate of the authority."""
    made = [ssl.SSLContext(side) for side in (ssl.PROTOCOL_TLS_SERVER, ssl.PROTOCOL_TLS_CLIENT)]
    for context in made:
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_cert_chain(options.keys / f"{options.me}.pem")
        context.load_verify_locations(options.keys / "authority.pem")
    return made


if __name__ == "__main__":
    sys.exit(main())
