//! `getopt` and `getopt_long` as in glibc (glibc 2.36, `posix/getopt.c`): options may follow operands, `argv` itself
//! is permuted so that operands come last, and a program that sets `optind` starts a new scan.

use super::arguments::{arg, library_variables, read, text};
use crate::machine::call::ModelResult;
use crate::machine::call::{Ret, ThreadStop};
use crate::machine::form::CallInfo;
use crate::machine::state::Machine;
use crate::machine::thread::Thread;
use crate::machine::value::{Reason, Val, signed};
use crate::memory::space::split;

struct LongOption {
    name: Vec<u8>,
    argument: u64,
    flag: Val,
    value: Val,
}

pub fn getopt(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    step(m, th, args, false)
}
pub fn getopt_long(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    step(m, th, args, true)
}

fn set(m: &mut Machine<'_>, name: &str, bytes: u32, v: Val) {
    if let Some(a) = library_variables(m, &[name]).get(name).copied()
        && let Some(o) = m.mem.global_mut(split(a).0)
    {
        o.store.write(0, bytes, v);
    }
}

/// Reads glibc's array of `struct option`: name, has_arg, flag, val; 32 bytes each.
fn long_options(m: &mut Machine<'_>, th: &Thread, table: Val) -> Result<Result<Vec<LongOption>, Val>, ThreadStop> {
    let mut out = Vec::new();
    for i in 0..256u64 {
        let at = |off: u64| Val { bits: table.bits + 32 * i + off, ..table };
        let name = read(m, th, at(0), 64)?;
        if name.is_poison() {
            return Ok(Err(name));
        }
        if name.bits == 0 {
            break;
        }
        let name = match text(m, th, name) {
            Ok(n) => n,
            Err(p) => return Ok(Err(p)),
        };
        let argument = read(m, th, at(8), 32)?.known().unwrap_or(0);
        out.push(LongOption { name, argument, flag: read(m, th, at(16), 64)?, value: read(m, th, at(24), 32)? });
    }
    Ok(Ok(out))
}

/// Inputs of a scan.
#[derive(Clone, Copy)]
struct OptionScan<'t> {
    argc: u64,
    argv: Val,
    /// Option letters, without the prefix that selects the treatment of operands.
    letters: &'t [u8],
}

impl OptionScan<'_> {
    /// Return value for a missing argument.
    fn missing(&self) -> u8 {
        if self.letters.first() == Some(&b':') { b':' } else { b'?' }
    }

    fn at(&self, i: u64) -> Val {
        Val { bits: self.argv.bits + 8 * i, ..self.argv }
    }

    fn word(&self, m: &mut Machine<'_>, th: &Thread, i: u64) -> Result<Result<(Val, Vec<u8>), Val>, ThreadStop> {
        let p = read(m, th, self.at(i), 64)?;
        Ok(text(m, th, p).map(|s| (p, s)))
    }
}

/// Executes one call: skips operands, then takes the next option; -1 at the end.
fn step(m: &mut Machine<'_>, th: &mut Thread, args: &[Val], long: bool) -> ModelResult {
    let (argc, argv, short) = (arg(args, 0), arg(args, 1), arg(args, 2));
    if m.libc.getopt.unknown.is_some() {
        let lost = Val::poison(m.libc.getopt.unknown);
        for (name, bytes) in [("optarg", 8), ("optind", 4), ("optopt", 4)] {
            set(m, name, bytes, lost);
        }
        return Ok(Ret::Val(lost));
    }
    let short = match text(m, th, short) {
        Ok(s) => s,
        Err(p) => return Ok(Ret::Val(p)),
    };
    let Some(argc) = argc.known().and_then(|n| u64::try_from(signed(n, 32)).ok()) else {
        return Ok(Ret::Val(Val::poison(argc.poison)));
    };
    begin(m);
    set(m, "optarg", 8, Val::ZERO);
    let order = short.first().copied().filter(|c| matches!(c, b'+' | b'-'));
    let scan = OptionScan { argc, argv, letters: &short[usize::from(order.is_some())..] };
    let given = match next_word(m, th, &scan, order)? {
        Ok(NextArgument::Option(p, s)) if long && m.libc.getopt.within == 0 && s.starts_with(b"--") => {
            long_option(m, th, args, &scan, (p, &s))
        }
        Ok(NextArgument::Option(p, s)) => short_option(m, th, &scan, (p, &s)),
        // In this mode an operand is the argument of an option 1.
        Ok(NextArgument::Operand(p)) => {
            set(m, "optarg", 8, p);
            Ok(Ret::Val(Val::new(1)))
        }
        Ok(NextArgument::End) => Ok(Ret::Val(Val::i32(-1))),
        Err(v) => Ok(Ret::Val(v)),
    };
    set(m, "optind", 4, Val::new(m.libc.getopt.index));
    given
}

