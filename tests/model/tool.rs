//! An ordinary tool that remembers with which mark it was run.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use dominds_tui::app;
use dominds_tui::domain::Lang;
use dominds_tui::tools::{Args, Description, Registry, Tool, ToolCx, ToolOutcome, ToolSpec};
use futures_util::future::BoxFuture;
use serde_json::json;

pub const NAME: &str = "probe";

/// How often it was run with each mark.
pub type Runs = Arc<Mutex<BTreeMap<String, u32>>>;

#[derive(Debug)]
struct Probe {
    spec: ToolSpec,
    runs: Runs,
}

/// The built-in tools and `probe`.
pub fn registry(runs: Runs) -> Registry {
    let parameters = json!({
        "type": "object",
        "properties": { "mark": { "type": "string" }, "millis": { "type": "integer" } },
        "required": ["mark"],
        "additionalProperties": false,
    });
    let spec =
        ToolSpec { name: NAME.into(), description: Description::Own(description), parameters };
    let mut registry = app::registry(Arc::default());
    registry.add("ws_mod", Arc::new(Probe { spec, runs })).expect("a free name");
    registry
}

fn description(_lang: Lang) -> &'static str {
    "Remembers."
}

impl Tool for Probe {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call(&self, _cx: ToolCx, args: Args) -> BoxFuture<'static, ToolOutcome> {
        let mark = args.text("mark").unwrap_or_default().to_owned();
        *self.runs.lock().expect("not poisoned").entry(mark.clone()).or_default() += 1;
        Box::pin(async move {
            tokio::time::sleep(std::time::Duration::from_millis(300)).await;
            ToolOutcome::done(format!("done {mark}"))
        })
    }
}
