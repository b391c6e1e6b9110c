//! `demo`: the screen on the built-in team. Only the model is scripted.

use crate::app::{self, Models};
use crate::demo::{self, Stage};
use crate::domain::tree::Bucket;
use crate::llm::Scripted;
use crate::store::Access;

use super::args::Demo;
use super::exit::{Refusal, Status};
use super::screen;

/// The ticket of the first message; the screen's own begin at 1.
const OPENING: u64 = 0;

pub fn demo(demo: &Demo) -> Result<Status, Refusal> {
    let stage = match &demo.dir {
        Some(folder) => Stage::kept(folder),
        None => Stage::scratch(),
    };
    let stage = stage.map_err(|error| Refusal::invalid(format!("the demo's folder: {error}")))?;
    let script = demo::script().map_err(|error| Refusal::invalid(error.to_string()))?;
    let fresh = app::open(stage.folder(), Access::ReadOnly)?.survey(&Bucket::ALL).trees.is_empty();
    let first = if fresh { vec![demo::opening(OPENING)] } else { Vec::new() };
    let models = Models::Scripted(Scripted::new(script, demo.speed));
    screen::run(stage.folder(), models, first)
}
