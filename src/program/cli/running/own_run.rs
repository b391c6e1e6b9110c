//! The part of a driver's work that this process asked for. A driver in another process has other work, too,
//! whose events are not printed and whose end is not awaited.

use crate::domain::DialogId;
use crate::protocol::{Command, DriverEvent};

use super::other_driver::DriverPlace;

/// Events of a dialog that is not known yet, which are kept until it is. More are not printed.
const MAX_KEPT: usize = 4096;

/// The work that this process asked for.
#[derive(Debug, Clone, PartialEq)]
pub enum OwnRun {
    /// All that the driver does.
    Everything,
    /// One tree; and the dialog that was named.
    Tree(DialogId),
    /// A tree that the driver is about to make, with the events of dialogs sent since.
    NewTree(Vec<DriverEvent>),
}

impl OwnRun {
    /// The work that a command begins.
    pub fn of(command: &Command) -> Self {
        if let Command::Say { dialog, .. }
        | Command::SayNow { dialog, .. }
        | Command::Answer { dialog, .. }
        | Command::AnswerParts { dialog, .. }
        | Command::Continue { dialog, .. } = command
        {
            return Self::Tree(dialog.clone());
        }
        Self::NewTree(Vec::new())
    }

    /// Binds the run to the dialog that the command created; returns the events buffered for it.
    pub fn is(&mut self, dialog: Option<&DialogId>) -> Vec<DriverEvent> {
        let (Self::NewTree(kept), Some(dialog)) = (&mut *self, dialog) else { return Vec::new() };
        let kept = std::mem::take(kept);
        *self = Self::Tree(dialog.clone());
        kept.into_iter().filter_map(|event| self.own(event)).collect()
    }

    /// Returns the event if it belongs to the requested work.
    pub fn own(&mut self, event: DriverEvent) -> Option<DriverEvent> {
        let is_of_tree = matches!(event, DriverEvent::TreeQuiet { .. });
        let is_of_all = matches!(event, DriverEvent::Quiet(_) | DriverEvent::Halted(_));
        match self {
            Self::Everything => (!is_of_tree).then_some(event),
            Self::Tree(dialog) => {
                let is_own = event.root().is_none_or(|root| *root == dialog.root);
                (is_own && !is_of_all).then_some(event)
            }
            Self::NewTree(kept) => {
                if event.root().is_none() {
                    return (!is_of_all).then_some(event);
                }
                if kept.len() < MAX_KEPT {
                    kept.push(event);
                }
                None
            }
        }
    }

    /// Returns the command for an interrupt: stops everything of a driver of this run, and of another driver
    /// the work that this process asked for. `None`: the driver goes on.
    pub fn stop(&self, place: DriverPlace) -> Option<Command> {
        match (place, self) {
            (DriverPlace::Here, _) => Some(Command::StopAll),
            (DriverPlace::Elsewhere, Self::Tree(dialog)) => {
                Some(Command::Stop { dialog: dialog.clone() })
            }
            (DriverPlace::Elsewhere, Self::Everything | Self::NewTree(_)) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::RootId;
    use crate::protocol::QuietOutcome;

    fn dialog(name: &str) -> DialogId {
        DialogId::main(RootId::new(name))
    }

    fn end(name: &str) -> DriverEvent {
        DriverEvent::LiveEnd { dialog: dialog(name) }
    }

    fn quiet(name: &str) -> DriverEvent {
        let (root, outcome) = (RootId::new(name), QuietOutcome::Done);
        DriverEvent::TreeQuiet { root, outcome, halted: Vec::new() }
    }

    #[test]
    fn of_a_driver_that_does_other_work_only_the_own_tree_counts() {
        let mut run = OwnRun::Tree(dialog("a"));
        for (event, own) in [
            (end("a"), true),
            (end("b"), false),
            (quiet("a"), true),
            (quiet("b"), false),
            (DriverEvent::Quiet(QuietOutcome::Done), false),
            (DriverEvent::Lagged, true),
        ] {
            assert_eq!(run.own(event.clone()).is_some(), own, "{event:?}");
        }
    }

    #[test]
    fn what_came_of_a_new_tree_before_its_name_is_not_lost_and_what_came_of_others_is() {
        let mut run = OwnRun::of(&Command::StopAll);
        for name in ["b", "a", "b"] {
            assert_eq!(run.own(end(name)), None);
        }
        assert_eq!(run.is(Some(&dialog("a"))), [end("a")]);
        assert_eq!(run.own(quiet("a")), Some(quiet("a")));
        assert_eq!(run.own(quiet("b")), None);
    }

    #[test]
    fn an_interrupt_stops_what_was_asked_for_and_nothing_else_of_another_process() {
        let stop = |run: OwnRun, place| run.stop(place);
        assert_eq!(stop(OwnRun::Everything, DriverPlace::Here), Some(Command::StopAll));
        assert_eq!(stop(OwnRun::Everything, DriverPlace::Elsewhere), None);
        let named = OwnRun::Tree(dialog("a"));
        assert_eq!(
            stop(named, DriverPlace::Elsewhere),
            Some(Command::Stop { dialog: dialog("a") })
        );
    }
}
