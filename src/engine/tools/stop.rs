//! Cancels blocking work: a flag that is set when the call that began the work is dropped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The flag, as the work sees it.
#[derive(Debug, Clone, Default)]
pub(super) struct StopFlag(Arc<AtomicBool>);

/// Sets the flag when it is dropped.
#[derive(Debug)]
pub(super) struct StopGuard(StopFlag);

impl StopFlag {
    pub(super) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    pub(super) fn set_on_drop(&self) -> StopGuard {
        StopGuard(self.clone())
    }
}

impl Drop for StopGuard {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::FutureExt as _;
    use schemars::JsonSchema;
    use serde::Deserialize;

    use super::*;
    use crate::tools::args::Args;
    use crate::tools::outcome::ToolOutcome;
    use crate::tools::test_support::TestBench;
    use crate::tools::tool::ToolCx;
    use crate::tools::typed;

    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct NoArgs {}

    /// Works endlessly, and writes a file when it is stopped.
    fn endless(cx: &ToolCx, _: &NoArgs, stop: &StopFlag) -> ToolOutcome {
        while !stop.is_set() {
            std::thread::yield_now();
        }
        std::fs::write(cx.workspace.join("ended"), "").unwrap();
        ToolOutcome::done("ended")
    }

    #[test]
    fn dropping_a_call_ends_its_work() {
        let bench = TestBench::new();
        let tool = typed::stoppable("endless", |_| "endless", endless);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let call = tool.call(bench.cx.clone(), Args::default());
            assert_eq!(call.now_or_never(), None);
        });
        // The bound is reached only if the work goes on.
        runtime.shutdown_timeout(Duration::from_mins(1));
        assert!(bench.at("ended").exists());
    }

    #[test]
    fn work_is_told_to_stop_when_its_call_is_dropped_and_not_before() {
        let stop = StopFlag::default();
        let call = stop.set_on_drop();
        let work = stop.clone();
        assert!(!work.is_set());
        drop(call);
        assert!(work.is_set());
    }
}
