//! Files this process was started with.

/// After standard input, output and error.
const FIRST_INHERITED: i32 = 3;

/// Files that whoever started the program left open do not reach the programs it starts.
pub fn close_inherited_on_exec() {
    close_fds::set_fds_cloexec(FIRST_INHERITED, &[]);
}
