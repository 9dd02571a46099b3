"""Option parsers of the third generator of `oracle-features.py`: loops over `argv` with `strcmp`, `strncmp` and `getopt`, defaults, rejections.

Options are `int` variables with letters for names. The parser is one statement that is written as C++ and executed here on the texts.
"""

import collections

from oracle_language import I32, Binary, Ended, If, Return, Var
from oracle_programs import num

Option = collections.namedtuple("Option", "name letter start low high")
# How the parser takes an option's number: what follows, what is joined to it, what getopt hands on.
WAYS = ["strcmp", "strcmp", "strncmp", "getopt", "either", "positional"]


def number(text):
    """What `atoi` makes of a text."""
    text, sign, digits = text.lstrip(" \t\n\v\f\r"), 1, ""
    if text[:1] in ("+", "-"):
        sign, text = (-1 if text[0] == "-" else 1), text[1:]
    while text[:1].isdigit() and text[:1].isascii():
        digits, text = digits + text[0], text[1:]
    return max(-(1 << 31), min((1 << 31) - 1, sign * int(digits or 0)))


class Parse:
    """The variables of options from the command line.

    `checks`: the value that follows is only taken if there is one; `strict`: what no option is ends the program.
    """

    def __init__(self, way, options, checks, strict):
        self.way, self.options, self.checks, self.strict = way, options, checks, strict

    def write(self, w):
        for o in self.options:
            w.put(f"int {o.name} = {o.start};")
        if self.way == "getopt":
            return self.write_getopt(w)
        w.put("for (int i = 1; i < argc; i++) {")
        word = "if"
        for o in self.options:
            more = " && i + 1 < argc" if self.checks else ""
            if self.way in ("strcmp", "either"):
                w.put(f'    {word} (!strcmp(argv[i], "-{o.letter}"){more}) {o.name} = atoi(argv[++i]);')
                word = "else if"
            if self.way in ("strncmp", "either"):
                long = f"--{o.letter}="
                w.put(f'    {word} (strncmp(argv[i], "{long}", {len(long)}) == 0) {o.name} = atoi(argv[i] + {len(long)});')
                word = "else if"
            if self.way == "positional":
                w.put(f"    {word} (i == {self.options.index(o) + 1}) {o.name} = atoi(argv[i]);")
                word = "else if"
        if self.strict:
            w.put("    else return 1;")
        w.put("}")

    def write_getopt(self, w):
        w.put("int c;")
        w.put(f'while ((c = getopt(argc, argv, "{"".join(o.letter + ":" for o in self.options)}")) != -1) {{')
        w.put("    switch (c) {")
        for o in self.options:
            w.put(f"    case '{o.letter}': {o.name} = atoi(optarg); break;")
        w.put("    default: return 1;" if self.strict else "    default: break;")
        w.put("    }")
        w.put("}")

    def run(self, f):
        for o in self.options:
            f.vars[o.name] = o.start
        (self.run_getopt if self.way == "getopt" else self.run_loop)(f, list(f.run.argv))

    def run_loop(self, f, argv):
        at = 0
        while at < len(argv):
            text, taken = argv[at], False
            for n, o in enumerate(self.options):
                if self.way in ("strcmp", "either") and text == "-" + o.letter and (at + 1 < len(argv) or not self.checks):
                    at += 1
                    if at == len(argv):
                        # `atoi` of the null pointer at the end.
                        raise Ended("a null pointer is read")
                    f.vars[o.name], taken = number(argv[at]), True
                elif self.way in ("strncmp", "either") and text.startswith(f"--{o.letter}="):
                    f.vars[o.name], taken = number(text[4:]), True
                elif self.way == "positional" and n == at:
                    f.vars[o.name], taken = number(text), True
                if taken:
                    break
            if not taken and self.strict:
                raise Ended("rejected")
            at += 1

    def run_getopt(self, f, argv):
        """As glibc: what is no option is skipped, and `--` ends the options."""
        at = 0
        while at < len(argv):
            text = argv[at]
            at += 1
            if text == "--":
                return
            rest = text[1:] if text.startswith("-") and len(text) > 1 else ""
            while rest:
                letter, rest = rest[0], rest[1:]
                option = next((o for o in self.options if o.letter == letter), None)
                if option and (rest or at < len(argv)):
                    if not rest:
                        rest, at = argv[at], at + 1
                    f.vars[option.name], rest = number(rest), ""
                elif self.strict:
                    raise Ended("rejected")


