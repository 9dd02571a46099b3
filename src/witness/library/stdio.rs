//! Streams of the C library: output has no effect; input comes from the run's inputs.

use super::arguments::{arg, text, write};
use super::format::{ScanValue, Scanned, format, scan};
use super::model::{ModelClass, ModelEntry, ModelTable, by_name};
use super::simple::zero;
use super::streams::{Stream, last_of};
use super::string::put_text;
use crate::api::Cause;
use crate::api::ObjectKind;
use crate::machine::call::ModelResult;
use crate::machine::call::{Ret, ThreadStop};
use crate::machine::form::CallInfo;
use crate::machine::state::Machine;
use crate::machine::thread::Thread;
use crate::machine::value::{Reason, Val, mask, signed};
use crate::memory::space::Obj;

/// Functions of the C library's streams.
pub(super) const STDIO: ModelTable = &[
    (
        &[
            "printf",
            "fprintf",
            "puts",
            "putchar",
            "putchar_unlocked",
            "fputs",
            "fputs_unlocked",
            "fputc",
            "fputc_unlocked",
            "putc",
            "putc_unlocked",
            "_IO_putc",
            "perror",
            "vprintf",
            "vfprintf",
            "__printf_chk",
            "__fprintf_chk",
            "dprintf",
            "write",
        ],
        output,
        ModelClass::Pure,
    ),
    (&["fwrite", "fwrite_unlocked"], fwrite, ModelClass::Pure),
    (&["snprintf", "__snprintf_chk"], snprintf, ModelClass::Memory),
    (&["sprintf"], sprintf, ModelClass::Memory),
    (&["vsnprintf", "vsprintf"], vsnprintf, ModelClass::Memory),
    (&["fopen", "fopen64"], fopen, ModelClass::Memory),
    (&["freopen", "freopen64"], freopen, ModelClass::Input),
    (&["fclose", "pclose"], zero, ModelClass::Pure),
    (&["fread", "fread_unlocked"], fread, ModelClass::Input),
    (&["fgets", "fgets_unlocked"], fgets, ModelClass::Input),
    (&["fgetc", "fgetc_unlocked", "getc", "getc_unlocked", "_IO_getc"], fgetc, ModelClass::Input),
    (&["getchar", "getchar_unlocked"], getchar, ModelClass::Input),
    (&["feof", "feof_unlocked"], feof, ModelClass::Pure),
    (&["ferror", "ferror_unlocked"], zero, ModelClass::Pure),
    (&["rewind"], rewind, ModelClass::Input),
    (&["fseek", "fseeko"], fseek, ModelClass::Input),
    (&["ftell", "ftello"], ftell, ModelClass::Pure),
    (&["fscanf", "__isoc99_fscanf", "__isoc23_fscanf"], fscanf, ModelClass::Input),
    (&["scanf", "__isoc99_scanf", "__isoc23_scanf"], scanf, ModelClass::Input),
    (&["sscanf", "__isoc99_sscanf", "__isoc23_sscanf"], sscanf, ModelClass::Memory),
    (&["getline"], getline, ModelClass::Input),
];

/// Model of a function by its symbol.
pub fn find(name: &str) -> Option<ModelEntry> {
    by_name(STDIO, name)
}

/// Models output functions: output has no effect, and standard output is kept for people who look at a run.
fn output(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    let name = call.target.map_or("", |f| m.program.func(f).name.as_str());
    match name {
        "printf" | "__printf_chk" => {
            let at = usize::from(name != "printf");
            if let Ok(f) = text(m, th, arg(args, at)) {
                let values = variadic(call, args, at + 1);
                if let Ok(s) = format(&f, &values, true, &mut |p| text(m, th, p).map_err(|v| v.poison)) {
                    m.print(&s);
                }
            }
        }
        "puts" => {
            if let Ok(mut s) = text(m, th, arg(args, 0)) {
                s.push(b'\n');
                m.print(&s);
            }
        }
        "putchar" => {
            if let Some(c) = arg(args, 0).known() {
                m.print(&[c as u8]);
            }
        }
        _ => {}
    }
    Ok(Ret::Val(m.unknown("how many characters were printed")))
}

/// Most bytes of output to keep.
const MAX_OUTPUT: usize = 1 << 16;

/// Models `fwrite`: everything is written.
fn fwrite(_: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    Ok(Ret::Val(arg(args, 2)))
}

