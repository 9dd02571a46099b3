//! Functions of the C++ library that are compiled into libstdc++, and streams, whose effects do not matter.
//!
//! Containers and algorithms are templates: the program contains their bodies, which run unmodelled.

use super::arguments::{arg, text};
use super::exceptions::{new, new_aligned};
use super::heap::{aligned_new, free, malloc};
use super::istreams::{
    self, cin_f32, cin_f64, cin_int, cin_long, cin_unsigned, cin_unsigned_long, ifstream_is_open, ifstream_open,
    ifstream_open_string, istream_read, stream_state,
};
use super::model::{self, ModelClass, ModelEntry, ModelTable, by_name, by_start};
use super::simple::{first, nothing, outside, zero};
use crate::api::Cause;
use crate::machine::call::ModelResult;
use crate::machine::call::Ret;
use crate::machine::form::CallInfo;
use crate::machine::state::Machine;
use crate::machine::thread::Thread;
use crate::machine::value::Val;
use models::row::NameKey;

/// C++ library and runtime functions by mangled name.
pub(super) const CXX: ModelTable = &[
    (&["_ZnwmRKSt9nothrow_t", "_ZnamRKSt9nothrow_t", "__cxa_allocate_exception"], malloc, ModelClass::Memory),
    (&["_Znwm", "_Znam"], new, ModelClass::Memory),
    (&["_ZnwmSt11align_val_t", "_ZnamSt11align_val_t"], new_aligned, ModelClass::Memory),
    (&["_ZnwmSt11align_val_tRKSt9nothrow_t"], aligned_new, ModelClass::Memory),
    (
        &[
            "_ZdlPv",
            "_ZdaPv",
            "_ZdlPvm",
            "_ZdaPvm",
            "_ZdlPvSt11align_val_t",
            "_ZdaPvSt11align_val_t",
            "_ZdlPvmSt11align_val_t",
            "_ZdaPvmSt11align_val_t",
            "_ZdlPvRKSt9nothrow_t",
        ],
        free,
        ModelClass::Memory,
    ),
    (&["__cxa_free_exception"], nothing, ModelClass::Pure),
    (&["_ZNSt6chrono3_V212system_clock3nowEv", "_ZNSt6chrono3_V212steady_clock3nowEv"], outside, ModelClass::Pure),
    // `tellp` returns a position, not the stream.
    (&["_ZNSo5tellpEv"], outside, ModelClass::Pure),
    (&["_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc"], print_text, ModelClass::Pure),
    (&["_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c"], print_char, ModelClass::Pure),
    (
        &[
            "_ZNSolsEi",
            "_ZNSolsEj",
            "_ZNSolsEl",
            "_ZNSolsEm",
            "_ZNSolsEb",
            "_ZNSolsEd",
            "_ZNSolsEf",
            "_ZNSolsEs",
            "_ZNSolsEt",
        ],
        print_number,
        ModelClass::Pure,
    ),
    (&["_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_"], print_newline, ModelClass::Pure),
    (&[WORD], istreams::word, ModelClass::Input),
    (&[LINE, LINE_UP_TO], istreams::line, ModelClass::Input),
    (&["_ZStrsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_RS3_"], istreams::character, ModelClass::Input),
    (&["_ZNSi3getERc"], istreams::get_into, ModelClass::Input),
    (&["_ZNSi3getEv"], istreams::get, ModelClass::Input),
    (&["_ZNSi4peekEv"], istreams::peek, ModelClass::Input),
    (&["_ZNSi6ignoreEli", "_ZNSi6ignoreEl", "_ZNSi6ignoreEv"], istreams::ignore, ModelClass::Input),
    (&["_ZNSi5tellgEv"], istreams::position, ModelClass::Input),
    (&["_ZNSi5seekgElSt12_Ios_Seekdir", "_ZNSi5seekgESt4fposI11__mbstate_tE"], istreams::seek, ModelClass::Input),
    (&["_ZNSirsERi"], cin_int, ModelClass::Input),
    (&["_ZNSirsERj"], cin_unsigned, ModelClass::Input),
    (&["_ZNSirsERl", "_ZNSirsERx"], cin_long, ModelClass::Input),
    (&["_ZNSirsERm", "_ZNSirsERy"], cin_unsigned_long, ModelClass::Input),
    (&["_ZNSirsERf"], cin_f32, ModelClass::Input),
    (&["_ZNSirsERd"], cin_f64, ModelClass::Input),
    (&["_ZNSi4readEPcl"], istream_read, ModelClass::Input),
    (&["_ZNSi10_M_extractIlEERSiRT_", "_ZNSi10_M_extractIxEERSiRT_"], cin_long, ModelClass::Input),
    (&["_ZNSi10_M_extractImEERSiRT_", "_ZNSi10_M_extractIyEERSiRT_"], cin_unsigned_long, ModelClass::Input),
    (&["_ZNSi10_M_extractIjEERSiRT_"], cin_unsigned, ModelClass::Input),
    (&["_ZNSi10_M_extractIfEERSiRT_"], cin_f32, ModelClass::Input),
    (&["_ZNSi10_M_extractIdEERSiRT_"], cin_f64, ModelClass::Input),
];