class Options:
    """Sections of a program (a part of the generator's class)."""

    def begin_options(self):
        r = self.r
        self.way = r.choose(WAYS)
        self.count(f"option parser, {self.way}")
        letters = ["n", "m"] if r.chance(70) else ["n", "m", "k"]
        self.options = [Option("xyz"[i], letter, r.choose([8, 4, 16, 0, 7]), r.choose([0, 1, 1, -1]), r.choose([8, 16, 32, 64, 1000])) for i, letter in enumerate(letters)]
        checks, strict = r.chance(65), r.chance(60)
        for what, on in (("a value may be missing", not checks and self.way in ("strcmp", "either")), ("what is no option is rejected", strict)):
            if on:
                self.count(f"option parser, {what}")
        self.body.append(Parse(self.way, self.options, checks, strict))
        if len(letters) == 3:
            self.vars.append(Var(I32, "z"))
        for o in self.options:
            v, kind = Var(I32, o.name), r.below(5)
            low, high = Binary("<", v, num(o.low)), Binary(">", v, num(o.high))
            if kind == 0:
                self.body.append(Return(num(1), Binary("||", low, high)))
                self.count("option parser, range rejected")
            elif kind == 1:
                self.body.append(If(low, [Set(o.name, num(max(o.low, 0)))]))
                self.body.append(If(high, [Set(o.name, num(o.high))]))
                self.count("option parser, range clamped")
            elif kind == 2:
                self.body.append(Return(num(1), low))
                self.count("option parser, only the low end rejected")

    def option_arguments(self):
        """Texts for each way to give the options, the wrong ways too."""
        out = []
        values = ["0", "1", "2", "3", "4", "5", "7", "8", "9", "15", "16", "17", "-1", "-2", "31", "32", "33", "64", "65", "1000", "1001", "2147483647", "-2147483648", "12x", "", " 6"]
        def one(o, v, n=0):
            if self.way == "positional":
                return [v]
            if self.way == "strncmp" or self.way == "either" and n % 2:
                return [f"--{o.letter}={v}"]
            return [f"-{o.letter}", v]
        for n, v in enumerate(values):
            out.append(one(self.options[0], v, n))
            for second in ("1", "8", "-1"):
                out.append(one(self.options[0], v, n) + one(self.options[1], second, n + 1))
            if self.way != "positional":
                out.append(one(self.options[1], v, n))
                out.append(one(self.options[0], "5") + one(self.options[0], v, n))
            if len(self.options) > 2:
                out.append(one(self.options[0], v, n) + one(self.options[1], "4") + one(self.options[2], v, n))
        if self.way == "getopt":
            out += [["-n5"], ["-m7", "-n3"], ["-n", "--", "-m", "9"]]
        return [tuple(a) for a in (*out, [], ["-n"], ["-q"], ["-q", "7"], ["--n"], ["5", "-n", "9"])]

    def option(self):
        """A use of an option's number right away."""
        r = self.r
        v = Var(I32, r.choose(self.options).name) if self.options else self.host_var()
        self.count("option, used as it is")
        kind = r.below(4)
        if kind == 0:
            self.size(v)
        elif kind == 1:
            self.launch(self.take(), [self.array(r.choose([8, 16, 32, 64])), v])
        else:
            self.end(v, r.choose([8, 16, 17, 33]))


class Set:
    """A variable gets a number (a statement of one line)."""

    def __init__(self, name, e):
        self.name, self.e = name, e

    def write(self, w):
        w.put(f"{self.name} = {self.e.text()};")

    def run(self, f):
        f.vars[self.name] = self.e.value_in(f)