/// Values after the first `skip` arguments, as `printf` sees them.
fn variadic(call: &CallInfo, args: &[Val], skip: usize) -> Vec<(Val, bool)> {
    let mut at = 0;
    let mut out = Vec::new();
    for (i, a) in call.args.iter().enumerate() {
        if i >= skip && a.slots == 1 {
            out.push((args[at], a.float));
        }
        at += a.slots as usize;
    }
    out
}

fn print_into(
    m: &mut Machine<'_>,
    th: &mut Thread,
    call: &CallInfo,
    args: &[Val],
    (fmt, skip): (usize, usize),
    limit: Val,
) -> ModelResult {
    let made = match text(m, th, arg(args, fmt)) {
        Ok(f) => format(&f, &variadic(call, args, skip), false, &mut |p| text(m, th, p).map_err(|v| v.poison)),
        Err(p) => Err(p.poison),
    };
    match (made, limit.known()) {
        (Ok(s), Some(n)) => {
            let keep = s.len().min(usize::try_from(n.saturating_sub(1)).unwrap_or(usize::MAX));
            if n > 0 {
                put_text(m, th, call, arg(args, 0), &s[..keep])?;
            }
            Ok(Ret::Val(Val::new(s.len() as u64 & mask(32))))
        }
        (Err(why), _) => {
            m.havoc(th, arg(args, 0), why);
            Ok(Ret::Val(Val::poison(why)))
        }
        (_, None) => {
            m.havoc(th, arg(args, 0), limit.poison);
            Ok(Ret::Val(Val::poison(limit.poison)))
        }
    }
}

fn snprintf(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    // The checked variant of fortified builds has two more arguments.
    let fmt = if call.args.len() > 4 && call.target.is_some_and(|f| m.program.func(f).name.starts_with("__")) {
        4
    } else {
        2
    };
    print_into(m, th, call, args, (fmt, fmt + 1), arg(args, 1))
}

fn sprintf(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    print_into(m, th, call, args, (1, 2), Val::new(u64::MAX))
}

fn vsnprintf(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    let why = m.reason(Cause::Call, "what `vsnprintf` writes");
    m.havoc(th, arg(args, 0), why);
    Ok(Ret::Val(Val::poison(why)))
}

/// `va_start`: how a variadic function of the program uses its arguments is not modelled.
pub fn va_start(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    let why = m.reason(Cause::Call, "a variadic argument");
    m.havoc(th, arg(args, 0), why);
    Ok(Ret::Void)
}

pub fn va_copy(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    if let Some(site) = m.site(th) {
        m.copy(th, || site, arg(args, 0), arg(args, 1), Val::new(24))?;
    }
    Ok(Ret::Void)
}

impl Machine<'_> {
    /// Keeps the beginning of the program's output.
    pub fn print(&mut self, bytes: &[u8]) {
        let room = MAX_OUTPUT.saturating_sub(self.output.len());
        self.output.push_str(&String::from_utf8_lossy(&bytes[..bytes.len().min(room)]));
    }

    fn open(&mut self, name: &str, bytes: Vec<u8>, unknown: Reason) -> Result<u64, ThreadStop> {
        let obj = Obj::unbounded(ObjectKind::Foreign, name.into(), Reason::OPEN);
        let id = self
            .mem
            .add(obj)
            .ok_or_else(|| ThreadStop::Unknown("more objects than the interpreter can hold".into()))?;
        self.libc.files.streams.push(Stream {
            address: id.address(),
            bytes,
            at: 0,
            ended: false,
            failed: false,
            is_text: false,
            unknown,
        });
        Ok(id.address())
    }

    fn open_named(&mut self, name: &str, writes: bool) -> Result<u64, ThreadStop> {
        let files = &self.libc.files;
        let changed = if files.moved.is_some() {
            files.moved
        } else {
            files.changed.iter().find(|(n, _)| n == last_of(name)).map_or(Reason::NONE, |c| c.1)
        };
        if changed.is_some() {
            return self.open(name, Vec::new(), changed);
        }
        let (bytes, unknown) = match self.inputs.files.get(name).cloned() {
            Some(b) => (b, Reason::NONE),
            None if writes => (Vec::new(), Reason::OPEN),
            None => {
                self.seen.assume(format!("the file `{name}` can be read"));
                (Vec::new(), self.reason(Cause::Contents, &format!("the contents of the file `{name}`")))
            }
        };
        self.open(name, bytes, unknown)
    }

    /// Stream of the standard input.
    pub fn stdin(&mut self) -> Result<u64, ThreadStop> {
        if let Some(a) = self.libc.files.stdin {
            return Ok(a);
        }
        let bytes = self.inputs.stdin.clone();
        let a = self.open("stdin", bytes, Reason::NONE)?;
        self.libc.files.stdin = Some(a);
        Ok(a)
    }

    /// Opens a text for a stream object.
    pub fn open_text(&mut self, stream: Val, text: Vec<u8>, unknown: Reason) -> Result<(), ThreadStop> {
        let Some(at) = stream.known() else { return Ok(()) };
        let file = self.open("a text", text, unknown)?;
        if let Some(s) = self.libc.files.get(Val::new(file)) {
            s.is_text = true;
        }
        self.libc.files.ifstreams.insert(at, file);
        Ok(())
    }

    /// A stream that is only written.
    pub fn sink(&mut self, name: &str) -> Result<u64, ThreadStop> {
        self.open(name, Vec::new(), Reason::OPEN)
    }
}

