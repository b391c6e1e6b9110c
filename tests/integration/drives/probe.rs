//! A tool that counts its runs, and hangs or panics if its arguments say so.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dominds_tui::app;
use dominds_tui::llm::Sequence;
use dominds_tui::tools::{Registry, ToolOutcome, typed};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::common::World;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ProbeArgs {
    hang: Option<bool>,
    r#break: Option<bool>,
}

/// The built-in tools and `probe`, with the number of its runs.
pub fn registry() -> (Registry, Arc<AtomicUsize>) {
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = runs.clone();
    let probe = typed::asynchronous(
        "probe",
        |_| "Counts.",
        move |_, args: ProbeArgs| {
            let runs = counted.fetch_add(1, Ordering::SeqCst) + 1;
            async move {
                assert!(args.r#break != Some(true), "the tool breaks down");
                if args.hang == Some(true) {
                    std::future::pending::<()>().await;
                }
                ToolOutcome::done(format!("run {runs}"))
            }
        },
    );
    let mut registry = app::registry(Arc::default());
    registry.add("ws_mod", probe).expect("a free name");
    (registry, runs)
}

/// A world whose members have `probe`, with the number of its runs.
pub fn world(models: Sequence) -> (World, Arc<AtomicUsize>) {
    let (tools, runs) = registry();
    let mut world = World::new(models);
    world.setup.tools = tools;
    (world, runs)
}
