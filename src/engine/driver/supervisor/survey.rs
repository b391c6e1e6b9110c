//! The survey of the workspace at the start.

use tokio::task::JoinHandle;

use crate::domain::Unagreed;
use crate::domain::dialogs::tree::Bucket;
use crate::driver::reporting::reports::DriverReport;
use crate::driver::shared::blocking::blocking;
use crate::driver::shared::config_problems::minds_report;
use crate::driver::shared::engine::Engine;

use super::listing::{listing_report, needs_loading, taskdoc_problems, workspace_view};
use super::trees::Supervisor;

impl Supervisor {
    /// Reports the initial state and loads trees that can continue.
    ///
    /// A long list of dialogs is cached on disk in the background, to speed up the next start.
    pub(super) async fn initial_survey(&mut self) -> Option<JoinHandle<()>> {
        let engine = self.engine.clone();
        let surveyed = blocking(move |on| {
            let survey = engine.store.survey_and_set_aside(Bucket::Run);
            let minds_stamp = engine.configuration.stamp(on);
            let minds = engine.minds(on);
            let waiting = engine.trust.waiting(&minds);
            engine.driving.set_awaits_consent(waiting.iter().any(Unagreed::holds_dialogs));
            let view = workspace_view(&engine, &minds, &survey);
            let taskdocs = taskdoc_problems(&engine, &survey);
            let report = minds_report(&engine, &minds, on);
            (survey, minds_stamp, minds, view, taskdocs, report)
        });
        let Ok((survey, minds_stamp, minds, view, taskdocs, report)) = surveyed.await else {
            return None;
        };
        let should_save = survey.is_worth_indexing();
        self.minds_stamp = Some(minds_stamp);
        let origin = "taskdocs".into();
        self.report(DriverReport::Problems { origin, problems: taskdocs }).await;
        self.report(DriverReport::Workspace(view)).await;
        self.report(report).await;
        let (origin, problems) = ("workspace".into(), survey.problems.clone());
        self.report(DriverReport::Problems { origin, problems }).await;
        self.report(DriverReport::Titles(survey.titles)).await;
        let mut waiting = Vec::new();
        for listing in &survey.trees {
            let root = listing.root.clone();
            if self.may_pick_up() && needs_loading(listing) {
                waiting.push(root.clone());
            }
            self.report(listing_report(listing, &minds)).await;
        }
        self.pick_up(waiting).await;
        self.take_up(&survey.trees).await;
        self.report(DriverReport::SurveyDone).await;
        self.begin_to_count_changes(survey.trees);
        let engine = self.engine.clone();
        should_save.then(|| tokio::task::spawn_blocking(move || save_list(&engine)))
    }
}

/// An error only makes the next start slower.
fn save_list(engine: &Engine) {
    if let Err(error) = engine.store.write_list_index() {
        tracing::warn!(%error, "the list of dialogs is not cached");
    }
}
