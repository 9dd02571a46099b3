//! The remote cache in real stores: Redis; S3 by moto and WebDAV by WsgiDAV, which `make remote-cache` sets up.

use super::remote::Checkout;
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Program that a variable names.
fn named(variable: &str) -> PathBuf {
    std::env::var_os(variable).unwrap_or_else(|| panic!("{variable} is not set: run `make remote-cache`")).into()
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// A server that ends with this value.
struct Server {
    process: Child,
    port: u16,
    _folder: tempfile::TempDir,
}

impl Server {
    fn start(command: impl FnOnce(&std::path::Path, u16) -> Command) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port = free_port();
        let mut command = command(folder.path(), port);
        let process = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let server = Self { process, port, _folder: folder };
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(start.elapsed() < Duration::from_secs(60), "no server listens");
            std::thread::sleep(Duration::from_millis(50));
        }
        server
    }

    fn stop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Two checkouts share through a store: the second has only hits, and the same document.
fn share(one: &Checkout, two: &Checkout) {
    let document = one.document("src/bad.cu");
    one.sent(2);
    assert_eq!(two.document("src/bad.cu"), document);
    assert!(two.remote().contains("hits: 2 of 2 (100 %)"), "{}", two.remote());
}

/// Redis's server, which Debian's package redis-tools has under another name.
fn redis_server() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found = |name: &str| std::env::split_paths(&folders).map(|f| f.join(name)).find(|p| p.is_file());
    found("redis-server").or_else(|| found("redis-check-rdb"))
}

#[test]
fn redis() {
    let Some(program) = redis_server() else {
        return eprintln!("skipped: no redis-server and no redis-check-rdb (Debian package redis-tools)");
    };
    let mut server = Server::start(|folder, port| {
        let mut command = Command::new(program);
        command.arg0("redis-server").current_dir(folder).args(["--port", &port.to_string(), "--bind", "127.0.0.1"]);
        command.args(["--save", "", "--requirepass", "hunter2 of redis"]);
        command
    });
    let url = |secret: &str| format!("redis://default:{secret}@127.0.0.1:{}/1/scuba", server.port);
    let url = url("hunter2%20of%20redis");
    let (one, two) = (Checkout::new(&url), Checkout::new(&url));
    share(&one, &two);
    // Another password.
    let wrong = Checkout::with_settings(&url.replace("hunter2", "hunter3"), "wait_ms = 1000\n");
    let said = wrong.scuba(&["check", "src/good.cu"]).status(0);
    assert_eq!(said.err.matches("remote cache redis://127.0.0.1").count(), 1, "{said:?}");
    assert!(!said.err.contains("hunter"), "{said:?}");
    assert!(!wrong.remote().contains("hunter"), "{}", wrong.remote());
    // The server goes away in the middle of a build.
    two.compile(&["-c", "src/good.cu", "-o", "a.o"]).status(0);
    two.wait(&url, 1000);
    server.stop();
    let other = two.with_program("src/other.cu");
    let errors: String = ["b.o", "c.o"].map(|o| two.compile(&["-c", &other, "-o", o]).status(0).err).concat();
    assert_eq!(errors.matches("only the local cache is used").count(), 1, "{errors}");
    assert_eq!(errors.lines().count(), 1, "{errors}");
}

#[test]
#[ignore = "needs moto's server: make remote-cache"]
fn s3() {
    let server = Server::start(|folder, port| {
        let mut command = Command::new(named("SCUBA_TEST_MOTO"));
        command.args(["-H", "127.0.0.1", "-p", &port.to_string()]).current_dir(folder);
        command
    });
    let endpoint = format!("http://127.0.0.1:{}", server.port);
    let made = Command::new("python3")
        .args(["-c", "import sys, urllib.request as u; u.urlopen(u.Request(sys.argv[1], method='PUT'))"])
        .arg(format!("{endpoint}/bucket"))
        .status()
        .unwrap();
    assert!(made.success());
    let url = format!("s3://bucket/team/scuba?region=us-east-1&endpoint={endpoint}");
    let with_credentials = |mut checkout: Checkout| {
        checkout.environment = vec![("AWS_ACCESS_KEY_ID", "test".into()), ("AWS_SECRET_ACCESS_KEY", "hunter2".into())];
        checkout
    };
    share(&with_credentials(Checkout::new(&url)), &with_credentials(Checkout::new(&url)));
    // A bucket that is not there.
    let none = with_credentials(Checkout::new(&url.replace("bucket/", "other/")));
    let said = none.scuba(&["check", "src/good.cu"]).status(0);
    assert!(said.err.lines().filter(|l| l.contains("remote cache")).count() <= 1, "{said:?}");
    assert!(!said.err.contains("hunter2"), "{said:?}");
}

#[test]
#[ignore = "needs WsgiDAV: make remote-cache"]
fn webdav() {
    let server = Server::start(|folder, port| {
        let mut command = Command::new(named("SCUBA_TEST_WSGIDAV"));
        command.args(["--host", "127.0.0.1", "--port", &port.to_string(), "--auth", "anonymous", "--root"]).arg(folder);
        command
    });
    let url = format!("webdav://127.0.0.1/scuba?endpoint=http://127.0.0.1:{}", server.port);
    share(&Checkout::new(&url), &Checkout::new(&url));
}
