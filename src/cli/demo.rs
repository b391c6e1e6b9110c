//! `demo`: the screen with the built-in team and a scripted model.

use crate::app::{self, Models};
use crate::demo::{self, DemoWorkspace};
use crate::domain::tree::Bucket;
use crate::llm::Scripted;
use crate::store::Access;
use crate::ui::{DemoStart, Keys};

use super::args::DemoArgs;
use super::exit::{CommandError, Status};
use super::screen::{self, ScreenExit, ScreenMode, ScreenStart};

/// The ticket of the first message; those of the screen begin at 1.
const OPENING: u64 = 0;

pub fn demo(demo: &DemoArgs) -> Result<Status, CommandError> {
    let mode = ScreenMode::of(demo.screen)?;
    let folder =
        |error: std::io::Error| CommandError::invalid(format!("the demo's folder: {error}"));
    let stage = match &demo.dir {
        Some(folder) => DemoWorkspace::kept(folder),
        None => DemoWorkspace::scratch(),
    };
    let mut stage = stage.map_err(folder)?;
    let script = demo::script().map_err(|error| CommandError::invalid(error.to_string()))?;
    let mut keys = Keys::default();
    loop {
        let models = Models::Scripted(Scripted::new(script.clone(), demo.speed));
        match screen::run(stage.folder(), models, opening(&stage, mode)?, &mut keys)? {
            ScreenExit::Status(status) => return Ok(status),
            ScreenExit::Replay => stage = stage.restarted().map_err(folder)?,
        }
    }
}

/// Starts the demo if there is no dialog yet; an earlier one continues.
fn opening(stage: &DemoWorkspace, mode: ScreenMode) -> Result<ScreenStart<'_>, CommandError> {
    let fresh = app::open(stage.folder(), Access::ReadOnly)?.survey(&Bucket::ALL).trees.is_empty();
    let (first, begun) = if fresh {
        (vec![demo::first_command(OPENING)], DemoStart::Now)
    } else {
        (Vec::new(), DemoStart::Earlier)
    };
    Ok(ScreenStart { mode, commands: first, demo: Some((stage, begun)) })
}
