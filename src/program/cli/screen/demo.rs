//! `demo`: the screen with the built-in team and a scripted model.

use crate::app::{self, Models};
use crate::demo::{DemoWorkspace, Story};
use crate::domain::dialogs::tree::Bucket;
use crate::llm::Scripted;
use crate::store::Access;
use crate::ui::{DemoStart, Keys};

use super::full::{self, ScreenExit, ScreenMode, ScreenStart};
use crate::cli::args::DemoArgs;
use crate::cli::exit::{CommandError, Status};

/// The ticket of the first message; those of the screen begin at 1.
const OPENING: u64 = 0;

pub fn demo(demo: &DemoArgs) -> Result<Status, CommandError> {
    let mode = ScreenMode::of(demo.screen)?;
    let story = demo.story.story();
    let folder =
        |error: std::io::Error| CommandError::invalid(format!("the demo's folder: {error}"));
    let stage = match &demo.dir {
        Some(folder) => DemoWorkspace::kept(story, folder),
        None => DemoWorkspace::scratch(story),
    };
    let mut stage = stage.map_err(folder)?;
    let script = story.script().map_err(|error| CommandError::invalid(error.to_string()))?;
    let mut keys = Keys::default();
    loop {
        let models = Models::Scripted(Scripted::new(script.clone(), demo.speed));
        match full::run(stage.folder(), models, opening((&stage, story), mode)?, &mut keys)? {
            ScreenExit::Status(status) => return Ok(status),
            ScreenExit::Replay => stage = stage.restarted().map_err(folder)?,
        }
    }
}

/// Starts the demo if there is no dialog yet; an earlier one continues.
fn opening<'a>(
    (stage, story): (&'a DemoWorkspace, &Story),
    mode: ScreenMode,
) -> Result<ScreenStart<'a>, CommandError> {
    let fresh = app::open(stage.folder(), Access::ReadOnly)?.survey(&Bucket::ALL).trees.is_empty();
    let (first, begun) = if fresh {
        (vec![story.first_command(OPENING)], DemoStart::Now)
    } else {
        (Vec::new(), DemoStart::Earlier)
    };
    Ok(ScreenStart { mode, commands: first, demo: Some((stage, begun)) })
}
