//! Each function's concrete model against the function.

use super::program::Program;
use super::unit::Unit;
use super::{Rng, TEXTS};
use scuba::ir::Side;
use scuba::witness::{ConcreteInputs, RunBudget, enumerate};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const HEAD: &str = "#include <cctype>\n#include <cinttypes>\n#include <cstdarg>\n#include <getopt.h>\n#include <malloc.h>\n#include <unistd.h>\n#include <cerrno>\n#include <climits>\n#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n#include <iostream>\n#include <list>\n#include <map>\n#include <set>\n#include <unordered_map>\n#include <sstream>\n#include <stdexcept>\n#include <string>\n#include <strings.h>\n";

/// A text as C writes it.
fn quoted(s: &str) -> String {
    format!(
        "\"{}\"",
        s.bytes()
            .map(|b| if b.is_ascii_alphanumeric() { char::from(b).to_string() } else { format!("\\{b:03o}") })
            .collect::<String>()
    )
}

/// A text of the pool, or one near it.
fn text(r: &mut Rng) -> String {
    let mut s: Vec<u8> = r.of(TEXTS).bytes().collect();
    for _ in 0..r.below(3) {
        let at = r.below(s.len() + 1);
        let letter = *r.of(&[
            &b'0', &b'1', &b'9', &b'a', &b'f', &b'x', &b'-', &b'+', &b' ', &b'.', &b'e', &b',', &b'A', &b'z', &b'\t',
        ]);
        match r.below(3) {
            0 => s.insert(at, letter),
            1 if at < s.len() => {
                s.remove(at);
            }
            _ if at < s.len() => s[at] = letter,
            _ => {}
        }
    }
    String::from_utf8(s).unwrap()
}

