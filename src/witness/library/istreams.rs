//! Input streams of the C++ library: files, strings and the standard input.
//!
//! In: a stream object by its address, or by an address inside of it. Out: values and strings that the program extracts,
//! and the stream's state, as libstdc++ 12 leaves them (istream.tcc, basic_string.tcc). A stream whose contents or
//! position are unknown gives unknown values.

use super::arguments::{arg, read, write};
use super::cxx::{is_cin, stream_member};
use super::numbers::is_space;
use super::streams::Stream;
use super::string::put_text;
use crate::api::{Cause, ObjectKind};
use crate::machine::call::{ModelResult, Ret, ThreadStop};
use crate::machine::form::CallInfo;
use crate::machine::state::Machine;
use crate::machine::thread::Thread;
use crate::machine::value::{Reason, Val, signed};
use crate::memory::space::split;
use crate::memory::store::Fill;

/// `std::ios::ate` of libstdc++ 12.
const AT_END: u64 = 2;
/// Capacity in bytes of a `std::string` without memory of its own, and offsets of its members.
const LOCAL: u64 = 15;
const SIZE: u64 = 8;
const BUFFER: u64 = 16;

/// Returns the file of a stream object; `None` where the stream is not followed.
fn file_of(m: &mut Machine<'_>, stream: Val) -> Result<Option<Val>, ThreadStop> {
    match m.libc.files.of_ifstream(stream) {
        Some(f) => Ok(Some(f)),
        None if is_cin(m, stream) => Ok(Some(Val::new(m.stdin()?))),
        None => Ok(None),
    }
}

/// Returns the state of a followed stream: whether an extraction failed, and whether a read reached the end.
fn flags(m: &mut Machine<'_>, file: Val) -> Option<(bool, bool)> {
    let s = m.libc.files.get(file)?;
    (!s.unknown.is_some()).then_some((s.failed, s.ended))
}

/// Extracts from a stream that is followed and known; otherwise what the call may write is unknown.
fn extract<T>(
    m: &mut Machine<'_>,
    th: &mut Thread,
    call: &CallInfo,
    args: &[Val],
    extraction: impl FnOnce(&mut Stream) -> T,
) -> Result<Result<T, Ret>, ThreadStop> {
    let Some(file) = file_of(m, arg(args, 0))? else { return stream_member(m, th, call, args).map(Err) };
    let Some(s) = m.libc.files.get(file).filter(|s| !s.unknown.is_some()) else {
        return stream_member(m, th, call, args).map(Err);
    };
    let out = extraction(s);
    m.libc.last_stream = file.known();
    Ok(Ok(out))
}

impl Stream {
    /// Begins an unformatted extraction; whether the stream is good (`sentry`).
    const fn begins(&mut self) -> bool {
        if self.failed || self.ended {
            self.failed = true;
        }
        !self.failed
    }

    /// Skips white space and begins a formatted extraction.
    fn begins_at_word(&mut self) -> bool {
        if !self.begins() {
            return false;
        }
        self.at += self.bytes[self.at..].iter().take_while(|b| is_space(**b)).count();
        if self.at == self.bytes.len() {
            (self.ended, self.failed) = (true, true);
        }
        !self.failed
    }

    /// Takes one character, or fails at the end.
    fn one(&mut self) -> Option<u8> {
        let c = self.bytes.get(self.at).copied();
        match c {
            Some(_) => self.at += 1,
            None => (self.ended, self.failed) = (true, true),
        }
        c
    }

    /// Takes a word; `None` leaves the string of the program as it is.
    fn word(&mut self) -> Option<Vec<u8>> {
        if !self.begins_at_word() {
            return None;
        }
        let word: Vec<u8> = self.bytes[self.at..].iter().copied().take_while(|b| !is_space(*b)).collect();
        self.at += word.len();
        self.ended |= self.at == self.bytes.len();
        Some(word)
    }