/// `std::string` of the library, and its readers from streams.
const WORD: &str = "_ZStrsIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE";
const LINE: &str =
    "_ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE";
const LINE_UP_TO: &str =
    "_ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EES4_";

/// Model of a function by mangled symbol.
pub fn find(name: &str, _display: &str) -> Option<ModelEntry> {
    if let Some(e) = super::exceptions::find(name).or_else(|| super::no_return::find(name)) {
        return Some(e);
    }
    by_name(CXX, name)
        .or_else(|| super::host_threads::find(name))
        .or_else(|| ifstream(name))
        .or_else(|| istringstream(name))
        .or_else(|| by_start(STREAMS, name))
}

const IFSTREAM: &str = "_ZNSt14basic_ifstreamIcSt11char_traitsIcEE";
const IFSTREAM_CONST: &str = "_ZNKSt14basic_ifstreamIcSt11char_traitsIcEE";

/// Modelled members of `std::ifstream`, by prefix of the name after the class.
const OF_IFSTREAM: ModelTable = &[
    (&["7is_openEv"], ifstream_is_open, ModelClass::Pure),
    (&["5closeEv"], nothing, ModelClass::Pure),
    (&["D1Ev", "D2Ev"], istreams::end, ModelClass::Pure),
    (
        &["C1ERKNSt7__cxx1112basic_string", "C2ERKNSt7__cxx1112basic_string", "4openERKNSt7__cxx1112basic_string"],
        ifstream_open_string,
        ModelClass::Input,
    ),
    (&["C1EPKc", "C2EPKc", "4openEPKc"], ifstream_open, ModelClass::Input),
];

const ISTRINGSTREAM: &str = "_ZNSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEE";

const STRINGSTREAM: &str = "_ZNSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEE";

/// Modelled members of `std::istringstream` and `std::stringstream`, by prefix of the name after the class.
const OF_ISTRINGSTREAM: ModelTable = &[
    (&["C1ERKNS_12basic_string", "C2ERKNS_12basic_string"], istreams::from_string, ModelClass::Input),
    (&["C1Ev", "C2Ev"], istreams::from_nothing, ModelClass::Input),
    (&["D1Ev", "D2Ev"], istreams::end, ModelClass::Pure),
];

fn istringstream(name: &str) -> Option<ModelEntry> {
    by_start(OF_ISTRINGSTREAM, name.strip_prefix(ISTRINGSTREAM).or_else(|| name.strip_prefix(STRINGSTREAM))?)
}

