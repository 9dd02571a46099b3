//! The slowest queries to the solver, recorded once in `bench/queries.jsonl`: answers and work now and then.
//!
//! `make bench-solver` answers them all. `--base EXECUTABLE` runs another build of this benchmark beside it, query by
//! query in turns. `--select FILE…` chooses the queries among outputs of `scuba check --dump queries`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the table")]

use anyhow::{Context, bail, ensure};
use rustix::time::{ClockId, clock_gettime};
use scuba::check::solver::recorded::{RecordedAnswer, RecordedQuery};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const QUERIES: usize = 200;
/// Most queries of one program, and most bytes of a query: the others would be more of the same.
const OF_ONE_PROGRAM: usize = 30;
const BYTES: usize = 24_000;
/// Queries that are answered before the slowest are chosen, of all programs and of each: work in a check, where much is
/// known, differs from work alone.
const TRIED: (usize, usize) = (260, 38);

/// A line of `bench/queries.jsonl`.
#[derive(Serialize, Deserialize)]
struct BenchQuery {
    program: String,
    answer: RecordedAnswer,
    work: u64,
    query: RecordedQuery,
}

/// One query answered.
#[derive(Clone, Copy)]
struct BenchAnswer {
    answer: RecordedAnswer,
    work: u64,
    seconds: f64,
}

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("bench/queries.jsonl")
}

fn queries(path: &Path) -> anyhow::Result<Vec<BenchQuery>> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

/// Shows how many queries are answered, where somebody looks on.
fn progress(done: usize) {
    if std::io::stderr().is_terminal() {
        eprint!("\r{done} answered\r");
    }
}

/// Seconds of this process on all its CPUs.
fn cpu() -> f64 {
    let t = clock_gettime(ClockId::ProcessCPUTime);
    t.tv_sec as f64 + t.tv_nsec as f64 / 1e9
}

fn answered(query: &RecordedQuery) -> BenchAnswer {
    let start = cpu();
    let (answer, work) = query.answer();
    BenchAnswer { answer, work: work.get(), seconds: cpu() - start }
}

/// Chooses the queries among dumps, each named after its program, and answers them.
fn select(dumps: &[String]) -> anyhow::Result<()> {
    let mut all: HashMap<RecordedQuery, (String, u64)> = HashMap::new();
    for dump in dumps {
        let program = Path::new(dump).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read(dump).with_context(|| dump.clone())?;
        for line in String::from_utf8_lossy(&text).lines().filter_map(|l| l.strip_prefix("query ")) {
            let (work, query) = line.split_once(' ').context("`query WORK JSON`")?;
            let work = work.parse()?;
            if query.len() <= BYTES {
                let (_, most) = all.entry(serde_json::from_str(query)?).or_insert_with(|| (program.clone(), work));
                *most = work.max(*most);
            }
        }
    }
    let found = all.len();
    let mut all: Vec<(RecordedQuery, (String, u64))> = all.into_iter().collect();
    let text = |q: &RecordedQuery| serde_json::to_string(q).unwrap_or_default();
    all.sort_by_cached_key(|(q, (program, work))| (std::cmp::Reverse(*work), program.clone(), text(q)));
    let mut of_program: BTreeMap<String, usize> = BTreeMap::new();
    all.retain(|(_, (program, _))| {
        let n = of_program.entry(program.clone()).or_default();
        *n += 1;
        *n <= TRIED.1
    });
    all.truncate(TRIED.0);
    let mut chosen: Vec<BenchQuery> = vec![];
    for (query, (program, _)) in all {
        let BenchAnswer { answer, work, .. } = answered(&query);
        chosen.push(BenchQuery { program, answer, work, query });
        progress(chosen.len());
    }
    chosen.sort_by_cached_key(|q| (std::cmp::Reverse(q.work), q.program.clone(), text(&q.query)));
    of_program.clear();
    chosen.retain(|q| {
        let n = of_program.entry(q.program.clone()).or_default();
        *n += 1;
        *n <= OF_ONE_PROGRAM
    });
    chosen.truncate(QUERIES);
    let mut out = std::fs::File::create(file())?;
    for q in &chosen {
        writeln!(out, "{}", serde_json::to_string(q)?)?;
    }
    eprintln!("{} of {found} queries, of {} programs", chosen.len(), of_program.len());
    Ok(())
}