const CALLS: &[&str] = &[
    "printf(\"%ld\", (long)strlen(a));",
    "printf(\"%d %d\", sign(strcmp(a, b)), sign(strcmp(b, a)));",
    "printf(\"%d %d\", sign(strncmp(a, b, k)), sign(strncmp(b, a, k)));",
    "printf(\"%d\", sign(strcasecmp(a, b)));",
    "printf(\"%d\", sign(memcmp(a, b, k < strlen(a) && k < strlen(b) ? k : 1)));",
    "place(a, strchr(a, b[0])); place(a, strrchr(a, b[0])); place(a, strstr(a, b)); place(a, (char *)memchr(a, b[0], strlen(a)));",
    "char t[99]; memset(t, 'q', 99); strncpy(t, a, k); t[50] = 0; printf(\"%ld %d %d\", (long)strlen(t), t[k], t[k + 1]);",
    "char t[99]; strcpy(t, a); strcat(t, b); printf(\"[%s]\", t); char *d = strdup(t); d[0] = 'w'; printf(\"[%s][%s]\", t, d); free(d);",
    "char *d = strndup(a, k); printf(\"[%s]%ld\", d, (long)strlen(d)); free(d); char t[2] = {'q', 'r'}; d = strndup(t, k % 3); printf(\"[%s]\", d); free(d);",
    "char t[99]; strcpy(t, a); for (char *p = strtok(t, \",e\"); p; p = strtok(nullptr, k % 2 ? \",\" : \" x\")) printf(\"[%s]%d\", p, (int)(p - t));",
    "printf(\"%ld %ld %ld %ld\", (long)strspn(a, b), (long)strcspn(a, b), (long)strspn(a, \"0123456789\"), (long)strcspn(a, k % 2 ? \",\" : \"\"));",
    "printf(\"%d %ld %lld\", atoi(a), atol(a), atoll(a));",
    "char *e = a; errno = 0; long v = strtol(a, &e, base); printf(\"%ld %d %d\", v, (int)(e - a), errno == ERANGE);",
    "char *e = a; errno = 0; unsigned long v = strtoul(a, &e, base); printf(\"%lu %d %d\", v, (int)(e - a), errno == ERANGE);",
    "char *e = a; long v = strtoll(a, &e, 0); printf(\"%ld %d\", v, (int)(e - a)); v = (long)strtoull(a, nullptr, 0); printf(\" %ld\", v);",
    "char *e; double v = strtod(a, &e); if (v == v) bits(v); printf(\" %d \", (int)(e - a)); v = atof(a); if (v == v) bits(v); float f = strtof(a, &e); if (f == f) bits(f); printf(\" %d\", (int)(e - a));",
    "for (int i = 0; a[i]; i++) printf(\"%d%d%d%d \", !!isdigit(a[i]), !!isspace(a[i]), !!isalpha(a[i]), !!isalnum(a[i])); for (int i = 0; a[i]; i++) printf(\"%d %d,\", toupper(a[i]), tolower(a[i]));",
    "int c = (int)k * 37 - 128; printf(\"%d %d %d\", c, toupper(c), tolower(c)); if (c != -1) printf(\" %d\", !!isalpha(c));",
    "int v = -77, w = -78; int n = sscanf(a, FORMAT_D, &v, &w); printf(\"%d %d %d\", n, v, w);",
    "unsigned v = 77, w = 78; int n = sscanf(a, FORMAT_U, &v, &w); printf(\"%d %u %u\", n, v, w);",
    "long v = -77; short h = 5; int n = sscanf(a, k % 2 ? \"%ld %hd\" : \"%li,%hd\", &v, &h); printf(\"%d %ld %d\", n, v, h);",
    "char t[99] = \"old\", u[99] = \"new\"; int p = -1; int n = sscanf(a, FORMAT_S, t, u, &p); printf(\"%d [%s][%s] %d\", n, t, u, p);",
    "float f = -7; double d = -8; int n = sscanf(a, k % 2 ? \"%f %lf\" : \"%f,%lf\", &f, &d); printf(\"%d \", n); bits(f); bits(d);",
    "char c[4] = \"xyz\"; int n = sscanf(a, k % 2 ? \"%c%c\" : \"%2c\", c, c + 1); printf(\"%d %d %d %d\", n, c[0], c[1], c[2]);",
    "char t[99]; int n = snprintf(t, k + 1, FORMAT_P, (int)v0, a); printf(\"%d [%s]\", n, t);",
    "char t[99]; int n = sprintf(t, k % 2 ? \"%5ld|%-8s|%x\" : \"%+ld|%3s|%o\", v0, a, (unsigned)v0); printf(\"%d [%s]\", n, t); n = snprintf(t, 20, \"%.*s%c|%.2f\", (int)k, a, 'c', (double)v0 / 8); printf(\"%d [%s]\", n, t);",
    "errno = 0; char *e = a; long v = strtol(a, &e, base); size_t at = 99; if ((base == 0 || base == 10 || base == 16) && e != a && !errno && v >= INT_MIN && v <= INT_MAX) { int i = std::stoi(a, &at, base); printf(\"%d %d %ld %ld\", i, (int)at, std::stol(a, nullptr, base), std::stol(std::string(a), nullptr, base)); }",
    "std::string s(a), t(a, k < strlen(a) ? k : 0), u(a, a + strlen(a) / 2), w = s.substr(k < s.size() ? k : 0, 2); printf(\"[%s][%s][%s][%s] %d %d\", s.c_str(), t.c_str(), u.c_str(), w.c_str(), s == b, sign(s.compare(b)));",
    "std::string s = a, t; t = b; s += t; s.append(b, strlen(b) / 2); t = s; if (!t.empty()) t[0] = 'Q'; printf(\"[%s][%s] %d\", s.c_str(), t.c_str(), (int)t.size()); s = std::to_string(v0); printf(\"[%s]\", s.c_str());",
    "char t[99]; memset(t, 'q', 99); strcpy(t, a); memmove(t + k % 4, t, strlen(a) + 1); printf(\"[%s]\", t + k % 4); memmove(t, t + k % 5, 40); printf(\"[%.9s]\", t); bzero(t + k, 3); printf(\"[%s]%d\", t, t[k + 3]);",
    "size_t n = strlen(a) < strlen(b) ? strlen(a) : strlen(b); printf(\"%d %d \", !!bcmp(a, b, n), !!bcmp(a, a, n)); place(a, index(a, b[0])); place(a, rindex(a, b[0]));",
    "srand((unsigned)v0); int x = rand(), y = rand(); srandom((unsigned)k); long z = random(); printf(\"%d %d %ld\", x, y, z); unsigned s = (unsigned)v0; x = rand_r(&s); printf(\" %d %u\", x, s);",
    "srand48(v0); bits(drand48()); long x = lrand48(), y = mrand48(); printf(\"%ld %ld\", x, y); bits(drand48());",
    "char *d = (char *)malloc(k + 1); memset(d, 'm', k); d[k] = 0; d = (char *)realloc(d, 40); printf(\"[%s]\", d); memset(d + k, 'n', 9); d[k + 9] = 0; printf(\"[%s]\", d); free(d); int *c = (int *)calloc(k + 1, 4); printf(\"%d\", c[k]); free(c);",
    "void *p = nullptr; int e = posix_memalign(&p, 64, k + 1); printf(\"%d %d \", e, (int)((unsigned long)p % 64)); free(p); p = aligned_alloc(32, 64); printf(\"%d \", (int)((unsigned long)p % 32)); free(p); p = memalign(128, k + 1); printf(\"%d\", (int)((unsigned long)p % 128)); free(p);",
    "char *e = a; errno = 0; long v = strtoimax(a, &e, base); printf(\"%ld %d %d\", v, (int)(e - a), errno == ERANGE); errno = 0; unsigned long u = strtoumax(a, &e, base); printf(\" %lu %d %d\", u, (int)(e - a), errno == ERANGE);",
    "char t[99]; int n = say(t, k + 1, \"%d|%s\", (int)v0, a); printf(\"%d [%s]\", n, t); n = say_all(t, \"%5s|%x\", b, (unsigned)v0); printf(\"%d [%s]\", n, t);",
    "printf(\"%d %ld %lld \", abs((int)v0 | 1), labs(v0), llabs((long long)v0)); char t[99]; strcpy(t, b); stpcpy(t, a); printf(\"[%s]\", t); printf(\"%ld\", (long)strnlen(a, k));",
    "opterr = 0; optind = 0; char p[] = \"p\", o[] = \"-n\", x[] = \"-xq\"; char *v[] = {p, o, a, k % 2 ? x : b, nullptr}; int c; while ((c = getopt(4, v, \"n:xq\")) != -1) printf(\"%c[%s]%d \", c, c == 'n' && optarg ? optarg : \"-\", optind); printf(\"%d\", optind);",
    "opterr = 0; optind = 0; char p[] = \"p\", o[] = \"--size=7\", x[] = \"--quiet\"; char *v[] = {p, k % 2 ? o : x, a, k % 3 ? x : b, nullptr}; option all[] = {{\"size\", required_argument, nullptr, 's'}, {\"quiet\", no_argument, nullptr, 'q'}, {nullptr, 0, nullptr, 0}}; int c, i = -1; while ((c = getopt_long(4, v, \"s:q\", all, &i)) != -1) printf(\"%c[%s]%d \", c, c == 's' && optarg ? optarg : \"-\", optind); printf(\"%d\", optind);",
    "opterr = 0; optind = 0; char p[] = \"p\", o[] = \"-size=7\", x[] = \"-qs\"; char *v[] = {p, k % 2 ? o : x, a, k % 3 ? x : b, nullptr}; int flag = 0; option all[] = {{\"size\", optional_argument, nullptr, 's'}, {\"sing\", no_argument, &flag, 7}, {\"quiet\", no_argument, nullptr, 'Q'}, {nullptr, 0, nullptr, 0}}; int c, i = -1; while ((c = getopt_long_only(4, v, k % 2 ? \"s:q\" : \"-:s:q\", all, &i)) != -1) printf(\"%d[%s]%d %d %d,\", c, (c == 's' || c == 1) && optarg ? optarg : \"-\", optind, flag, i); printf(\"%d\", optind); for (char *w : v) printf(\"[%s]\", w ? w : \"\");",
    "int v[9], n = 0; for (; n < 9 && a[n]; n++) v[n] = a[n] * 100 + n; qsort(v, n, sizeof(int), [](const void *x, const void *y) { return *(const int *)x / 100 - *(const int *)y / 100; }); for (int i = 0; i < n; i++) printf(\"%d \", v[i]); char t[99]; strcpy(t, b); qsort(t, strlen(t), 1, [](const void *x, const void *y) { return *(const char *)y - *(const char *)x; }); printf(\"[%s]\", t);",
    "std::string s = a, t(k, 'x'); s.insert(k < s.size() ? k : 0, b); printf(\"[%s]\", s.c_str()); s.insert(0, s.c_str() + s.size() / 2); s.erase(0, s.size() / 3); s.erase(s.size() / 2, 1); printf(\"[%s]\", s.c_str()); s.resize(k + 20, 'r'); s.insert(1, 3, 'i'); s.reserve(90); s.push_back('p'); s += s; printf(\"[%s]%d \", s.c_str(), (int)s.size()); t = std::string(s, 3, 40); t.swap(s); t = s; printf(\"[%s]%d\", t.c_str(), t.capacity() >= t.size());",
    "std::map<std::string, int> m; std::set<int> s; std::list<int> l; for (char *p = a; *p; p++) { m[std::string(1, *p) + b] += (int)(p - a) + 1; s.insert(*p % 7); if (p - a & 1) l.push_back(*p); else l.push_front(*p); } for (auto &e : m) printf(\"%s=%d \", e.first.c_str(), e.second); for (auto i = s.rbegin(); i != s.rend(); ++i) printf(\"%d \", *i); l.reverse(); l.remove(a[0]); for (int i : l) printf(\"%d \", i);",
    "struct G { ~G() { printf(\"~\"); } } g; try { G inner; try { if (k > 6) throw std::runtime_error(a); if (k > 4) throw std::range_error(a); if (k > 3) throw (int)k; if (k > 2) throw (const char *)b; printf(\"%d\", std::stoi(a, nullptr, base)); } catch (const std::out_of_range &) { printf(\"r\"); } catch (const std::range_error &e) { printf(\"R\"); throw; } catch (const char *t) { printf(\"[%s]\", t); throw t; } } catch (const std::logic_error &) { printf(\"l\"); } catch (int i) { printf(\"%d\", i); } catch (const std::exception &) { printf(\"e\"); } catch (...) { printf(\"o\"); }",
    "std::istringstream s(a); std::string w; int n = 0; while (s >> w) { printf(\"[%s]\", w.c_str()); n++; } printf(\"%d %d%d%d\", n, s.good(), s.fail(), s.eof());",
    "std::istringstream s(std::string(a) + \"\\n\" + b + (k % 2 ? \"\\n\" : \"\")); std::string l; while (std::getline(s, l)) printf(\"[%s]%d\", l.c_str(), s.eof()); printf(\"%d%d\", s.fail(), s.eof()); s.clear(); s.seekg(k % 3); printf(\" %ld\", (long)s.tellg()); std::getline(s, l, ','); printf(\"[%s]%d%d\", l.c_str(), s.fail(), s.eof()); printf(\"%ld\", (long)s.tellg());",
    "std::stringstream s(a); int i = 7; char c = 'c'; s >> i; printf(\"%d %d%d\", i, s.fail(), s.eof()); s.clear(); printf(\"%d \", s.peek()); s >> c; printf(\"%c%d%d \", c, s.fail(), s.eof()); s.ignore(2); printf(\"%d\", s.get()); s.ignore(99, ','); s.get(c); printf(\"%c%d%d\", c, s.fail(), s.eof());",
    "std::istringstream s(a), t; std::string w = b, v; t.str(w); for (int i = 0; i < 3; i++) { s >> w; t >> v; printf(\"[%s][%s]%d%d%d \", w.c_str(), v.c_str(), !s, !t, !!t); }",
    "std::unordered_map<int, int> m; for (int i = 0; i < 40; i++) m[(i * 37 + (int)v0) % 29] += i; int n = 0; for (auto &e : m) n += e.second * (e.first + 50); printf(\"%d %d %d\", (int)m.size(), n, (int)m.count((int)k));",
    "errno = 0; char *e = a; unsigned long v = strtoul(a, &e, base); if ((base == 0 || base == 10 || base == 16) && e != a && !errno) { unsigned long u = std::stoul(a, nullptr, base), w = std::stoull(std::string(a), nullptr, base); printf(\"%lu %lu %lu\", v, u, w); }",
];