    /// Takes all characters before `end`, and drops it; `None` leaves the string of the program as it is.
    fn line(&mut self, end: u8) -> Option<Vec<u8>> {
        if !self.begins() {
            return None;
        }
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|b| *b == end);
        let line = rest[..length.unwrap_or(rest.len())].to_vec();
        self.at += line.len() + usize::from(length.is_some());
        if length.is_none() {
            self.ended = true;
            self.failed = line.is_empty();
        }
        Some(line)
    }
}

/// Assigns characters to a `std::string` of libstdc++.
fn assign(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, p: Val, text: &[u8]) -> Result<(), ThreadStop> {
    let place = |offset: u64| Val { bits: p.bits.wrapping_add(offset), ..p };
    let data = read(m, th, p, 64)?;
    let local = place(BUFFER);
    let capacity = if data == local { Val::new(LOCAL) } else { read(m, th, local, 64)? };
    let length = text.len() as u64;
    let fits = data.known().is_some() && capacity.known().is_some_and(|c| length <= c);
    let to = if fits {
        data
    } else {
        let site = m.user_site(th);
        let size = Val::new(length + 1);
        let new = m.heap_object(ObjectKind::HostHeap, "std::string", site, size, Fill::Byte(0))?;
        write(m, th, call, p, 64, new)?;
        write(m, th, call, local, 64, Val::new(length))?;
        new
    };
    put_text(m, th, call, to, text)?;
    write(m, th, call, place(SIZE), 64, Val::new(length))
}

/// Returns the characters of a `std::string`; poison if they are unknown.
fn characters(m: &mut Machine<'_>, th: &Thread, p: Val) -> Result<Result<Vec<u8>, Reason>, ThreadStop> {
    let data = read(m, th, p, 64)?;
    let size = read(m, th, Val { bits: p.bits.wrapping_add(SIZE), ..p }, 64)?;
    let Some(size) = size.known() else { return Ok(Err(size.poison)) };
    let mut out = vec![];
    for i in 0..size {
        let c = read(m, th, Val { bits: data.bits.wrapping_add(i), ..data }, 8)?;
        match c.known() {
            Some(c) => out.push(c as u8),
            None => return Ok(Err(c.poison)),
        }
    }
    Ok(Ok(out))
}

fn put_string(
    m: &mut Machine<'_>,
    th: &mut Thread,
    call: &CallInfo,
    args: &[Val],
    text: Option<Vec<u8>>,
) -> ModelResult {
    if let Some(text) = text {
        assign(m, th, call, arg(args, 1), &text)?;
    }
    Ok(Ret::Val(arg(args, 0)))
}

/// `std::operator>>(std::istream&, std::string&)`.
pub(super) fn word(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    match extract(m, th, call, args, Stream::word)? {
        Ok(text) => put_string(m, th, call, args, text),
        Err(unknown) => Ok(unknown),
    }
}

/// `std::getline`, with or without the character that ends a line.
pub(super) fn line(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    let end = if args.len() > 2 { arg(args, 2).known() } else { Some(u64::from(b'\n')) };
    let Some(end) = end else { return stream_member(m, th, call, args) };
    match extract(m, th, call, args, |s| s.line(end as u8))? {
        Ok(text) => put_string(m, th, call, args, text),
        Err(unknown) => Ok(unknown),
    }
}

fn put_character(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val], c: Option<u8>) -> ModelResult {
    if let Some(c) = c {
        write(m, th, call, arg(args, 1), 8, Val::new(u64::from(c)))?;
    }
    Ok(Ret::Val(arg(args, 0)))
}

/// `std::operator>>(std::istream&, char&)`.
pub(super) fn character(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    match extract(m, th, call, args, |s| if s.begins_at_word() { s.one() } else { None })? {
        Ok(c) => put_character(m, th, call, args, c),
        Err(unknown) => Ok(unknown),
    }
}