/// A build of this benchmark that answers the queries whose numbers it is given.
struct BenchServer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl BenchServer {
    fn start(executable: &Path) -> anyhow::Result<Self> {
        let mut child = Command::new(executable)
            .args(["--serve", &file().display().to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| executable.display().to_string())?;
        let input = child.stdin.take().context("standard input")?;
        let output = BufReader::new(child.stdout.take().context("standard output")?);
        Ok(Self { child, input, output })
    }

    fn ask(&mut self, number: usize) -> anyhow::Result<BenchAnswer> {
        writeln!(self.input, "{number}")?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        let (answer, work, seconds) = serde_json::from_str(&line).with_context(|| format!("query {number}"))?;
        Ok(BenchAnswer { answer, work, seconds })
    }
}

impl Drop for BenchServer {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn serve(path: &str) -> anyhow::Result<()> {
    let all = queries(Path::new(path))?;
    for number in std::io::stdin().lines() {
        let a = answered(&all.get(number?.parse::<usize>()?).context("no such query")?.query);
        println!("{}", serde_json::to_string(&(a.answer, a.work, a.seconds))?);
    }
    Ok(())
}

/// Prints how many queries have each answer, and their sums.
fn summary(columns: &[(&str, Vec<BenchAnswer>)]) {
    let kinds = [
        RecordedAnswer::Bound,
        RecordedAnswer::Z3,
        RecordedAnswer::Model,
        RecordedAnswer::NoModel,
        RecordedAnswer::Undecided,
    ];
    let row = |name: &str, of: &dyn Fn(&[BenchAnswer]) -> String| {
        let cells: String = columns.iter().map(|(_, answers)| format!("{:>14}", of(answers))).collect();
        println!("{name:<24}{cells}");
    };
    println!("{:<24}{}", "", columns.iter().map(|(name, _)| format!("{name:>14}")).collect::<String>());
    for kind in kinds {
        row(&format!("{kind:?}"), &|all| all.iter().filter(|a| a.answer == kind).count().to_string());
    }
    row("work, 10^9", &|all| format!("{:.1}", all.iter().map(|a| a.work).sum::<u64>() as f64 / 1e9));
    row("CPU seconds", &|all| {
        let sum: f64 = all.iter().map(|a| a.seconds).sum();
        if sum > 0.0 { format!("{sum:.1}") } else { "–".into() }
    });
}

fn compare(base: Option<&str>) -> anyhow::Result<()> {
    let all = queries(&file())?;
    let mut servers = match base {
        Some(path) => Some((BenchServer::start(Path::new(path))?, BenchServer::start(&std::env::current_exe()?)?)),
        None => None,
    };
    let (mut now, mut other) = (vec![], vec![]);
    for (i, q) in all.iter().enumerate() {
        match &mut servers {
            // The first of two is slower where a machine's clock changes: they take turns.
            Some((base, this)) if i % 2 == 0 => {
                other.push(base.ask(i)?);
                now.push(this.ask(i)?);
            }
            Some((base, this)) => {
                now.push(this.ask(i)?);
                other.push(base.ask(i)?);
            }
            None => now.push(answered(&q.query)),
        }
        progress(i + 1);
    }
    let then = all.iter().map(|q| BenchAnswer { answer: q.answer, work: q.work, seconds: 0.0 }).collect();
    let mut columns = vec![("recorded", then), ("now", now.clone())];
    if servers.is_some() {
        let ratio = now.iter().map(|a| a.seconds).sum::<f64>() / other.iter().map(|a| a.seconds).sum::<f64>();
        columns.insert(1, ("base", other));
        summary(&columns);
        println!("CPU seconds, now / base: {ratio:.3}");
    } else {
        summary(&columns);
    }
    let line = |i: usize| {
        let (q, a) = (&all[i], now[i]);
        println!(
            "{:>4} {:<20} {:>8.2} s, work {:>8.2} then {:>8.2}, {:?} then {:?}",
            i,
            q.program,
            a.seconds,
            a.work as f64 / 1e9,
            q.work as f64 / 1e9,
            a.answer,
            q.answer
        );
    };
    let mut slowest: Vec<usize> = (0..all.len()).collect();
    slowest.sort_by(|a, b| now[*b].seconds.total_cmp(&now[*a].seconds));
    println!("\nslowest:");
    slowest.iter().take(10).for_each(|i| line(*i));
    let those = |wrong: &dyn Fn(usize) -> bool| (0..all.len()).filter(|i| wrong(*i)).collect::<Vec<_>>();
    let lost = those(&|i| now[i].answer == RecordedAnswer::Undecided && all[i].answer != RecordedAnswer::Undecided);
    println!("\ndecided when they were recorded, and not now: {}", lost.len());
    lost.iter().for_each(|i| line(*i));
    let contradictions = those(&|i| now[i].answer.contradicts(all[i].answer));
    contradictions.iter().for_each(|i| line(*i));
    ensure!(contradictions.is_empty(), "{} answers contradict those recorded", contradictions.len());
    Ok(())
}

fn main() -> anyhow::Result<()> {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => compare(None),
        ["--base", path] => compare(Some(path)),
        ["--serve", file] => serve(file),
        ["--select", ..] if arguments.len() > 1 => select(&arguments[1..]),
        _ => bail!("usage: [--base EXECUTABLE | --select DUMP…]"),
    }
}
