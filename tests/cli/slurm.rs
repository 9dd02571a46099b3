//! `templates/slurm/scuba-array.sh`: tasks by the variables that Slurm gives them, and a real array on one node.

use super::shards::{built, timeless};
use super::{Project, Said, scuba};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/slurm/scuba-array.sh")
}

/// The script as a job runs it: `scuba` in PATH, and the variables of a test's commands.
fn command(p: &Project, arguments: &[&str]) -> Command {
    let mut command = Command::new(script());
    for (name, value) in p.command().get_envs() {
        if let Some(value) = value {
            command.env(name, value)
        } else {
            command.env_remove(name)
        };
    }
    let path = format!("{}:{}", scuba().parent().unwrap().display(), std::env::var("PATH").unwrap());
    command.args(arguments).current_dir(p.root()).env("PATH", path).stdin(Stdio::null());
    command
}

/// Runs a task of an array whose numbers start at 10 and grow by 5.
fn task(p: &Project, number: usize, of: usize) -> Said {
    let mut command = command(p, &["task", "build", "out"]);
    let id = (10 + 5 * number).to_string();
    command.env("SLURM_ARRAY_TASK_ID", id).env("SLURM_ARRAY_TASK_MIN", "10").env("SLURM_ARRAY_TASK_STEP", "5");
    command.env("SLURM_ARRAY_TASK_COUNT", of.to_string()).env("SLURM_CPUS_PER_TASK", "2");
    command.output().unwrap().into()
}

fn results(text: &str) -> Value {
    serde_json::from_str::<Value>(text).unwrap()["runs"][0]["results"].clone()
}

/// The report that the last job wrote is that of one run.
fn assert_is_that_of_one_run(p: &Project) {
    let said = p.scuba(["check", "build", "--message-format", "sarif"]).status(1);
    let merged = std::fs::read_to_string(p.root().join("out/report.sarif")).unwrap();
    assert_eq!(results(&merged), results(&said.out));
    let names: Vec<String> = (1..=4).map(|i| format!("out/{i}.json")).collect();
    let merged: Said = p.command().arg("merge").args(names).args(["--message-format", "json"]).output().unwrap().into();
    let whole = p.scuba(["check", "build", "--message-format", "json"]).status(1);
    assert_eq!(timeless(&merged.out), timeless(&whole.out));
    let text = std::fs::read_to_string(p.root().join("out/report.txt")).unwrap();
    assert!(text.contains("src/wrong.cu") || text.contains("src/common.cuh"), "{text}");
}

#[test]
fn tasks_of_an_array_make_one_report() {
    let p = built();
    for number in [2, 0, 3] {
        assert_eq!(task(&p, number, 4).status(0).err, "", "a finding is no failure of a task");
    }
    // Without a document of each task there is no report.
    let said: Said = command(&p, &["merge", "out"]).output().unwrap().into();
    assert!(said.status == 2 && said.err.contains("no document of shard 2/4"), "{said:?}");
    task(&p, 1, 4).status(0);
    // A task that is tried again replaces its document.
    task(&p, 1, 4).status(0);
    let said: Said = command(&p, &["merge", "out"]).output().unwrap().into();
    said.status(1);
    assert_is_that_of_one_run(&p);
    // What could not be checked is a failure of the task, and leaves no document.
    std::fs::remove_file(p.root().join("out/1.json")).unwrap();
    p.write("scuba.toml", "[levels]\nno-rule = \"warn\"\n");
    assert_eq!(task(&p, 0, 4).status, 2);
    assert!(!p.root().join("out/1.json").exists());
    for wrong in [&[][..], &["build"], &["0x", "build", "out"], &["task", "build"]] {
        let said: Said = command(&p, wrong).output().unwrap().into();
        assert!(said.status == 2 && said.err.contains("scuba-array.sh TASKS BUILD OUT"), "{said:?}");
    }
}

/// A program of a cluster that ends with this value.
struct Daemon(Child);

impl Daemon {
    fn start(program: &str, arguments: &[&str], conf: &Path) -> Self {
        let mut command = Command::new(program);
        command.args(arguments).env("SLURM_CONF", conf);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Self(command.spawn().unwrap_or_else(|e| panic!("{program}: {e}: run `make slurm`")))
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn wait(what: &str, is: impl Fn() -> bool) {
    let start = Instant::now();
    while !is() {
        assert!(start.elapsed() < Duration::from_secs(180), "{what}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
#[ignore = "needs Slurm and root: make slurm"]
fn a_real_array_makes_one_report() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let text = |path: PathBuf| path.to_str().unwrap().to_owned();
    std::fs::create_dir(at("state")).unwrap();
    std::fs::create_dir(at("spool")).unwrap();
    let host = Command::new("hostname").arg("-s").output().unwrap().stdout;
    let host = String::from_utf8(host).unwrap().trim().to_owned();
    let conf = at("slurm.conf");
    let here = folder.path().display();
    let settings = format!(
        "ClusterName=one\nSlurmctldHost={host}(127.0.0.1)\nSlurmctldPort={}\nSlurmdPort={}\nAuthType=auth/munge\n\
         AuthInfo=socket={here}/munge.socket\nSlurmUser=root\nSlurmdUser=root\nStateSaveLocation={here}/state\n\
         SlurmdSpoolDir={here}/spool\nSlurmctldPidFile={here}/ctld.pid\nSlurmdPidFile={here}/slurmd.pid\n\
         ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nMpiDefault=none\nReturnToService=2\n\
         SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\n\
         NodeName={host} NodeAddr=127.0.0.1 CPUs=2 RealMemory=500 State=UNKNOWN\n\
         PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP\n",
        free_port(),
        free_port()
    );
    std::fs::write(&conf, settings).unwrap();
    std::fs::write(at("munge.key"), [7; 1024]).unwrap();
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o400);
    std::fs::set_permissions(at("munge.key"), private).unwrap();
    let munge: Vec<String> = ["key", "socket", "log", "pid", "seed"]
        .iter()
        .zip(["key-file", "socket", "log-file", "pid-file", "seed-file"])
        .map(|(name, option)| format!("--{option}={}", text(at(&format!("munge.{name}")))))
        .chain(["-F".into(), "--force".into()])
        .collect();
    let munge: Vec<&str> = munge.iter().map(String::as_str).collect();
    let _munge = Daemon::start("munged", &munge, &conf);
    wait("munge does not start", || at("munge.socket").exists());
    let _control = Daemon::start("slurmctld", &["-D"], &conf);
    let _node = Daemon::start("slurmd", &["-D"], &conf);
    let slurm = |program: &str, arguments: &[&str]| -> Said {
        Command::new(program).args(arguments).env("SLURM_CONF", &conf).output().unwrap().into()
    };
    wait("no node is idle", || slurm("sinfo", &["-h", "-o", "%t"]).out.trim() == "idle");

    let p = built();
    let said: Said = command(&p, &["4", "build", "out"]).env("SLURM_CONF", &conf).output().unwrap().into();
    let job = said.status(0).out.trim().to_owned();
    wait("the jobs do not end", || slurm("squeue", &["-h"]).out.trim().is_empty());
    let ended = slurm("scontrol", &["show", "job", &job]).out;
    assert!(ended.contains("ExitCode=1:0"), "a finding is denied: {ended}");
    assert_is_that_of_one_run(&p);
}