/// Sentences of formats that `sscanf` and `snprintf` are given.
const D: &[&str] = &["%d", "%d %d", "%d,%d", "%i", "%i%i", "%2d%d", "%*d%d", "%d%%%d", "x%d", " %d ,%d", "%d%n"];
const U: &[&str] = &["%u %u", "%x", "%o", "%3x%u", "%u,%x"];
const S: &[&str] = &["%s %s%n", "%[0-9]%s%n", "%[^,],%s%n", "%3s%s%n", "%[a-zA-Z-]%[0-9]%n", "%*s %s%s", "%s%[ ]%n"];
const P: &[&str] = &[
    "%d %s",
    "%05d|%s",
    "%-6d|%.2s",
    "%.3d%s",
    "% d%5s",
    "%+5d%-3s|",
    "%x%s",
    "%5.4d%s",
    "%o|%s",
    "%u%%%s",
    "%hhd%s",
    "%#x%s",
];

fn case(r: &mut Rng, call: &str) -> String {
    let (a, b) = (text(r), text(r));
    let numbers: &[&i64] = &[&0, &1, &-1, &7, &42, &-305, &123_456_789, &2_147_483_647, &-2_147_483_648];
    let call = call
        .replace("FORMAT_D", &quoted(r.of(D)))
        .replace("FORMAT_U", &quoted(r.of(U)))
        .replace("FORMAT_S", &quoted(r.of(S)))
        .replace("FORMAT_P", &quoted(r.of(P)));
    let base = *r.of(&[&0, &0, &2, &8, &10, &10, &16, &36, &1, &37]);
    format!(
        "{{ char a[99] = {}, b[99] = {}; size_t k = {}; int base = {base}; long v0 = {}; (void)a, (void)b, (void)k, (void)base, (void)v0; {call} }}",
        quoted(&a),
        quoted(&b),
        r.below(9),
        r.of(numbers)
    )
}

