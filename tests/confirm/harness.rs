//! The program that makes single launches.

use super::{here, nvcc};
use std::os::unix::process::ExitStatusExt;
use std::process::Command;

#[test]
fn it_compiles_with_nvcc_where_there_is_no_gpu_and_says_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("launch");
    let source = here().join("../../templates/launch.cpp");
    let done = Command::new(nvcc())
        .args(["-std=c++17", "-O1", "-cudart=none", "-Xcompiler", "-Wall,-Wextra,-Werror"])
        .arg(&source)
        .args(["-ldl", "-o"])
        .arg(&program)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let missing = folder.path().join("nothing.launch");
    let said = Command::new(&program).arg(&missing).output().unwrap();
    assert_eq!(said.status.code(), Some(3));
    assert_eq!(String::from_utf8_lossy(&said.stdout), format!("cannot open {}\n", missing.display()));

    // With a driver, every kind of statement.
    super::driver(folder.path());
    let file = folder.path().join("all.launch");
    let output = |text: &str| {
        std::fs::write(&file, text).unwrap();
        Command::new(&program).arg(&file).env("LD_LIBRARY_PATH", folder.path()).env("RECORD", "1").output().unwrap()
    };
    let run = |text: &str| {
        let said = output(text);
        let text = String::from_utf8_lossy(&said.stdout).into_owned();
        // Addresses differ from run to run.
        let lines: Vec<String> =
            text.lines().map(|l| l.split(' ').filter(|w| !w.starts_with("0x")).collect::<Vec<_>>().join(" ")).collect();
        (said.status.code(), lines)
    };
    let module = file.display();
    let all = format!(
        "\
module {module}
kernel k
grid 2 1 1
block 32 4 1
shared 65536
object 0 device 8
object 1 roomy 16
object 2 freed 0
object 3 host 4
object 4 symbol 4 nowhere
object table symbol 0 scuba_table
bytes 0 4 01020304
address 1 8 0 4
bytes 3 0 ff
bytes 4 0 ff
bytes table 0 0100000000000000
address table 8 1 0
bytes table 16 10000000000000000000000000000000
parameter 0 8
points 0 0 1 -8
parameter 1 4
value 1 0 07000000
records scuba_records
"
    );
    let (status, lines) = run(&all);
    assert_eq!(
        (status, lines),
        (
            Some(0),
            [
                "device no device",
                "kernel k",
                "object 0 at bytes 8",
                "object 1 at bytes 16",
                "object 2 at bytes 0",
                "object 3 at bytes 4",
                "no variable nowhere",
                "object 4 at bytes 0",
                "object table at bytes 5632",
                "attribute 8 65536",
                "launch (2, 1, 1) (32, 4, 1) 65536",
                "ran",
                "record 0 5 1 0 0 0 0 0 0 0",
            ]
            .map(String::from)
            .to_vec()
        )
    );
    // What the check saw has an address like that of the array.
    let said = String::from_utf8(output(&all).stdout).unwrap();
    let address = |line: &str| {
        said.lines().find(|l| l.starts_with(line)).unwrap().split(' ').find(|w| w.starts_with("0x")).unwrap().to_owned()
    };
    assert_eq!(address("record 0 "), address("object 1 at "), "{said}");
    // Nobody may be left to end it.
    std::fs::write(&file, format!("module {module}\nkernel k\n")).unwrap();
    let ended = Command::new(&program)
        .arg(&file)
        .env("LD_LIBRARY_PATH", folder.path())
        .env("HANGS", "1")
        .env("SCUBA_SECONDS", "1")
        .status()
        .unwrap();
    assert_eq!(ended.signal(), Some(14), "{ended}");
    // A kernel that never ends is waited for until all that is sought was seen, or for so long.
    let hung = |sought: &str, recorded: &str| {
        let text = all.replace("records scuba_records", &format!("records scuba_records{sought}"));
        std::fs::write(&file, text).unwrap();
        let mut command = Command::new(&program);
        command.arg(&file).env("LD_LIBRARY_PATH", folder.path()).env("HANGS", "1").env("SCUBA_WAIT_MS", "1500");
        if !recorded.is_empty() {
            command.env("RECORD", recorded);
        }
        let said = command.output().unwrap();
        let text = String::from_utf8_lossy(&said.stdout).into_owned();
        let lines: Vec<String> =
            text.lines().skip_while(|l| !l.starts_with("launch ")).skip(1).map(str::to_owned).collect();
        (said.status.code(), lines.join("\n"))
    };
    let (status, lines) = hung(" 0", "1");
    assert!(
        status == Some(0) && lines.starts_with("ended: all that was sought was seen\nrecord 0 5 1 "),
        "{status:?} {lines}"
    );
    let (status, lines) = hung(" 0 1", "1");
    assert!(status == Some(1) && lines.starts_with("did not end in time\nrecord 0 5 1 "), "{status:?} {lines}");
    assert_eq!(hung(" 0", ""), (Some(1), "did not end in time".into()));
    // Little shared memory may be too much together with what is static: the kernel is given all that it asks for.
    let (_, lines) = run("module /dev/null\nkernel k\nshared 16384\n");
    assert!(lines.contains(&"attribute 8 16384".to_owned()), "{lines:?}");
    for (text, why) in [
        ("nonsense 1\n", "cannot understand `nonsense`"),
        ("grid 1 x 1\n", "cannot read the statement `grid`"),
        ("", "cannot launch: no kernel is named"),
        ("object 0 device 4\nbytes 0 2 010203\n", "cannot write outside object 0"),
        ("parameter 0 4\nvalue 0 2 010203\n", "cannot set a parameter beyond its end"),
        ("parameter 0 8\npoints 0 0 9 0\n", "cannot find object 9"),
        ("module /no/such/file\n", "cannot load /no/such/file: the driver says 301 (an error)"),
    ] {
        let (status, lines) = run(text);
        assert_eq!((status, lines.last().map(String::as_str)), (Some(3), Some(why)), "{text}");
    }
}
