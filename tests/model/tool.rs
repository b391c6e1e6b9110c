//! An ordinary tool that remembers with which mark it was run.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use dominds_tui::app;
use dominds_tui::tools::{Registry, ToolOutcome, typed};
use schemars::JsonSchema;
use serde::Deserialize;

pub const NAME: &str = "probe";

/// How often it was run with each mark.
pub type Runs = Arc<Mutex<BTreeMap<String, u32>>>;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ProbeArgs {
    mark: String,
}

/// The built-in tools and `probe`.
pub fn registry(runs: Runs) -> Registry {
    let probe = typed::asynchronous(
        NAME,
        |_| "Remembers.",
        move |_, args: ProbeArgs| {
            let mark = args.mark;
            *runs.lock().expect("not poisoned").entry(mark.clone()).or_default() += 1;
            async move {
                tokio::time::sleep(std::time::Duration::from_millis(300)).await;
                ToolOutcome::done(format!("done {mark}"))
            }
        },
    );
    let mut registry = app::registry(Arc::default());
    registry.add("ws_mod", probe).expect("a free name");
    registry
}
