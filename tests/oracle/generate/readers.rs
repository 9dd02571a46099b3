//! What texts, the standard input, readers that fail, floating point and functions of bits make of numbers: a number goes through some of that and is an index at
//! the end.

use super::{Gen, Stmt};

/// Floating point and back; `#` is the number.
const REALS: &[&str] = &[
    "(int)(# / 49.0 * 49.0)",
    "(int)(# * 0.1f * 10.0f)",
    "(int)ceil(# / 8.0)",
    "(int)floor(# * 0.5)",
    "(int)((float)# / 3.0f * 3.0f)",
    "(int)(# / 3.0 * 3.0 + 0.5)",
    "(int)(# * 1.1)",
    "(int)(# / 7.0f)",
    "(int)((float)(# + 16777216) - 16777216.0f)",
    "(int)trunc(# * 0.25 + 0.75)",
    "(int)(unsigned char)(# * 0.5f)",
];

/// Functions of bits, narrow types and shifts of the host.
const BITS: &[&str] = &[
    "__builtin_clz(# | 1) - 24",
    "__builtin_clzll((unsigned long long)(long long)# | 1) - 56",
    "__builtin_clzll((unsigned long long)(unsigned)# | 1) - 56",
    "__builtin_ctz(# | 256)",
    "__builtin_ctzll((unsigned long long)# | 512)",
    "__builtin_popcount(#)",
    "__builtin_popcountll((long long)#)",
    "(signed char)#",
    "(unsigned char)#",
    "(short)(# * 300)",
    "(unsigned short)# >> 4",
    "(int)((unsigned)# >> 28)",
    "(int)((unsigned long long)(long long)# >> 60)",
    "# >> 1",
    "# << 2",
    "(int)((unsigned)# << 30 >> 30)",
    "(# << 28) >> 28",
    "(int)(1u << (# & 31))",
];

/// The same of a device.
const BITS_OF_DEVICES: &[&str] = &[
    "i",
    "__clz(i) - 24",
    "__clzll((long long)i) - 56",
    "__popc(i)",
    "__popcll((long long)i)",
    "__ffs(i)",
    "__ffsll((long long)i)",
    "(int)(__brev(i) >> 28)",
    "(int)((float)i / 3.0f * 3.0f)",
    "(int)ceilf(i * 0.5f)",
    "(signed char)(i * 32) / 16",
    "min(max(i, 0), 8)",
    "(int)((unsigned)i >> 29)",
];

impl Gen {
    /// Lets a program end so.
    pub fn readers(&mut self, items: &mut Vec<Stmt>) {
        let Some(Stmt::Block { head, mut body, tail }) = items.pop() else { return };
        let [take, a, x] = ['k', 'a', 'x'].map(|k| self.name(k));
        let index = self.choose(BITS_OF_DEVICES);
        items.push(Stmt::line(format!("__global__ void @{take}(int *out, int i) {{ out[{index}] = 1; }}")));
        let mut out = vec![format!("int *{a}; cudaMalloc(&{a}, 8 * sizeof(int));")];
        let start = self.choose(&["argc", "3", "7", "8", "9", "60", "atoi(argv[1])"]);
        out.push(format!(
            "int {x} = {};",
            if start.contains("argv") { format!("argc > 1 ? {start} : 2") } else { start.to_owned() }
        ));
        for _ in 0..=self.below(3) {
            let (t, y) = (self.name('t'), self.name('y'));
            match self.weigh(&[30, 30, 10, 10, 10, 10, 10]) {
                0 => out.push(format!("{x} = {};", self.choose(REALS).replace('#', &x))),
                1 => out.push(format!("{x} = {};", self.choose(BITS).replace('#', &x))),
                // Texts that the program makes, and changes.
                2 => {
                    let change = match self.below(4) {
                        0 => format!("{t}[1] = 0; "),
                        1 => format!("{t}[0] = '7'; "),
                        2 => format!("{t}[0] = '0' + ({x} & 7); {t}[1] = 0; "),
                        _ => String::new(),
                    };
                    out.push(format!(
                        "char {t}[16]; snprintf({t}, 16, \"%d\", {x}); {change}{x} = atoi({t}{});",
                        self.choose(&["", " + 1"])
                    ));
                }
                // The command line's, changed in place and read from the middle.
                3 => {
                    let change = match self.below(4) {
                        0 => "argv[1][0] = '9'; ".to_owned(),
                        1 => "argv[1][strlen(argv[1]) - 1] = 0; ".to_owned(),
                        2 => format!("argv[1][0] = '0' + ({x} & 7); "),
                        _ => String::new(),
                    };
                    let read = self.choose(&[
                        "atoi(argv[1])",
                        "atoi(argv[1] + 1)",
                        "(int)strlen(argv[1])",
                        "(int)strlen(argv[1] + 1)",
                        "(int)strtol(argv[1], nullptr, 10)",
                        "argv[1][0] - '0'",
                    ]);
                    out.push(format!("if (argc > 1 && argv[1][0]) {{ {change}{x} = {read}; }}"));
                }
                // Readers that fail leave what was there.
                4 => {
                    let text = self.choose(&["\"5 6\"", "\"x\"", "\"\"", "\"12\"", "argc > 1 ? argv[1] : \"z\""]);
                    let format = self.choose(&["%d", "%u", "x%d"]);
                    let then = self.choose(&["", " {x} += 1;", " {x} = 8;"]).replace("{x}", &x);
                    out.push(format!(
                        "int {y} = {x}; if (sscanf({text}, \"{format}\", ({} *)&{y}) != 1) {{{then} }} else {x} = {y};",
                        if format == "%u" { "unsigned" } else { "int" }
                    ));
                }
                // What throws where a text is no number, or one that is too large.
                5 => {
                    let text = self.choose(&[
                        "\"5 6\"",
                        "\"x\"",
                        "\"\"",
                        "\"99999999999\"",
                        "\"8\"",
                        "argc > 1 ? argv[1] : \"z\"",
                    ]);
                    let caught = self.choose(&["", " {x} = 8;", " {x} -= 1;"]).replace("{x}", &x);
                    out.push(format!("try {{ {x} = std::stoi({text}); }} catch (...) {{{caught} }}"));
                }
                // The standard input, which may have nothing, and may have something else.
                _ => {
                    let read = match self.below(3) {
                        0 => format!("scanf(\"%d\", &{y}) != 1"),
                        1 => format!("fscanf(stdin, \"%d\", &{y}) == EOF"),
                        _ => format!("fread(&{y}, sizeof(int), 1, stdin) < 1"),
                    };
                    out.push(format!("int {y} = {x}; if ({read}) {x} = {y} + 1; else {x} = {y};"));
                }
            }
        }
        match self.below(4) {
            0 => out.push(format!("{x} &= 7;")),
            1 => out.push(format!("if ({x} < 0 || {x} > {}) return 0;", self.choose(&["7", "8"]))),
            2 => out.push(format!("{x} %= {};", self.choose(&["8", "9"]))),
            _ => {}
        }
        out.push(format!("@{take}<<<1, 1>>>({a}, {x});"));
        let end = body.len().saturating_sub(1);
        for (i, text) in out.into_iter().enumerate() {
            body.insert(end + i, Stmt::line(text));
        }
        items.push(Stmt::Block { head, body, tail });
    }
}
