//! How the program quits.

use super::facts::Facts;
use crate::app::drawing::app_words;
use crate::domain::safety::sandbox::Level;
use crate::domain::text::Text;
use crate::effect::Effect;
use crate::follow_up::{FollowUp, FollowUps};
use crate::model::{Model, Tone};
use crate::new_overlay::{NewOverlay, StillRunning};

/// What happens to background processes when the program quits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum QuitPolicy {
    #[default]
    LetRun,
    Stop,
}

/// How the screen is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leaving {
    /// The driver is asked to end; the screen shows that until it has.
    WithDriver,
    /// The driver goes on.
    Detached,
}

#[derive(Debug, Default)]
pub(in crate::app) struct Quitting {
    policy: QuitPolicy,
    begun: bool,
    detached: bool,
}

impl Quitting {
    /// Returns the user's choice.
    pub fn policy(&self) -> QuitPolicy {
        self.policy
    }

    /// Quits, and stops background processes.
    pub fn quit_and_stop(&mut self) -> Effect {
        self.policy = QuitPolicy::Stop;
        Effect::Quit
    }

    /// Records that the screen is being left.
    pub fn begin(&mut self, leaving: Leaving) {
        match leaving {
            Leaving::WithDriver => self.begun = true,
            Leaving::Detached => self.detached = true,
        }
    }

    pub fn has_detached(&self) -> bool {
        self.detached
    }

    pub fn has_begun(&self) -> bool {
        self.begun
    }
}

/// Leaves the screen; the driver goes on.
pub(in crate::app) fn detach(facts: Facts<'_>) -> FollowUp {
    match facts.model {
        Model { driver_goes_on: true, .. } => FollowUp::Effect(Effect::Quit),
        Model { detaches: true, .. } => FollowUp::Effect(Effect::Detach),
        _ => FollowUp::Notify(Tone::Plain, app_words::CANNOT_DETACH),
    }
}

/// Quits at once if nothing runs, or nothing ends by that.
pub(in crate::app) fn ask_if_running(facts: Facts<'_>) -> FollowUp {
    if facts.model.driver_goes_on {
        FollowUp::Effect(Effect::Quit)
    } else if facts.model.tree.any_running() || facts.model.processes_running() > 0 {
        ask(facts)
    } else {
        FollowUp::Effect(Effect::Quit)
    }
}

fn quit_now() -> FollowUps {
    vec![FollowUp::Effect(Effect::Quit)]
}

fn confirm(question: Text) -> NewOverlay {
    NewOverlay::Confirm(app_words::SUBJECT_QUIT, question, quit_now())
}

/// Asks whether to quit; while background processes run, also what happens to them.
pub(in crate::app) fn ask(facts: Facts<'_>) -> FollowUp {
    let model = facts.model;
    let quit = |running| NewOverlay::Quit { running, detaches: model.detaches };
    FollowUp::Show(if model.driver_goes_on {
        confirm(app_words::LEAVE_QUESTION)
    } else if model.processes_running() > 0 {
        let sandboxed = model.level.is_some_and(|level| level != Level::Off);
        quit(StillRunning::Processes { sandboxed })
    } else if model.tree.any_running() {
        quit(StillRunning::Dialogs)
    } else {
        confirm(app_words::QUIT_QUESTION)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::flow::facts::testing::Workspace;

    #[test]
    fn background_processes_keep_running_unless_the_user_chose_otherwise() {
        let mut quitting = Quitting::default();
        quitting.begin(Leaving::WithDriver);
        assert_eq!(quitting.policy(), QuitPolicy::LetRun);
        assert_eq!(quitting.quit_and_stop(), Effect::Quit);
        assert_eq!(quitting.policy(), QuitPolicy::Stop);
    }

    #[test]
    fn quitting_asks_only_while_something_runs() {
        let mut workspace = Workspace::new();
        let question = |word| FollowUp::Show(confirm(word));
        let running = StillRunning::Dialogs;
        let running = FollowUp::Show(NewOverlay::Quit { running, detaches: false });
        assert_eq!(ask_if_running(workspace.facts()), running);
        workspace.model.tree.set(Vec::new());
        assert_eq!(ask_if_running(workspace.facts()), FollowUp::Effect(Effect::Quit));
        assert_eq!(ask(workspace.facts()), question(app_words::QUIT_QUESTION));
    }

    #[test]
    fn a_screen_is_left_where_its_driver_can_go_on_and_else_that_is_said() {
        let mut workspace = Workspace::new();
        let said = FollowUp::Notify(Tone::Plain, app_words::CANNOT_DETACH);
        assert_eq!(detach(workspace.facts()), said);
        workspace.model.detaches = true;
        assert_eq!(detach(workspace.facts()), FollowUp::Effect(Effect::Detach));
        workspace.model.driver_goes_on = true;
        assert_eq!(detach(workspace.facts()), FollowUp::Effect(Effect::Quit));
    }

    #[test]
    fn a_screen_whose_driver_goes_on_is_left_without_a_question_about_what_runs() {
        let mut workspace = Workspace::new();
        workspace.model.driver_goes_on = true;
        assert_eq!(ask_if_running(workspace.facts()), FollowUp::Effect(Effect::Quit));
        let leave = confirm(app_words::LEAVE_QUESTION);
        assert_eq!(ask(workspace.facts()), FollowUp::Show(leave));
    }
}