/// `std::istream::get(char&)`.
pub(super) fn get_into(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    match extract(m, th, call, args, |s| if s.begins() { s.one() } else { None })? {
        Ok(c) => put_character(m, th, call, args, c),
        Err(unknown) => Ok(unknown),
    }
}

fn number(c: Option<u8>) -> Ret {
    Ret::Val(c.map_or(Val::i32(-1), |c| Val::new(u64::from(c))))
}

/// `std::istream::get()`.
pub(super) fn get(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    Ok(extract(m, th, call, args, |s| if s.begins() { s.one() } else { None })?.map_or_else(|unknown| unknown, number))
}

/// `std::istream::peek()`: the end is no failure.
pub(super) fn peek(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    let look = |s: &mut Stream| {
        if !s.begins() {
            return None;
        }
        let c = s.bytes.get(s.at).copied();
        s.ended |= c.is_none();
        c
    };
    Ok(extract(m, th, call, args, look)?.map_or_else(|unknown| unknown, number))
}

/// `std::istream::ignore`: up to a number of characters, and to a character.
pub(super) fn ignore(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    let given = |i: usize, otherwise: u64| if args.len() > i { arg(args, i).known() } else { Some(otherwise) };
    let (Some(most), Some(end)) = (given(1, 1), given(2, u64::from(u32::MAX))) else {
        return stream_member(m, th, call, args);
    };
    let (most, end) = (signed(most, 64), signed(end, 32));
    let skip = |s: &mut Stream| {
        if !s.begins() {
            return;
        }
        // The largest number is no limit (C++17, 30.7.4.3).
        let mut left = if most == i64::MAX { usize::MAX } else { usize::try_from(most).unwrap_or(0) };
        while left > 0 {
            let Some(c) = s.bytes.get(s.at) else {
                s.ended = true;
                break;
            };
            s.at += 1;
            left -= 1;
            if i64::from(*c) == end {
                break;
            }
        }
    };
    Ok(match extract(m, th, call, args, skip)? {
        Ok(()) => Ret::Val(arg(args, 0)),
        Err(unknown) => unknown,
    })
}

/// `std::istream::tellg`: a position and a state of a conversion, 64 bits each.
pub(super) fn position(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    let at = extract(m, th, call, args, |s| {
        s.begins();
        if s.failed { u64::MAX } else { s.at as u64 }
    })?;
    Ok(match at {
        Ok(at) => Ret::Many(vec![Val::new(at), Val::ZERO]),
        Err(_) => {
            let why = m.reason(Cause::Call, "the position of a stream");
            Ret::Many(vec![Val::poison(why); 2])
        }
    })
}

/// `std::istream::seekg`: to a position, or a distance from the beginning, the present position or the end.
pub(super) fn seek(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    let name = call.target.map_or("", |f| m.program.func(f).name.as_str());
    let from = if name.contains("_Ios_Seekdir") { arg(args, 2).known() } else { Some(0) };
    let (Some(distance), Some(from)) = (arg(args, 1).known(), from) else {
        return stream_member(m, th, call, args);
    };
    let go = |s: &mut Stream| {
        s.ended = false;
        if s.failed {
            return;
        }
        let from = match from {
            0 => 0,
            1 => s.at,
            _ => s.bytes.len(),
        };
        match usize::try_from((from as i64).saturating_add(signed(distance, 64))) {
            Ok(at) if at <= s.bytes.len() => s.at = at,
            // The position of a file may lie beyond its end.
            Ok(_) if !s.is_text => s.unknown = Reason::OPEN,
            _ => s.failed = true,
        }
    };
    Ok(match extract(m, th, call, args, go)? {
        Ok(()) => Ret::Val(arg(args, 0)),
        Err(unknown) => unknown,
    })
}