/// Reads the program's value of `optind`; 0 starts a new scan.
fn begin(m: &mut Machine<'_>) {
    let wanted = library_variables(m, &["optind"]).get("optind").copied();
    let wanted = wanted.and_then(|a| m.mem.global_mut(split(a).0).and_then(|o| o.store.read(0, 4).known()));
    let g = &mut m.libc.getopt;
    let anew = wanted == Some(0) || !g.begun;
    g.index = match wanted {
        Some(0) => 1,
        Some(n) => n,
        None => g.index,
    };
    if anew {
        (g.first, g.last, g.within, g.begun) = (g.index, g.index, 0, true);
    }
}

enum NextArgument {
    Option(Val, Vec<u8>),
    Operand(Val),
    End,
}

/// Advances to the next word with options left.
fn next_word(
    m: &mut Machine<'_>,
    th: &mut Thread,
    scan: &OptionScan<'_>,
    order: Option<u8>,
) -> Result<Result<NextArgument, Val>, ThreadStop> {
    if m.libc.getopt.within != 0 {
        return Ok(scan.word(m, th, m.libc.getopt.index)?.map(|(p, s)| NextArgument::Option(p, s)));
    }
    let g = &mut m.libc.getopt;
    (g.last, g.first) = (g.last.min(g.index), g.first.min(g.index));
    let is_operand = |s: &[u8]| s.first() != Some(&b'-') || s.len() < 2;
    if order.is_none() {
        pass_operands(m, th, scan)?;
        while m.libc.getopt.index < scan.argc {
            match scan.word(m, th, m.libc.getopt.index)? {
                Ok((_, s)) if is_operand(&s) => m.libc.getopt.index += 1,
                Ok(_) => break,
                Err(v) => return Ok(Err(v)),
            }
        }
        m.libc.getopt.last = m.libc.getopt.index;
    }
    if m.libc.getopt.index < scan.argc {
        let (p, s) = match scan.word(m, th, m.libc.getopt.index)? {
            Ok(w) => w,
            Err(v) => return Ok(Err(v)),
        };
        if s != b"--" {
            return Ok(Ok(match (is_operand(&s), order) {
                (false, _) => NextArgument::Option(p, s),
                (true, Some(b'-')) => {
                    m.libc.getopt.index += 1;
                    NextArgument::Operand(p)
                }
                (true, _) => NextArgument::End,
            }));
        }
        m.libc.getopt.index += 1;
        pass_operands(m, th, scan)?;
        (m.libc.getopt.last, m.libc.getopt.index) = (scan.argc, scan.argc);
    }
    let g = &mut m.libc.getopt;
    if g.first != g.last {
        g.index = g.first;
    }
    Ok(Ok(NextArgument::End))
}

/// Moves skipped operands behind the options that followed them.
fn pass_operands(m: &mut Machine<'_>, th: &mut Thread, scan: &OptionScan<'_>) -> Result<(), ThreadStop> {
    let (first, last, index) = (m.libc.getopt.first, m.libc.getopt.last, m.libc.getopt.index);
    if last == index {
        return Ok(());
    }
    if first != last {
        let mut words =
            (first..index).map(|i| read(m, th, scan.at(i), 64)).collect::<Result<Vec<Val>, ThreadStop>>()?;
        // `first <= last <= index`: operands lie before the options that follow them.
        words.rotate_left(usize::try_from(last - first).unwrap_or(0));
        for (i, v) in (first..).zip(words) {
            if let Some(site) = m.site(th) {
                m.store(th, || site, scan.at(i), 64, v)?;
            }
        }
    }
    let g = &mut m.libc.getopt;
    (g.first, g.last) = (first + (index - last), index);
    Ok(())
}

