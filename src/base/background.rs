//! Processes in the background: in a session of their own, without the files of the process that starts them.

use std::os::unix::process::CommandExt;
use std::process::Command;

/// `CLOSE_RANGE_CLOEXEC` of Linux 5.11, close_range(2).
const CLOSE_AT_EXEC: libc::c_uint = 4;

/// Variable that holds the `TMPDIR` of the user where a program was given a folder of its own; empty if there was none.
pub const USERS_TEMPORARY: &str = "SCUBA_USERS_TMPDIR";

/// Makes a command run in a session of its own, without inherited files but its standard streams. The caller sets
/// those. It outlives the starting program's folder for temporary files, and has the user's.
pub fn detach(command: &mut Command) {
    if let Some(users) = std::env::var_os(USERS_TEMPORARY) {
        command.env_remove(USERS_TEMPORARY).env_remove("TMPDIR");
        if !users.is_empty() {
            command.env("TMPDIR", users);
        }
    }
    // SAFETY: between fork and exec only two system calls run, which allocate nothing.
    #[expect(unsafe_code, reason = "files that were inherited, for example a jobserver's pipe, must not stay open")]
    unsafe {
        command.pre_exec(|| {
            libc::setsid();
            libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, CLOSE_AT_EXEC);
            Ok(())
        });
    }
}
