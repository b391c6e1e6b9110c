//! Inherited file descriptors.

/// After stdin, stdout and stderr.
const FIRST_INHERITED: i32 = 3;

/// Marks inherited descriptors close-on-exec, so that child processes do not get them.
pub fn close_inherited_on_exec() {
    close_fds::set_fds_cloexec(FIRST_INHERITED, &[]);
}
