//! A tool that counts its runs, and hangs or breaks down if it is told to.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dominds_tui::app;
use dominds_tui::domain::Lang;
use dominds_tui::tools::{Args, Description, Registry, Tool, ToolCx, ToolOutcome, ToolSpec};
use futures_util::future::BoxFuture;
use serde_json::json;

#[derive(Debug)]
pub struct Probe {
    spec: ToolSpec,
    runs: Arc<AtomicUsize>,
}

/// The built-in tools and `probe`, with the number of its runs.
pub fn registry() -> (Registry, Arc<AtomicUsize>) {
    let runs = Arc::new(AtomicUsize::new(0));
    let parameters = json!({
        "type": "object",
        "properties": { "hang": { "type": "boolean" }, "break": { "type": "boolean" } },
        "additionalProperties": false,
    });
    let spec =
        ToolSpec { name: "probe".into(), description: Description::Own(description), parameters };
    let mut registry = app::registry(Arc::default());
    registry.add("ws_mod", Arc::new(Probe { spec, runs: runs.clone() })).expect("a free name");
    (registry, runs)
}

fn description(_lang: Lang) -> &'static str {
    "Counts."
}

impl Tool for Probe {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call(&self, _cx: ToolCx, args: Args) -> BoxFuture<'static, ToolOutcome> {
        let runs = self.runs.fetch_add(1, Ordering::SeqCst) + 1;
        Box::pin(async move {
            assert!(args.flag("break") != Some(true), "the tool breaks down");
            if args.flag("hang") == Some(true) {
                std::future::pending::<()>().await;
            }
            ToolOutcome::done(format!("run {runs}"))
        })
    }
}
