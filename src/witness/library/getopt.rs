//! `getopt` and `getopt_long`, without permutation of `argv`'s memory: options may stand anywhere, as glibc allows.

use super::arguments::{arg, library_variables, read, text};
use crate::witness::machine::call::{Ret, Stop};
use crate::witness::machine::form::CallInfo;
use crate::witness::machine::state::Machine;
use crate::witness::machine::thread::Thread;
use crate::witness::machine::value::{Val, signed};
use crate::witness::memory::space::split;

type Res = Result<Ret, Stop>;

struct Long {
    name: Vec<u8>,
    argument: u64,
    flag: Val,
    value: Val,
}

pub fn getopt(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> Res {
    step(m, th, args, false)
}
pub fn getopt_long(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> Res {
    step(m, th, args, true)
}

fn set(m: &mut Machine<'_>, name: &str, bytes: u32, v: Val) {
    if let Some(a) = library_variables(m, &[name]).get(name).copied()
        && let Some(o) = m.mem.global_mut(split(a).0)
    {
        o.store.write(0, bytes, v);
    }
}

/// glibc's `struct option`: name, has_arg, flag, val; 32 bytes.
fn long_options(m: &mut Machine<'_>, th: &Thread, table: Val) -> Result<Result<Vec<Long>, Val>, Stop> {
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
        out.push(Long { name, argument, flag: read(m, th, at(16), 64)?, value: read(m, th, at(24), 32)? });
    }
    Ok(Ok(out))
}

/// One call: skips words that are no options, then takes the next option; -1 at the end.
fn step(m: &mut Machine<'_>, th: &mut Thread, args: &[Val], long: bool) -> Res {
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
    let word = |m: &mut Machine<'_>, th: &Thread, i: u64| -> Result<Result<(Val, Vec<u8>), Val>, Stop> {
        let p = read(m, th, Val { bits: argv.bits + 8 * i, ..argv }, 64)?;
        Ok(text(m, th, p).map(|s| (p, s)))
    };
    let end = Val::i32(-1);
    set(m, "optarg", 8, Val::ZERO);
    loop {
        let i = m.libc.getopt.index;
        if i >= argc {
            break;
        }
        let (p, s) = match word(m, th, i)? {
            Ok(w) => w,
            Err(v) => return Ok(Ret::Val(v)),
        };
        if m.libc.getopt.within == 0 {
            if s == b"--" {
                m.libc.getopt.index += 1;
                break;
            }
            if s.first() != Some(&b'-') || s.len() < 2 {
                // POSIX mode stops at the first operand; GNU's looks on.
                if short.first() == Some(&b'+') {
                    break;
                }
                m.libc.getopt.index += 1;
                continue;
            }
            if long && s.starts_with(b"--") {
                return long_option(m, th, args, p, &s);
            }
            m.libc.getopt.within = 1;
        }
        return short_option(m, th, (argc, argv), &short, (p, &s));
    }
    set(m, "optind", 4, Val::new(m.libc.getopt.index));
    Ok(Ret::Val(end))
}

/// `--name`, `--name=value` or `--name value`, in the word `s` at `p`; a name may be cut short.
fn long_option(m: &mut Machine<'_>, th: &mut Thread, args: &[Val], p: Val, s: &[u8]) -> Res {
    let argv = arg(args, 1);
    let table = match long_options(m, th, arg(args, 3))? {
        Ok(t) => t,
        Err(v) => return Ok(Ret::Val(v)),
    };
    m.libc.getopt.index += 1;
    let (name, value) = match s.iter().position(|b| *b == b'=') {
        Some(e) => (&s[2..e], Some(e)),
        None => (&s[2..], None),
    };
    let exact = table.iter().position(|l| l.name == name);
    let mut prefixed = table.iter().enumerate().filter(|(_, l)| l.name.starts_with(name)).map(|(i, _)| i);
    let Some(which) = exact.or_else(|| prefixed.next()) else {
        return Ok(Ret::Val(Val::new(u64::from(b'?'))));
    };
    let l = &table[which];
    let optarg = match (value, l.argument) {
        (Some(e), _) => Val::new(p.bits + e as u64 + 1),
        (None, 1) => {
            let next = read(m, th, Val { bits: argv.bits + 8 * m.libc.getopt.index, ..argv }, 64)?;
            m.libc.getopt.index += 1;
            next
        }
        _ => Val::ZERO,
    };
    set(m, "optarg", 8, optarg);
    set(m, "optind", 4, Val::new(m.libc.getopt.index));
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

/// The next letter of the word `s` at `p`, with its argument where it takes one.
fn short_option(m: &mut Machine<'_>, th: &Thread, (argc, argv): (u64, Val), short: &[u8], (p, s): (Val, &[u8])) -> Res {
    let at = m.libc.getopt.within;
    let c = s[at as usize];
    let last = at as usize + 1 == s.len();
    if last {
        m.libc.getopt.index += 1;
        m.libc.getopt.within = 0;
    } else {
        m.libc.getopt.within += 1;
    }
    let takes = short
        .iter()
        .position(|b| *b == c && c != b':')
        .map(|k| (short.get(k + 1) == Some(&b':'), short.get(k + 2) == Some(&b':')));
    let Some((argument, optional)) = takes else {
        set(m, "optind", 4, Val::new(m.libc.getopt.index));
        return Ok(Ret::Val(Val::new(u64::from(b'?'))));
    };
    let mut optarg = Val::ZERO;
    if argument {
        if !last {
            optarg = Val::new(p.bits + at + 1);
            m.libc.getopt.index += 1;
            m.libc.getopt.within = 0;
        } else if !optional {
            if m.libc.getopt.index >= argc {
                return Ok(Ret::Val(Val::new(u64::from(if short.first() == Some(&b':') { b':' } else { b'?' }))));
            }
            optarg = read(m, th, Val { bits: argv.bits + 8 * m.libc.getopt.index, ..argv }, 64)?;
            m.libc.getopt.index += 1;
        }
    }
    set(m, "optarg", 8, optarg);
    set(m, "optind", 4, Val::new(m.libc.getopt.index));
    Ok(Ret::Val(Val::new(u64::from(c))))
}