fn ifstream(name: &str) -> Option<ModelEntry> {
    by_start(OF_IFSTREAM, name.strip_prefix(IFSTREAM).or_else(|| name.strip_prefix(IFSTREAM_CONST))?)
}

/// Streams by prefix of the mangled name: output has no effect, and unmodelled input is unknown.
const STREAMS: ModelTable = &[
    // `std::operator<<`, members of `std::ostream`, manipulators.
    (
        &[
            "_ZStls",
            "_ZNSols",
            "_ZNSo",
            "_ZSt4endl",
            "_ZSt5flush",
            "_ZSt4ends",
            "_ZSt16__ostream_insert",
            "_ZNSt13basic_ostream",
            "_ZSt7__write",
            "_ZSt13__ostream_fill",
        ],
        inserts,
        ModelClass::Pure,
    ),
    (&["_ZNSt8ios_base4InitC", "_ZNSt8ios_base4InitD"], nothing, ModelClass::Pure),
    (
        &[
            "_ZSt12setprecision",
            "_ZSt4setw",
            "_ZSt7setfill",
            "_ZSt7setbase",
            "_ZSt11setiosflags",
            "_ZSt13resetiosflags",
        ],
        zero,
        ModelClass::Pure,
    ),
    (
        &[
            "_ZSt5fixed",
            "_ZSt10scientific",
            "_ZSt3hex",
            "_ZSt3dec",
            "_ZSt4left",
            "_ZSt5right",
            "_ZSt9boolalpha",
            "_ZSt11noboolalpha",
            "_ZSt7showpos",
            "_ZSt8internal",
            "_ZSt9showpoint",
        ],
        first,
        ModelClass::Pure,
    ),
    (
        &[
            "_ZNSt8ios_base",
            "_ZNKSt8ios_base",
            "_ZNSt9basic_ios",
            "_ZNKSt9basic_ios",
            "_ZNSt6locale",
            "_ZNKSt6locale",
            "_ZSt9use_facet",
            "_ZNKSt5ctype",
        ],
        stream_state,
        ModelClass::Pure,
    ),
    // Classes of file and string streams, `std::istream`'s members and extractors, `std::getline`.
    (
        &[
            "_ZNSt14basic_ofstream",
            "_ZNSt14basic_ifstream",
            "_ZNSt13basic_fstream",
            "_ZNSt13basic_filebuf",
            "_ZNKSt13basic_filebuf",
            "_ZNKSt14basic_ifstream",
            "_ZNKSt14basic_ofstream",
            "_ZNSt12__basic_file",
            "_ZNSt7__cxx1118basic_stringstream",
            "_ZNSt7__cxx1119basic_istringstream",
            "_ZNSt7__cxx1119basic_ostringstream",
            "_ZNSt7__cxx1115basic_stringbuf",
            "_ZNKSt7__cxx1118basic_stringstream",
            "_ZNKSt7__cxx1119basic_istringstream",
            "_ZNKSt7__cxx1119basic_ostringstream",
            "_ZNKSt7__cxx1115basic_stringbuf",
            "_ZNSt15basic_streambuf",
            "_ZNSi",
            "_ZNSrs",
            "_ZStrs",
            "_ZSt7getline",
            "_ZNSt13basic_istream",
            "_ZNSd",
            "_ZNSt14basic_iostream",
            "_ZSt2ws",
            "_ZNSt13random_device",
            "_ZNSt6thread20hardware_concurrencyEv",
        ],
        stream_member,
        ModelClass::Input,
    ),
];

/// Names of the functions that have a model here.
pub fn keys() -> impl Iterator<Item = NameKey> {
    model::keys(CXX, "", NameKey::whole)
        .chain(model::keys(super::exceptions::EXCEPTIONS, "", NameKey::whole))
        .chain(model::keys(OF_IFSTREAM, IFSTREAM, NameKey::start))
        .chain(model::keys(OF_ISTRINGSTREAM, ISTRINGSTREAM, NameKey::start))
        .chain(model::keys(OF_ISTRINGSTREAM, STRINGSTREAM, NameKey::start))
        .chain(model::keys(STREAMS, "", NameKey::start))
}