/// Opens a `std::istringstream` on a string.
pub(super) fn from_string(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    match characters(m, th, arg(args, 1))? {
        Ok(text) => m.open_text(arg(args, 0), text, Reason::NONE)?,
        Err(why) => m.open_text(arg(args, 0), vec![], why)?,
    }
    Ok(Ret::Void)
}

/// Opens a `std::istringstream` on nothing.
pub(super) fn from_nothing(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    m.open_text(arg(args, 0), vec![], Reason::NONE)?;
    Ok(Ret::Void)
}

/// Destroys a stream.
pub(super) fn end(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    if let Some(at) = arg(args, 0).known() {
        m.libc.files.ifstreams.remove(&at);
    }
    Ok(Ret::Void)
}

pub(super) fn ifstream_open(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    let at_end = arg(args, 2).known().is_some_and(|mode| mode & AT_END != 0);
    super::stdio::open_ifstream(m, th, (arg(args, 0), arg(args, 1)), at_end)?;
    m.libc.last_stream = m.libc.files.of_ifstream(arg(args, 0)).map(|f| f.bits);
    Ok(Ret::Void)
}

/// Opens a file by a `std::string`, whose first member points to the characters.
pub(super) fn ifstream_open_string(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    let text = read(m, th, arg(args, 1), 64)?;
    ifstream_open(m, th, call, &[arg(args, 0), text, arg(args, 2)])
}

/// State of a stream's file: one that the program opened is assumed to be open.
pub(super) fn ifstream_is_open(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    Ok(Ret::Val(if m.libc.files.of_ifstream(arg(args, 0)).is_some() {
        Val::new(1)
    } else {
        m.unknown("the state of a stream")
    }))
}

pub(super) fn istream_read(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    let Some(file) = m.libc.files.of_ifstream(arg(args, 0)) else { return stream_member(m, th, call, args) };
    let begins = m.libc.files.get(file).is_none_or(|s| s.unknown.is_some() || s.begins());
    if begins {
        let whole = super::stdio::read_ifstream(m, th, call, (file, arg(args, 1), arg(args, 2)))?;
        if let Some(s) = m.libc.files.get(file) {
            s.failed |= whole == Some(false);
            s.ended |= s.failed;
        }
    }
    m.libc.last_stream = file.known();
    Ok(Ret::Val(arg(args, 0)))
}

/// Returns the file of the only stream inside the object that an address names.
fn file_with(m: &mut Machine<'_>, part: Val) -> Option<Val> {
    let object = split(part.bits).0;
    let mut inside = m.libc.files.ifstreams.iter().filter(|(at, _)| split(**at).0 == object);
    match (inside.next(), inside.next()) {
        (Some((_, file)), None) => Some(Val::new(*file)),
        (None, _) => {
            let of_input = m.globals.iter().find(|(g, _)| m.program.global(**g).name == "_ZSt3cin");
            let is_input = of_input.is_some_and(|(_, at)| split(*at).0 == object);
            m.libc.files.stdin.filter(|_| is_input).map(Val::new)
        }
        _ => None,
    }
}

/// Makes a stream unknown that the program writes to.
pub(super) fn written(m: &mut Machine<'_>, part: Val) {
    let why = m.reason(Cause::Other, "a stream that the program writes");
    if let Some(file) = file_with(m, part)
        && m.libc.files.get(file).is_some_and(|s| s.is_text)
    {
        m.libc.files.lose(file, why);
    }
}

/// Returns whether a stream is good and whether it has ended: of the stream that the address names, or else of the only
/// stream that was used.
fn state_of(m: &mut Machine<'_>, part: Val) -> Option<(bool, bool)> {
    if let Some(file) = file_with(m, part) {
        return flags(m, file).map(|(failed, ended)| (!failed, ended));
    }
    let files = &m.libc.files;
    let mut used = files.ifstreams.values().chain(&files.stdin).copied();
    let only = used.next().filter(|_| used.next().is_none()).filter(|f| m.libc.last_stream == Some(*f))?;
    flags(m, Val::new(only)).map(|(failed, ended)| (!failed, ended))
}

