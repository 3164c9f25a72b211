r"""Formulas as MathML, which browsers set and screen readers read, without a script and without the network.

``mathml(r"\frac{a}{b}")`` knows the TeX that the notebooks use. What it does not know is refused by name: then write
the formula in another way, or add the command to one of the tables.
"""

import re
from html import escape

TOKEN = re.compile(r"\\(?:[a-zA-Z]+|.)|\d+(?:,\d{3})*(?:\.\d+)?|\s+|.", re.DOTALL)
GREEK = {
    "alpha": "α",
    "beta": "β",
    "chi": "χ",
    "delta": "δ",
    "gamma": "γ",
    "lambda": "λ",
    "mu": "μ",
    "pi": "π",
    "rho": "ρ",
    "sigma": "σ",
    "tau": "τ",
    "theta": "θ",
    "varepsilon": "ε",
}
SIGNS = {
    "cdot": "⋅",
    "times": "×",
    "le": "≤",
    "ge": "≥",
    "ne": "≠",
    "approx": "≈",
    "in": "∈",
    "cap": "∩",
    "cup": "∪",
    "wedge": "∧",
    "rightarrow": "→",
    "to": "→",
    "leftarrow": "←",
    "pm": "±",
    "mid": "|",
    "dots": "…",
    "cdots": "⋯",
    "int": "∫",
    "infty": "∞",
    "%": "%",
    "{": "{",
    "}": "}",
    "$": "$",
}
LARGE = {"sum": "∑", "prod": "∏", "max": "max", "min": "min"}  # what stands below them in a line of its own
NAMES = {"Pr", "log", "ln", "exp"}
SPACES = {",": 0.167, ":": 0.222, ";": 0.278, " ": 0.333, "quad": 1, "qquad": 2}  # em
ACCENTS = {"bar": "¯", "hat": "^", "tilde": "~"}
TIGHT = {"(", ")", "[", "]", "|", "/", "{", "}"}  # no room around, and no larger than they are
BOARD = {"E": "𝔼", "P": "ℙ", "R": "ℝ", "N": "ℕ", "Z": "ℤ"}
CLOSE = ("(", "[", "{", ")", "]", "}", ",", "\\,", "\\;")  # no room between a name and one of these
SCRIPTS = ("^", "_", "'")


def mathml(tex: str, display: bool = False) -> str:
    """The element for a formula; ValueError names what is not understood."""
    try:
        row = Parser(tex).row(None)
    except ValueError as error:
        raise ValueError(f"the formula {tex!r} cannot be set: {error}") from None
    return f'<math display="block">{row}</math>' if display else f"<math>{row}</math>"


def sign(text: str, **attributes: str) -> str:
    """An operator."""
    if text in TIGHT:
        attributes = {"stretchy": "false", "lspace": "0", "rspace": "0"} | attributes
    more = "".join(f' {key}="{value}"' for key, value in attributes.items())
    return f"<mo{more}>{escape(text)}</mo>"