/// Models other output: what a stream holds that the program also reads is unknown from then on.
fn inserts(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    istreams::written(m, arg(args, 0));
    Ok(Ret::Val(arg(args, 0)))
}

fn print_text(m: &mut Machine<'_>, th: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    istreams::written(m, arg(args, 0));
    let s = text(m, th, arg(args, 1)).unwrap_or_else(|_| b"?".to_vec());
    m.print(&s);
    Ok(Ret::Val(arg(args, 0)))
}

fn print_char(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    istreams::written(m, arg(args, 0));
    m.print(&[arg(args, 1).known().map_or(b'?', |c| c as u8)]);
    Ok(Ret::Val(arg(args, 0)))
}

/// Prints numbers as Rust spells them; streams spell integers the same way.
fn print_number(m: &mut Machine<'_>, _: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    istreams::written(m, arg(args, 0));
    let (v, info) = (arg(args, 1), call.args.get(1));
    let name = call.target.map_or("", |f| m.program.func(f).name.as_str());
    let w = info.map_or(64, |i| u32::from(i.bits));
    let s = match v.known() {
        None => "?".to_owned(),
        Some(b) if name.ends_with(['d', 'f']) => crate::machine::value::float(b, w).to_string(),
        Some(b) if name.ends_with(['i', 'l', 's']) => crate::machine::value::signed(b, w).to_string(),
        Some(b) => b.to_string(),
    };
    m.print(s.as_bytes());
    Ok(Ret::Val(arg(args, 0)))
}

fn print_newline(m: &mut Machine<'_>, _: &mut Thread, _: &CallInfo, args: &[Val]) -> ModelResult {
    istreams::written(m, arg(args, 0));
    m.print(b"\n");
    Ok(Ret::Val(arg(args, 0)))
}

/// Models other stream members: what they may write becomes unknown, and they return the stream.
pub(super) fn stream_member(m: &mut Machine<'_>, th: &mut Thread, call: &CallInfo, args: &[Val]) -> ModelResult {
    let display = call.target.map_or(String::new(), |f| m.program.func(f).display.clone());
    let why = m.reason(Cause::Call, &format!("`{}`", display.split('(').next().unwrap_or_default()));
    // The stream's position has advanced.
    for a in args {
        if let Some(f) = m.libc.files.of_ifstream(*a) {
            m.libc.files.lose(f, why);
        }
        if is_cin(m, *a) {
            let f = Val::new(m.stdin()?);
            m.libc.files.lose(f, why);
        }
    }
    for a in args.iter().filter(|a| !a.is_poison()) {
        m.havoc(th, *a, why);
    }
    // Extractors and inserters return their stream; other members (`str()`, `is_open()`) return an unknown value.
    let chained = display.contains("operator>>") || display.contains("operator<<") || display.contains("getline");
    Ok(Ret::Val(if chained { arg(args, 0) } else { Val::poison(why) }))
}

/// Whether a stream argument is `std::cin`.
pub(super) fn is_cin(m: &Machine<'_>, p: Val) -> bool {
    p.known().is_some_and(|a| m.globals.iter().any(|(g, at)| *at == a && m.program.global(*g).name == "_ZSt3cin"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_told_apart() {
        assert!(find("_Znam", "").is_some());
        assert!(find("_ZSt20__throw_length_errorPKc", "").is_some_and(|e| e.1 == ModelClass::Ends));
        assert!(
            find("_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc", "")
                .is_some_and(|e| e.1 == ModelClass::Pure)
        );
        assert!(find("_ZNSt6vectorIfSaIfEE9push_backEOf", "").is_none(), "templates are run as they are");
        assert!(find("_ZSt4sortIPiEvT_S1_", "").is_none());
    }
}
