//! (wired when the screen is there)
use super::exit::{Refusal, Status};
use std::path::Path;
pub fn open(_workspace: &Path) -> Result<Status, Refusal> {
    Err(Refusal::usage("no screen"))
}
