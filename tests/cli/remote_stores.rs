//! The remote cache in real stores: Redis; S3 by moto, WebDAV by WsgiDAV, Azure's by
//! Azurite and Google's by an emulator, which `make remote-cache` sets up.

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
    // Somebody who can write there and has no key changes both entries: they are refused, and the document is the same.
    let client = |arguments: &[&str]| -> String {
        let mut command = Command::new("redis-cli");
        command.args(["-p", &server.port.to_string(), "-n", "1"]).env("REDISCLI_AUTH", "hunter2 of redis");
        let said = command.args(arguments).output().unwrap();
        assert!(said.status.success(), "{said:?}");
        String::from_utf8(said.stdout).unwrap()
    };
    let names = client(&["--scan"]);
    assert_eq!(names.lines().count(), 2, "{names}");
    for name in names.lines() {
        assert!(client(&["append", name, "poison"]).trim().parse::<u32>().unwrap() > 6, "{name}");
    }
    let reader = Checkout::with_settings(&url, "wait_ms = 60000\nupload = false\n");
    assert_eq!(reader.document("src/bad.cu"), one.document("src/bad.cu"));
    assert!(
        reader.remote().contains("hits: 0 of ") && reader.remote().contains("; 2 refused; "),
        "{}",
        reader.remote()
    );
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

/// Makes a container in Azure's store. Arguments: account, key, endpoint, container.
const MAKE_CONTAINER: &str = "\
import base64, datetime, hashlib, hmac, sys, urllib.request
account, key, endpoint, container = sys.argv[1:]
now = datetime.datetime.now(datetime.timezone.utc).strftime('%a, %d %b %Y %H:%M:%S GMT')
signed = 'PUT' + '\\n' * 12 + f'x-ms-date:{now}\\nx-ms-version:2021-08-06\\n/{account}/{account}/{container}\\nrestype:container'
signature = base64.b64encode(hmac.new(base64.b64decode(key), signed.encode(), hashlib.sha256).digest()).decode()
headers = {'x-ms-date': now, 'x-ms-version': '2021-08-06', 'Authorization': f'SharedKey {account}:{signature}'}
urllib.request.urlopen(urllib.request.Request(f'{endpoint}/{container}?restype=container', method='PUT', headers=headers))
";

#[test]
#[ignore = "needs Azurite: make remote-cache"]
fn azure() {
    // Known to all (Azurite's README).
    let (account, key) = (
        "devstoreaccount1",
        "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
    );
    let server = Server::start(|folder, port| {
        let mut command = Command::new(named("SCUBA_TEST_AZURITE"));
        command.args(["--silent", "--disableTelemetry", "--skipApiVersionCheck", "--blobHost", "127.0.0.1"]);
        command.args(["--blobPort", &port.to_string()]).current_dir(folder);
        command
    });
    let endpoint = format!("http://127.0.0.1:{}/{account}", server.port);
    let made = Command::new("python3").args(["-c", MAKE_CONTAINER, account, key, &endpoint, "scuba"]).status().unwrap();
    assert!(made.success());
    let url = format!("azblob://scuba/team?endpoint={endpoint}");
    let with_credentials = |mut checkout: Checkout| {
        checkout.environment =
            vec![("AZURE_STORAGE_ACCOUNT_NAME", account.into()), ("AZURE_STORAGE_ACCOUNT_KEY", key.into())];
        checkout
    };
    share(&with_credentials(Checkout::new(&url)), &with_credentials(Checkout::new(&url)));
}

#[test]
#[ignore = "needs an emulator of Google's store: make remote-cache"]
fn google() {
    let server = Server::start(|folder, port| {
        let mut command = Command::new(named("SCUBA_TEST_GCS"));
        command.args(["start", "--host=127.0.0.1", &format!("--port={port}"), "--in-memory"]);
        command.arg("--default-bucket=bucket").current_dir(folder);
        command
    });
    let options = "allow_anonymous=true&disable_vm_metadata=true&disable_config_load=true";
    let url = format!("gcs://bucket/team?endpoint=http://127.0.0.1:{}&{options}", server.port);
    share(&Checkout::new(&url), &Checkout::new(&url));
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