/// Opens a file for a `std::ifstream`, at its end if wanted; an unknown name gives unknown contents.
pub fn open_ifstream(
    m: &mut Machine<'_>,
    th: &mut Thread,
    (stream, name): (Val, Val),
    at_end: bool,
) -> Result<(), ThreadStop> {
    let Some(at) = stream.known() else { return Ok(()) };
    let file = match text(m, th, name) {
        Ok(n) => m.open_named(&String::from_utf8_lossy(&n), false)?,
        Err(p) => m.open("a file", Vec::new(), p.poison)?,
    };
    if let Some(s) = m.libc.files.get(Val::new(file)).filter(|_| at_end) {
        s.at = s.bytes.len();
    }
    m.libc.files.ifstreams.insert(at, file);
    Ok(())
}

fn fopen(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    let name = match text(m, th, arg(args, 0)) {
        Ok(s) => String::from_utf8_lossy(&s).into_owned(),
        Err(p) => return Ok(Ret::Val(p)),
    };
    let mode = text(m, th, arg(args, 1)).unwrap_or_default();
    let writes = mode.first().is_some_and(|c| *c != b'r');
    m.open_named(&name, writes).map(|a| Ret::Val(Val::new(a)))
}

/// Models `freopen` without the file that it opens: the stream and the standard input, which most programs reopen,
/// become unknown.
fn freopen(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    let why = m.reason(Cause::Contents, "what is read from a reopened stream");
    for file in [Val::new(m.stdin()?), arg(args, 2)] {
        if let Some(s) = m.libc.files.get(file) {
            s.unknown = why;
        }
    }
    Ok(Ret::Val(m.unknown("whether a file can be opened")))
}

/// Takes up to `n` bytes; fails if the stream's contents are unknown.
fn take(m: &mut Machine<'_>, file: Val, n: usize) -> Result<Vec<u8>, Reason> {
    let Some(s) = m.libc.files.get(file) else { return Err(if file.is_poison() { file.poison } else { Reason::OPEN }) };
    if s.unknown.is_some() {
        return Err(s.unknown);
    }
    let end = s.bytes.len().min(s.at.saturating_add(n));
    if end - s.at < n {
        s.ended = true;
    }
    let out = s.bytes[s.at..end].to_vec();
    s.at = end;
    Ok(out)
}

/// `std::istream::read` from a file: returns whether it read all bytes, if known.
pub fn read_ifstream(
    m: &mut Machine<'_>,
    th: &mut Thread,
    call: &CallInfo,
    (file, to, length): (Val, Val, Val),
) -> Result<Option<bool>, ThreadStop> {
    let Ret::Val(read) = fread(m, th, call, &[to, Val::new(1), length, file])? else { return Ok(None) };
    Ok(read.known().zip(length.known()).map(|(n, all)| n == all))
}