/// Many calls, and what is told apart by their numbers.
fn program(seed: u64, calls: &[&str], each: usize) -> (String, Vec<String>) {
    let mut r = Rng::new(seed);
    let mut out = String::from(
        "static int @sign(int x) { return (x > 0) - (x < 0); }\nstatic void @place(char *a, char *p) { if (p) printf(\"%d \", (int)(p - a)); else printf(\"none \"); }\n\
        static void @bits(double v) { unsigned long u; memcpy(&u, &v, 8); printf(\"%lx \", u); }\n\
        static int @say(char *t, size_t n, const char *f, ...) { va_list l; va_start(l, f); int r = vsnprintf(t, n, f, l); va_end(l); return r; }\n\
        static int @say_all(char *t, const char *f, ...) { va_list l; va_start(l, f); int r = vsprintf(t, f, l); va_end(l); return r; }\nint @main(int argc, char **argv) {\n",
    );
    let mut cases = vec![];
    for call in calls {
        for _ in 0..each {
            let c = case(&mut r, call);
            let named = c
                .replace("sign(", "@sign(")
                .replace("place(", "@place(")
                .replace("bits(", "@bits(")
                .replace("say(", "@say(")
                .replace("say_all(", "@say_all(");
            let _ = writeln!(out, "  printf(\"\\n~{}: \");\n  {named}", cases.len());
            cases.push(c);
        }
    }
    out.push_str("  return 0;\n}\n");
    (out, cases)
}