/// Queries or sets the state of a stream.
pub(super) fn stream_state(m: &mut Machine<'_>, _: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    let name = call.target.map_or("", |f| m.program.func(f).name.as_str());
    let asks = ["cvb", "nt", "4good", "4fail", "3bad", "3eof", "7rdstate"]
        .iter()
        .find_map(|s| name.contains(&format!("E{s}Ev")).then_some(*s));
    if name.ends_with("E5clearESt12_Ios_Iostate")
        && arg(args, 1).known() == Some(0)
        && let Some(file) = file_with(m, arg(args, 0))
        && let Some(s) = m.libc.files.get(file)
    {
        (s.failed, s.ended) = (false, false);
        return Ok(Ret::Void);
    }
    if ["5clear", "8setstate", "10exceptions", "4init"].iter().any(|set| name.contains(set)) {
        let why = m.reason(Cause::Other, "the state of a stream that the program sets");
        match file_with(m, arg(args, 0)) {
            Some(file) => m.libc.files.lose(file, why),
            None if name.contains("5clear") => m.libc.files.state_is_set(why),
            // The stream is a new one.
            None if name.contains("4init") => {}
            None => m.libc.files.havoc(why),
        }
    }
    if let Some(what) = asks {
        if let Some((good, ended)) = state_of(m, arg(args, 0)) {
            let v = match what {
                "cvb" => u64::from(good),
                "4good" => u64::from(good && !ended),
                "3eof" => u64::from(ended),
                "3bad" => 0,
                "7rdstate" => (if good { 0 } else { 4 }) + if ended { 2 } else { 0 },
                _ => u64::from(!good),
            };
            return Ok(Ret::Val(Val::new(v)));
        }
        return Ok(Ret::Val(m.unknown("the state of a stream")));
    }
    Ok(Ret::Val(arg(args, 0)))
}

/// Reads a number from the standard input or a file.
fn cin(
    m: &mut Machine<'_>,
    th: &mut Thread,
    call: &CallInfo,
    args: &[Val],
    (bits, signed, float): (u32, bool, bool),
) -> ModelResult {
    let Some(f) = file_of(m, arg(args, 0))? else { return stream_member(m, th, call, args) };
    let v = m.libc.files.number(f, (bits, signed, float)).unwrap_or_else(|why| Some(Val::poison(why)));
    m.libc.last_stream = f.known();
    if let Some(v) = v {
        write(m, th, call, arg(args, 1), bits, v)?;
    }
    Ok(Ret::Val(arg(args, 0)))
}

pub(super) fn cin_int(m: &mut Machine<'_>, th: &mut Thread, c: &CallInfo, a: &[Val]) -> ModelResult {
    cin(m, th, c, a, (32, true, false))
}
pub(super) fn cin_unsigned(m: &mut Machine<'_>, th: &mut Thread, c: &CallInfo, a: &[Val]) -> ModelResult {
    cin(m, th, c, a, (32, false, false))
}
pub(super) fn cin_long(m: &mut Machine<'_>, th: &mut Thread, c: &CallInfo, a: &[Val]) -> ModelResult {
    cin(m, th, c, a, (64, true, false))
}
pub(super) fn cin_unsigned_long(m: &mut Machine<'_>, th: &mut Thread, c: &CallInfo, a: &[Val]) -> ModelResult {
    cin(m, th, c, a, (64, false, false))
}
pub(super) fn cin_f32(m: &mut Machine<'_>, th: &mut Thread, c: &CallInfo, a: &[Val]) -> ModelResult {
    cin(m, th, c, a, (32, true, true))
}
pub(super) fn cin_f64(m: &mut Machine<'_>, th: &mut Thread, c: &CallInfo, a: &[Val]) -> ModelResult {
    cin(m, th, c, a, (64, true, true))
}