fn fread(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    let (p, size, count) = (arg(args, 0), arg(args, 1), arg(args, 2));
    let (Some(sz), Some(n)) = (size.known(), count.known()) else {
        let why = if size.is_poison() { size.poison } else { count.poison };
        m.havoc(th, p, why);
        return Ok(Ret::Val(Val::poison(why)));
    };
    match take(m, arg(args, 3), usize::try_from(sz.saturating_mul(n)).unwrap_or(usize::MAX)) {
        Ok(bytes) => {
            let Some(site) = m.site(th) else { return Ok(Ret::Void) };
            // Checks the write as one access.
            let len = bytes.len() as u64;
            m.set(th, || site, p, Val::ZERO, Val::new(len))?;
            let (id, off) = crate::memory::space::split(p.bits);
            if let Some(o) = m.mem.get_mut(&mut th.stack, id).filter(|o| o.holds(off, len)) {
                o.store.write_bytes(off.cast_unsigned(), &bytes);
            }
            Ok(Ret::Val(Val::new(len.checked_div(sz).unwrap_or(0))))
        }
        Err(why) => {
            // A successful read overwrites the whole block; how much it reads is unknown.
            if let Some(site) = m.site(th) {
                m.set(th, || site, p, Val::poison(why), Val::new(sz.saturating_mul(n)))?;
            }
            Ok(Ret::Val(Val::poison(why)))
        }
    }
}

fn fgets(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    let (p, n, file) = (arg(args, 0), arg(args, 1), arg(args, 2));
    let Some(n) = n.known().and_then(|n| usize::try_from(signed(n, 32)).ok()) else {
        return Ok(Ret::Val(Val::poison(n.poison)));
    };
    let line = match m.libc.files.get(file) {
        Some(s) if !s.unknown.is_some() => {
            let rest = &s.bytes[s.at..];
            let line = rest.iter().position(|b| *b == b'\n').map(|i| i + 1);
            let room = n.saturating_sub(1);
            // Without a newline it reads on to the end of the file.
            s.ended |= line.is_none() && rest.len() < room;
            let len = line.unwrap_or(rest.len()).min(room);
            take(m, file, len)
        }
        Some(s) => Err(s.unknown),
        None => Err(if file.is_poison() { file.poison } else { Reason::OPEN }),
    };
    match line {
        Ok(s) if s.is_empty() => {
            if let Some(f) = m.libc.files.get(file) {
                f.ended = true;
            }
            Ok(Ret::Val(Val::ZERO))
        }
        Ok(s) => {
            put_text(m, th, call, p, &s)?;
            Ok(Ret::Val(p))
        }
        Err(why) => {
            m.havoc(th, p, why);
            Ok(Ret::Val(Val::unknown_address(p.bits, why)))
        }
    }
}

fn one_char(m: &mut Machine<'_>, file: Val) -> Ret {
    Ret::Val(match take(m, file, 1) {
        Ok(b) => b.first().map_or(Val::i32(-1), |b| Val::new(u64::from(*b))),
        Err(why) => Val::poison(why),
    })
}

fn fgetc(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    Ok(one_char(m, arg(args, 0)))
}
fn getchar(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, _: &[Val]) -> ModelResult {
    let f = Val::new(m.stdin()?);
    Ok(one_char(m, f))
}

fn feof(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    Ok(Ret::Val(match m.libc.files.get(arg(args, 0)) {
        Some(s) if s.unknown.is_some() => Val::poison(s.unknown),
        Some(s) => Val::new(u64::from(s.ended)),
        None => Val::poison(arg(args, 0).poison),
    }))
}

fn rewind(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    if let Some(s) = m.libc.files.get(arg(args, 0)) {
        s.at = 0;
        s.ended = false;
    }
    Ok(Ret::Void)
}

fn fseek(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    let (off, whence) = (arg(args, 1), arg(args, 2));
    if let Some(s) = m.libc.files.get(arg(args, 0)) {
        match (off.known(), whence.known()) {
            (Some(o), Some(w)) => {
                let from = match w {
                    0 => 0,
                    1 => s.at,
                    _ => s.bytes.len(),
                };
                s.at = (from as i64).saturating_add(o.cast_signed()).clamp(0, s.bytes.len() as i64) as usize;
                s.ended = false;
            }
            _ => s.unknown = if off.is_poison() { off.poison } else { whence.poison },
        }
    }
    Ok(Ret::Val(Val::ZERO))
}

fn ftell(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    Ok(Ret::Val(match m.libc.files.get(arg(args, 0)) {
        Some(s) if s.unknown.is_some() => Val::poison(s.unknown),
        Some(s) => Val::new(s.at as u64),
        None => Val::poison(arg(args, 0).poison),
    }))
}