/// A program as g++ compiles it, calling every function of the library.
pub(super) fn native(folder: &Path, source: &str) -> PathBuf {
    let (file, out) = (folder.join("native.cpp"), folder.join("native"));
    std::fs::write(&file, format!("{HEAD}{}", source.replace('@', ""))).unwrap();
    let made = Command::new("g++")
        .args(["-std=c++17", "-O0", "-fno-builtin", "-w", "-o"])
        .arg(&out)
        .arg(&file)
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    out
}

pub(super) fn run_native(program: &Path, argv: &[String], stdin: &str) -> String {
    let mut child = Command::new(program).args(argv).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
    let out = child.wait_with_output().unwrap();
    assert!(out.status.success(), "{argv:?}: {}", out.status);
    String::from_utf8_lossy(&out.stdout).into_owned()
}

pub(super) fn unit(source: String) -> Unit {
    Unit::new(&[Program::new(0, format!("{HEAD}{source}"))]).unwrap()
}

pub(super) fn run_model(unit: &mut Unit, argv: &[String], stdin: &str) -> (String, String) {
    unit.with(0, |linked| {
        let root = linked.find_func(Side::Host, "main").unwrap();
        let inputs =
            ConcreteInputs { argv: argv.to_vec(), stdin: stdin.as_bytes().to_vec(), ..ConcreteInputs::default() };
        let run = enumerate(linked, root, &inputs, &RunBudget::default());
        (run.output, run.why)
    })
}

