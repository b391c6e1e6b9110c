//! (wired when the screen is there)
use super::exit::{Refusal, Status};
pub fn demo(_demo: super::args::Demo) -> Result<Status, Refusal> {
    Err(Refusal::usage("no screen"))
}
