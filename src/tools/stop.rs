//! Telling blocking work that nobody waits for it any more: a flag that is set when the call that
//! began the work is dropped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The flag, as the work sees it.
#[derive(Debug, Clone, Default)]
pub(super) struct Stop(Arc<AtomicBool>);

/// Sets the flag when it is dropped.
#[derive(Debug)]
pub(super) struct WhenDropped(Stop);

impl Stop {
    pub(super) fn is_wanted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    pub(super) fn when_dropped(&self) -> WhenDropped {
        WhenDropped(self.clone())
    }
}

impl Drop for WhenDropped {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::FutureExt as _;
    use serde_json::json;

    use super::*;
    use crate::tools::args::Args;
    use crate::tools::outcome::ToolOutcome;
    use crate::tools::test_support::Bench;
    use crate::tools::tool::{BuiltIn, Description, ToolCx, ToolSpec};

    /// Work without end, that leaves a file when it is told to stop.
    fn endless(cx: &ToolCx, _: &Args, stop: &Stop) -> ToolOutcome {
        while !stop.is_wanted() {
            std::thread::yield_now();
        }
        std::fs::write(cx.workspace.join("ended"), "").unwrap();
        ToolOutcome::done("ended")
    }

    #[test]
    fn dropping_a_call_ends_its_work() {
        let bench = Bench::new();
        let spec = ToolSpec {
            name: "endless".into(),
            description: Description::Own(|_| "endless"),
            parameters: json!({}),
        };
        let tool = BuiltIn::stoppable(spec, endless);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let call = tool.call(bench.cx.clone(), Args::default());
            assert_eq!(call.now_or_never(), None);
        });
        // The bound is reached only if the work goes on.
        runtime.shutdown_timeout(Duration::from_secs(60));
        assert!(bench.at("ended").exists());
    }

    #[test]
    fn work_is_told_to_stop_when_its_call_is_dropped_and_not_before() {
        let stop = Stop::default();
        let call = stop.when_dropped();
        let work = stop.clone();
        assert!(!work.is_wanted());
        drop(call);
        assert!(work.is_wanted());
    }
}
