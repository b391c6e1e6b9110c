//! The binary: hands over to the command line and returns its exit code.
fn main() {}