/// Scans `input` with a format and stores the values; also returns the number of bytes used.
fn scan_into(
    m: &mut Machine<'_>,
    th: &mut Thread,
    call: &CallInfo,
    args: &[Val],
    fmt: usize,
    input: Result<Vec<u8>, Reason>,
) -> Result<(Val, usize, bool), ThreadStop> {
    let targets = variadic(call, args, fmt + 1);
    let havoc_all = |m: &mut Machine<'_>, th: &mut Thread, why| {
        for (p, _) in &targets {
            m.havoc(th, *p, why);
        }
        (Val::poison(why), 0, false)
    };
    let format = match text(m, th, arg(args, fmt)) {
        Ok(f) => f,
        Err(p) => return Ok(havoc_all(m, th, p.poison)),
    };
    let input = match input {
        Ok(i) => i,
        Err(why) => return Ok(havoc_all(m, th, why)),
    };
    let binary = call.target.is_some_and(|f| m.program.func(f).name.starts_with("__isoc23_"));
    let Some(Scanned { found, used, ended, no_input }) = scan(&format, &input, binary) else {
        return Ok(havoc_all(m, th, Reason::OPEN));
    };
    let mut count = 0;
    for (c, (p, _)) in found.iter().zip(&targets) {
        match c {
            ScanValue::Bits { bits, value } => write(m, th, call, *p, *bits, Val::new(*value))?,
            // A position (`%n`) is not counted.
            ScanValue::Position { bits, value } => {
                write(m, th, call, *p, *bits, Val::new(*value))?;
                continue;
            }
            ScanValue::Text(s) => put_text(m, th, call, *p, s)?,
            ScanValue::Char(s) => {
                for (i, b) in (0u64..).zip(s) {
                    write(m, th, call, Val { bits: p.bits + i, ..*p }, 8, Val::new(u64::from(*b)))?;
                }
            }
        }
        count += 1;
    }
    Ok((if count == 0 && no_input { Val::i32(-1) } else { Val::i32(count) }, used, ended))
}

fn scan_stream(
    m: &mut Machine<'_>,
    th: &mut Thread,
    call: &CallInfo,
    args: &[Val],
    fmt: usize,
    file: Val,
) -> ModelResult {
    let input = match m.libc.files.get(file) {
        Some(s) if s.unknown.is_some() => Err(s.unknown),
        Some(s) => Ok(s.bytes[s.at..].to_vec()),
        None => Err(if file.is_poison() { file.poison } else { Reason::OPEN }),
    };
    let (v, used, ended) = scan_into(m, th, call, args, fmt, input)?;
    if let Some(s) = m.libc.files.get(file) {
        s.at += used;
        s.ended |= ended;
        // The stream's position has advanced by an unknown amount.
        if v.is_poison() {
            s.unknown = v.poison;
        }
    }
    Ok(Ret::Val(v))
}

fn fscanf(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    scan_stream(m, th, call, args, 1, arg(args, 0))
}
fn scanf(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    let f = Val::new(m.stdin()?);
    scan_stream(m, th, call, args, 0, f)
}
fn sscanf(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    let input = text(m, th, arg(args, 0)).map_err(|p| p.poison);
    scan_into(m, th, call, args, 1, input).map(|r| Ret::Val(r.0))
}

fn getline(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    let file = arg(args, 2);
    let line = match m.libc.files.get(file) {
        Some(s) if !s.unknown.is_some() => {
            let rest = &s.bytes[s.at..];
            let line = rest.iter().position(|b| *b == b'\n').map(|i| i + 1);
            s.ended |= line.is_none();
            let len = line.unwrap_or(rest.len());
            take(m, file, len)
        }
        Some(s) => Err(s.unknown),
        None => Err(if file.is_poison() { file.poison } else { Reason::OPEN }),
    };
    match line {
        Ok(s) if s.is_empty() => Ok(Ret::Val(Val::new(u64::MAX))),
        Ok(s) => {
            let site = m.user_site(th);
            let size = Val::new(s.len() as u64 + 1);
            let p = m.heap_object(ObjectKind::HostHeap, "getline", site, size, crate::memory::store::Fill::Byte(0))?;
            put_text(m, th, call, p, &s)?;
            write(m, th, call, arg(args, 0), 64, p)?;
            write(m, th, call, arg(args, 1), 64, size)?;
            Ok(Ret::Val(Val::new(s.len() as u64)))
        }
        Err(why) => {
            m.havoc_reachable(th, &args[..2.min(args.len())], why);
            Ok(Ret::Val(Val::poison(why)))
        }
    }
}