class Parser:
    """Reads TeX from left to right; each method consumes what it turns into elements."""

    def __init__(self, tex: str) -> None:
        self.tokens = TOKEN.findall(tex.strip())
        self.place = 0

    def peek(self) -> str | None:
        """The next token that is no white space, or None at the end."""
        while self.place < len(self.tokens) and self.tokens[self.place].isspace():
            self.place += 1
        return self.tokens[self.place] if self.place < len(self.tokens) else None

    def take(self, expected: str | None = None) -> str:
        """The next token, which must be the expected one if there is one."""
        token = self.peek()
        if token is None or (expected is not None and token != expected):
            raise ValueError(f"{token or 'its end'!r} stands where {expected or 'something'!r} is expected")
        self.place += 1
        return token

    def raw(self) -> str:
        """The text between braces, as it is."""
        self.take("{")
        if "}" not in self.tokens[self.place :]:
            raise ValueError("'}' is missing")
        close = self.tokens.index("}", self.place)
        words = "".join(self.tokens[self.place : close])
        self.place = close + 1
        return words

    def row(self, *stops: str | None) -> str:
        """Elements up to one of these tokens, which is not consumed; None is the end of the formula."""
        parts: list[str] = []
        while (token := self.peek()) not in stops:
            if token is None:
                raise ValueError(f"{stops[0]!r} is missing")
            if parts and self.tokens[self.place : self.place + 2] == ["{", "}"]:
                self.place += 2  # an empty group: what follows belongs to what stands before
                parts.append(self.scripted(parts.pop(), below=False))
                continue
            parts.append(self.scripted(*self.atom()))
            if token.startswith("\\") and token[1:] in NAMES and self.peek() not in (*CLOSE, *stops):
                parts.append('<mspace width="0.167em"></mspace>')
        return parts[0] if len(parts) == 1 else f"<mrow>{''.join(parts)}</mrow>"

    def braced(self) -> str:
        """The elements between braces, the first of which is consumed already."""
        row = self.row("}")
        self.take("}")
        return row

    def group(self) -> str:
        """An argument: a group in braces, or one atom; of a number without braces, as TeX has it, one digit."""
        token = self.peek()
        if token == "{":
            self.take()
            return self.braced()
        if token is not None and token.isdigit() and len(token) > 1:
            self.tokens[self.place] = token[1:]
            return f"<mn>{token[0]}</mn>"
        return self.atom()[0]

    def scripted(self, base: str, below: bool) -> str:
        """An atom with its primes and with what stands above and below it."""
        upper, lower, primes = [], "", ""
        while (token := self.peek()) in SCRIPTS:
            self.take()
            if token == "'":
                primes += "′"
            elif token == "^":
                upper.append(self.group())
            else:
                lower = self.group()
        if primes:
            upper.insert(0, f"<mo>{primes}</mo>")
        above = upper[0] if len(upper) == 1 else f"<mrow>{''.join(upper)}</mrow>"
        under, over, both = ("munder", "mover", "munderover") if below else ("msub", "msup", "msubsup")
        if upper and lower:
            return f"<{both}>{base}{lower}{above}</{both}>"
        if upper:
            return f"<{over}>{base}{above}</{over}>"
        return f"<{under}>{base}{lower}</{under}>" if lower else base

    def atom(self) -> tuple[str, bool]:
        """The next element, and whether its scripts stand above and below it."""
        token = self.take()
        if token == "{":
            return self.braced(), False
        if token in SCRIPTS or token in ("}", "&"):
            raise ValueError(f"{token!r} is out of place")
        if token.startswith("\\"):
            return self.command(token[1:])
        if token[0].isdigit() or token in "½¼¾":
            return f"<mn>{token}</mn>", False
        if token.isalpha():
            return f"<mi>{token}</mi>", False
        return ("<mtext>.</mtext>" if token == "." else sign({"-": "−"}.get(token, token))), False

    def command(self, name: str) -> tuple[str, bool]:
        """What a command stands for."""
        if name in LARGE:
            word = {"lspace": "0", "rspace": "0"} if LARGE[name].isalpha() else {}
            return sign(LARGE[name], movablelimits="true", **word), True
        if name in GREEK:
            return f"<mi>{GREEK[name]}</mi>", False
        if name == "mid":
            return sign("|", lspace="0.278em", rspace="0.278em"), False
        if name in SIGNS:
            return sign(SIGNS[name]), False
        if name in SPACES:
            return f'<mspace width="{SPACES[name]}em"></mspace>', False
        if name in ACCENTS:
            accent = f'<mo stretchy="false">{ACCENTS[name]}</mo>'
            return f'<mover accent="true">{self.group()}{accent}</mover>', False
        return self.larger(name), False

    def larger(self, name: str) -> str:
        """What a command with arguments stands for, or a name in upright letters."""
        if name in NAMES or name == "operatorname":
            return f'<mi mathvariant="normal">{escape(self.raw() if name == "operatorname" else name)}</mi>'
        if name == "frac":
            return f"<mfrac>{self.group()}{self.group()}</mfrac>"
        if name == "sqrt":
            return f"<msqrt>{self.group()}</msqrt>"
        if name == "text":
            return f"<mtext>{escape(self.raw())}</mtext>"
        if name == "mathbb":
            letter = self.raw() if self.peek() == "{" else self.take()
            if letter not in BOARD:
                raise ValueError(f"tools/formulas.py does not know \\mathbb{{{letter}}}")
            return f"<mi>{BOARD[letter]}</mi>"
        if name == "begin":
            return self.matrix()
        raise ValueError(f"tools/formulas.py does not know \\{name}")

    def matrix(self) -> str:
        """A matrix between parentheses."""
        if (kind := self.raw()) != "pmatrix":
            raise ValueError(f"tools/formulas.py knows the environment pmatrix, not {kind!r}")
        rows: list[list[str]] = [[]]
        stopped = ""
        while stopped != "\\end":
            if stopped == "\\\\":
                rows.append([])
            rows[-1].append(self.row("\\end", "\\\\", "&"))
            stopped = self.take()
        self.raw()
        cells = "".join(f"<mtr>{''.join(f'<mtd>{cell}</mtd>' for cell in row)}</mtr>" for row in rows)
        return f"<mrow><mo>(</mo><mtable>{cells}</mtable><mo>)</mo></mrow>"
