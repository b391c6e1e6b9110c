//! The binary: runs the command line and returns its exit status.

use std::process::ExitCode;

fn main() -> ExitCode {
    dominds_tui::cli::main()
}