/// What differs, by case: nothing where the model says a question mark.
pub(super) fn differences(native: &str, model: &str, describe: impl Fn(usize) -> String) -> (usize, Vec<String>) {
    let parts = |s: &str| s.split("\n~").map(str::to_owned).collect::<Vec<_>>();
    let (native, model) = (parts(native), parts(model));
    let mut wrong = vec![];
    let mut known = 0;
    for (i, real) in native.iter().enumerate() {
        match model.get(i) {
            Some(m) if m == real => known += 1,
            Some(m) if m.contains('?') => {}
            Some(m) => wrong.push(format!("the library prints `{real}`, the model `{m}`: {}", describe(i))),
            None => {
                wrong.push(format!("the model ends before `{real}`: {}", describe(i)));
                break;
            }
        }
    }
    (known, wrong)
}

fn compare(seed: u64, each: usize) {
    let folder = tempfile::tempdir().unwrap();
    let (source, cases) = program(seed, CALLS, each);
    let real = run_native(&native(folder.path(), &source), &[], "");
    let (model, why) = run_model(&mut unit(source), &[], "");
    let (known, wrong) = differences(&real, &model, |i| cases.get(i.wrapping_sub(1)).cloned().unwrap_or_default());
    assert!(wrong.is_empty(), "{} of {} cases ({why}):\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    assert!(known * 10 >= cases.len() * 8, "the models say too little: {known} of {}", cases.len());
}

/// Programs that call every function of these tests.
pub(super) fn sources() -> [String; 2] {
    [program(1, CALLS, 1).0, READER.to_owned()]
}

/// A unit has the bodies of the functions of the library that it calls, and of no others.
#[test]
fn units_have_the_bodies_of_functions_that_they_call() {
    let bodies = |main: &str| {
        unit(format!("int @main(int argc, char **argv) {{ {main} }}\n")).with(0, |linked| {
            let named = |f: &scuba::ir::Function| f.name.strip_prefix(scuba::ir::CONCRETE_MODEL).map(str::to_owned);
            linked.functions().filter_map(|(.., f)| named(f)).collect::<Vec<_>>()
        })
    };
    assert_eq!(bodies("return strtok(argv[1], \",\") != nullptr;"), ["strtok"]);
    assert_eq!(bodies("return argc;"), [""; 0]);
}

#[test]
fn functions_of_texts() {
    compare(1, 24);
}

#[test]
#[ignore = "minutes"]
fn many_functions_of_texts() {
    // A run keeps the first 64 KiB of a program's output: more cases of one program would be cut off.
    for seed in 2..29 {
        compare(seed, 40);
    }
}

/// What `argv[1]` says is read from the standard input, one letter each: numbers by `>>`, by `scanf`, letters, lines.
const READER: &str = "int @main(int argc, char **argv) {\n  if (argc < 2) return 0;\n  for (const char *p = argv[1]; *p; p++) {\n    int i = 91; unsigned u = 92; long l = 93; unsigned long m = 94; double d = 95; float f = 96; char t[20] = \"old\"; int n = 0;\n    switch (*p) {\n\
    case 'i': std::cin >> i; break;\n    case 'u': std::cin >> u; break;\n    case 'l': std::cin >> l; break;\n    case 'm': std::cin >> m; break;\n    case 'd': std::cin >> d; break;\n    case 'f': std::cin >> f; break;\n\
    case 'I': n = scanf(\"%d\", &i); break;\n    case 'U': n = scanf(\"%u\", &u); break;\n    case 'L': n = scanf(\"%ld\", &l); break;\n    case 'S': n = scanf(\"%9s\", t); break;\n    case 'C': n = scanf(\"%c\", t); break;\n    case 'W': n = scanf(\" \"); break;\n\
    case 'P': n = scanf(\"%d,%u\", &i, &u); break;\n    case 'G': n = fgets(t, 8, stdin) != nullptr; break;\n    case 'E': n = getchar(); break;\n    default: break;\n    }\n\
    printf(\"\\n~%c %d %d %u %ld %lu %.3f %.3f [%s]\", *p, n, i, u, l, m, d, (double)f, t);\n    if (*p >= 'a') printf(\" %d%d%d%d\", !!std::cin, std::cin.good(), std::cin.fail(), std::cin.eof()); else printf(\" %d\", feof(stdin));\n  }\n  return 0;\n}\n";

#[test]
fn readers_of_the_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    let real = native(folder.path(), READER);
    let mut unit = unit(READER.to_owned());
    let mut r = Rng::new(7);
    let (mut known, mut all, mut wrong) = (0, 0, vec![]);
    for round in 0..160 {
        // One library alone: what both have read of one stream is not followed.
        let letters = if round % 2 == 0 { "iulmdf" } else { "IULSCWPGE" };
        let what: String = (0..4).map(|_| char::from(letters.as_bytes()[r.below(letters.len())])).collect();
        let stdin: String = (0..1 + r.below(4)).map(|_| text(&mut r) + r.of(&[" ", "\n", "", " \n", ","])).collect();
        let (printed, (model, why)) = (
            run_native(&real, std::slice::from_ref(&what), &stdin),
            run_model(&mut unit, std::slice::from_ref(&what), &stdin),
        );
        let (k, w) = differences(&printed, &model, |_| format!("{what} from {stdin:?} ({why})"));
        known += k;
        all += what.len() + 1;
        // A branch on what is not known ends a run.
        wrong.extend(w.into_iter().filter(|w| !w.contains("depends on")));
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(known * 10 >= all * 6, "the models say too little: {known} of {all}");
}
