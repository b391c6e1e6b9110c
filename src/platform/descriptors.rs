//! Files this process was started with.

/// After standard input, output and error.
const FIRST: i32 = 3;

/// Files that whoever started the program left open do not reach the programs it starts.
pub fn keep_inherited_from_children() {
    close_fds::set_fds_cloexec(FIRST, &[]);
}