/// Parses `--name`, `--name=value` or `--name value` in the word `s` at `p`; a unique prefix of a name is accepted.
fn long_option(
    m: &mut Machine<'_>,
    th: &mut Thread,
    args: &[Val],
    scan: &OptionScan<'_>,
    (p, s): (Val, &[u8]),
) -> ModelResult {
    let table = match long_options(m, th, arg(args, 3))? {
        Ok(t) => t,
        Err(v) => return Ok(Ret::Val(v)),
    };
    m.libc.getopt.index += 1;
    let (name, value) = match s.iter().position(|b| *b == b'=') {
        Some(e) => (&s[2..e], Some(e)),
        None => (&s[2..], None),
    };
    let wrong = |m: &mut Machine<'_>, option: Val, gives: u8| {
        set(m, "optopt", 4, option);
        Ok(Ret::Val(Val::new(u64::from(gives))))
    };
    let means = |l: &LongOption| (l.argument, l.flag.bits, l.value.bits);
    let mut prefixed = table.iter().enumerate().filter(|(_, l)| l.name.starts_with(name));
    let exact = table.iter().position(|l| l.name == name);
    let first = prefixed.next();
    let ambiguous = exact.is_none() && first.is_some_and(|(_, l)| prefixed.any(|(_, o)| means(o) != means(l)));
    let Some(which) = exact.or(first.map(|(i, _)| i)).filter(|_| !ambiguous) else {
        return wrong(m, Val::ZERO, b'?');
    };
    let l = &table[which];
    let optarg = match (value, l.argument) {
        (Some(_), 0) => return wrong(m, l.value, b'?'),
        (Some(e), _) => Val::new(p.bits + e as u64 + 1),
        (None, 1) if m.libc.getopt.index >= scan.argc => return wrong(m, l.value, scan.missing()),
        (None, 1) => {
            let next = read(m, th, scan.at(m.libc.getopt.index), 64)?;
            m.libc.getopt.index += 1;
            next
        }
        _ => Val::ZERO,
    };
    set(m, "optarg", 8, optarg);
    if let Some(at) = arg(args, 4).known().filter(|a| *a != 0)
        && let Some(site) = m.site(th)
    {
        m.store(th, || site, Val::new(at), 32, Val::new(which as u64))?;
    }
    if let Some(flag) = l.flag.known().filter(|f| *f != 0) {
        let v = l.value;
        if let Some(site) = m.site(th) {
            m.store(th, || site, Val::new(flag), 32, v)?;
        }
        return Ok(Ret::Val(Val::ZERO));
    }
    Ok(Ret::Val(l.value))
}

/// Parses the next letter of the word `s` at `p`, with its argument if it takes one.
fn short_option(m: &mut Machine<'_>, th: &Thread, scan: &OptionScan<'_>, (p, s): (Val, &[u8])) -> ModelResult {
    let at = m.libc.getopt.within.max(1);
    let Some(c) = s.get(at as usize).copied() else { return Ok(Ret::Val(Val::poison(Reason::BAD_READ))) };
    let last = at as usize + 1 == s.len();
    if last {
        m.libc.getopt.index += 1;
        m.libc.getopt.within = 0;
    } else {
        m.libc.getopt.within = at + 1;
    }
    let letters = scan.letters;
    let takes = letters
        .iter()
        .position(|b| *b == c && c != b':' && c != b';')
        .map(|k| (letters.get(k + 1) == Some(&b':'), letters.get(k + 2) == Some(&b':')));
    let Some((argument, optional)) = takes else {
        set(m, "optopt", 4, Val::new(u64::from(c)));
        return Ok(Ret::Val(Val::new(u64::from(b'?'))));
    };
    let mut optarg = Val::ZERO;
    if argument {
        if !last {
            optarg = Val::new(p.bits + at + 1);
            m.libc.getopt.index += 1;
            m.libc.getopt.within = 0;
        } else if !optional {
            if m.libc.getopt.index >= scan.argc {
                set(m, "optopt", 4, Val::new(u64::from(c)));
                return Ok(Ret::Val(Val::new(u64::from(scan.missing()))));
            }
            optarg = read(m, th, scan.at(m.libc.getopt.index), 64)?;
            m.libc.getopt.index += 1;
        }
    }
    set(m, "optarg", 8, optarg);
    Ok(Ret::Val(Val::new(u64::from(c))))
}
