//! A look at the dialog that is selected in the tree, beside it and without opening it.
//!
//! Once the selection rests, its newest records are requested; of several requests only the newest counts.
//! The preview names its dialog and stays until there is another one to show, so that moving through the tree
//! redraws nothing beside it. The open dialog, its view and the composer know nothing of it.

use std::time::{Duration, Instant};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::domain::{Course, DialogId, Genseq, Stamp};
use crate::panes::transcript::{OpenDialog, TranscriptContext, TranscriptPane, Unfolded};
use crate::protocol::{Ticket, TranscriptPage, TreeRow};
use crate::request::Request;
use crate::text::SafeText;

/// How long the selection rests before records are requested.
const REST: Duration = Duration::from_millis(150);
/// The longest time the preview may be out of date while its dialog goes on.
const REFRESH: Duration = Duration::from_secs(1);

/// A dialog, and how far it had come.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PreviewAim {
    dialog: DialogId,
    progress: (Course, Genseq, Stamp),
}

impl PreviewAim {
    fn of(row: &TreeRow) -> Self {
        let progress = (row.course, row.genseq, row.last_modified.clone());
        Self { dialog: row.dialog.clone(), progress }
    }
}

#[derive(Debug, Default)]
pub(in crate::app) struct Preview {
    /// The dialog to preview; `None` for the open dialog.
    aim: Option<PreviewAim>,
    /// The time at which the aim is requested, or the preview ends.
    due: Option<Instant>,
    asked: Option<(Ticket, DialogId)>,
    shown: Option<Previewed>,
}

/// The effect of time on a preview.
#[derive(Debug)]
pub(in crate::app) enum PreviewStep {
    Nothing,
    Wants(Request),
    /// The open dialog is to be seen again.
    Ended,
}

#[derive(Debug)]
struct Previewed {
    dialog: DialogId,
    content: PreviewContent,
}

#[derive(Debug)]
enum PreviewContent {
    Records(Box<(OpenDialog, TranscriptPane)>),
    /// Why there are no records.
    Refused(SafeText),
}

impl Preview {
    /// The selection is here now; `None` if it is on nothing that has a preview.
    pub fn aim_at(&mut self, selected: Option<&TreeRow>, now: Instant) {
        let aim = selected.map(PreviewAim::of);
        if aim == self.aim {
            return;
        }
        let goes_on = |aim: &PreviewAim, before: &PreviewAim| aim.dialog == before.dialog;
        if aim.as_ref().zip(self.aim.as_ref()).is_some_and(|(aim, before)| goes_on(aim, before)) {
            self.due.get_or_insert(now + REFRESH);
        } else {
            let idle = aim.is_none() && self.shown.is_none() && self.asked.is_none();
            self.due = (!idle).then(|| now + REST);
        }
        self.aim = aim;
    }

    /// Ends the preview.
    pub fn leave(&mut self) {
        *self = Self::default();
    }

    pub fn wake_at(&self) -> Option<Instant> {
        self.due
    }

    /// Returns the step that is due.
    pub fn tick(&mut self, now: Instant) -> PreviewStep {
        if self.due.take_if(|due| *due <= now).is_none() {
            return PreviewStep::Nothing;
        }
        let Some(aim) = &self.aim else {
            self.leave();
            return PreviewStep::Ended;
        };
        PreviewStep::Wants(Request::Preview { dialog: aim.dialog.clone() })
    }

    /// Records a preview request with its ticket; returns the one that is no longer wanted.
    pub fn requested(&mut self, request: &Request, ticket: Ticket) -> Option<Ticket> {
        let Request::Preview { dialog } = request else { return None };
        self.asked.replace((ticket, dialog.clone())).map(|(before, _)| before)
    }

    /// An answer was lost.
    pub fn ask_again(&mut self, now: Instant) {
        if self.asked.is_some() {
            self.due = Some(now);
        }
    }

    /// The newest records are there; true if they are shown.
    pub fn arrived(&mut self, ticket: Ticket, page: TranscriptPage) -> bool {
        let Some(dialog) = self.answered(ticket) else { return false };
        if page.dialog != dialog {
            return false;
        }
        let mut open = OpenDialog::new(dialog.clone(), Unfolded::default());
        open.load(page);
        let content = PreviewContent::Records(Box::new((open, TranscriptPane::default())));
        self.shown = Some(Previewed { dialog, content });
        true
    }

    /// Shows why the records cannot be read.
    pub fn refused(&mut self, ticket: Ticket, why: &str) {
        if let Some(dialog) = self.answered(ticket) {
            let content = PreviewContent::Refused(SafeText::line(why));
            self.shown = Some(Previewed { dialog, content });
        }
    }

    fn answered(&mut self, ticket: Ticket) -> Option<DialogId> {
        self.asked.take_if(|(asked, _)| *asked == ticket).map(|(_, dialog)| dialog)
    }

    /// The dialog that is shown.
    pub fn dialog(&self) -> Option<&DialogId> {
        self.shown.as_ref().map(|shown| &shown.dialog)
    }

    /// Returns its records.
    pub fn records(&self) -> Option<&OpenDialog> {
        match &self.shown.as_ref()?.content {
            PreviewContent::Records(records) => Some(&records.0),
            PreviewContent::Refused(_) => None,
        }
    }

    /// Returns why there are no records.
    pub fn refusal(&self) -> Option<&SafeText> {
        match &self.shown.as_ref()?.content {
            PreviewContent::Records(_) => None,
            PreviewContent::Refused(why) => Some(why),
        }
    }

    /// Lays everything out again, for a new theme.
    pub fn forget_layout(&mut self) {
        if let Some((_, pane)) = self.parts() {
            pane.forget_layout();
        }
    }

    /// Arranges the end of the dialog for `area`. Older records than these are never requested.
    pub fn arrange(&mut self, context: &TranscriptContext<'_>, area: Rect) {
        if let Some((open, pane)) = self.parts() {
            // The preview does not grow, so no rows are left blank for new text.
            pane.fill();
            let _ = pane.arrange(open, context, area);
        }
    }

    pub fn draw(&self, context: &TranscriptContext<'_>, buffer: &mut Buffer, area: Rect) {
        if let Some(Previewed { content: PreviewContent::Records(records), .. }) = &self.shown {
            records.1.draw(&records.0, context, buffer, area);
        }
    }

    fn parts(&mut self) -> Option<(&mut OpenDialog, &mut TranscriptPane)> {
        match &mut self.shown.as_mut()?.content {
            PreviewContent::Records(records) => Some((&mut records.0, &mut records.1)),
            PreviewContent::Refused(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::app::tests::fixture::rows;
    use crate::domain::RootId;

    fn page(dialog: &DialogId) -> TranscriptPage {
        TranscriptPage {
            dialog: dialog.clone(),
            agent: "lead".into(),
            course: Course::FIRST,
            courses: Course::FIRST,
            first_line: 0,
            entries: Vec::new(),
        }
    }

    /// A preview, its time, and the answers it waits for.
    struct Looking {
        preview: Preview,
        now: Instant,
        ticket: Ticket,
        open: Vec<(Ticket, DialogId)>,
        requests: usize,
    }

    impl Looking {
        fn new() -> Self {
            let (preview, now) = (Preview::default(), Instant::now());
            Self { preview, now, ticket: 0, open: Vec::new(), requests: 0 }
        }

        fn wait(&mut self, time: Duration) {
            self.now += time;
            let request = match self.preview.tick(self.now) {
                PreviewStep::Nothing => return,
                PreviewStep::Ended => return self.open.clear(),
                PreviewStep::Wants(request) => request,
            };
            let before = self.open.pop().map(|(ticket, _)| ticket);
            self.ticket += 1;
            self.requests += 1;
            assert_eq!(self.preview.requested(&request, self.ticket), before);
            let Request::Preview { dialog } = request else { panic!("{request:?}") };
            self.open.push((self.ticket, dialog));
        }

        fn answer(&mut self) -> bool {
            let answered = self.open.pop();
            answered.is_some_and(|(ticket, dialog)| self.preview.arrived(ticket, page(&dialog)))
        }
    }

    #[test]
    fn moving_through_the_tree_requests_only_where_the_selection_rests() {
        let mut looking = Looking::new();
        for _ in 0..20 {
            for row in rows() {
                looking.preview.aim_at(Some(&row), looking.now);
                looking.wait(REST / 3);
            }
        }
        assert_eq!(looking.requests, 0);
        looking.wait(REST);
        assert_eq!(looking.requests, 1);
        assert!(looking.answer());
        assert_eq!(looking.preview.dialog(), rows().last().map(|row| &row.dialog));
        looking.wait(REFRESH * 10);
        assert_eq!((looking.requests, looking.preview.wake_at()), (1, None));
    }

    #[test]
    fn a_dialog_that_goes_on_is_read_again_now_and_then() {
        let mut looking = Looking::new();
        let mut row = rows().remove(0);
        for minute in 10..40 {
            row.last_modified = Stamp::new(format!("2026-11-21 12:{minute}:00"));
            looking.preview.aim_at(Some(&row), looking.now);
            looking.wait(REFRESH / 10);
            looking.answer();
        }
        assert!((2..=4).contains(&looking.requests), "{}", looking.requests);
    }

    #[test]
    fn what_was_wanted_before_is_shown_neither_late_nor_after_leaving() {
        let (mut looking, all) = (Looking::new(), rows());
        looking.preview.aim_at(all.first(), looking.now);
        looking.wait(REST);
        let (ticket, late) = looking.open.pop().expect("a request");
        looking.preview.aim_at(all.get(1), looking.now);
        looking.open.push((ticket, late.clone()));
        looking.wait(REST);
        assert!(!looking.preview.arrived(ticket, page(&late)));
        looking.preview.leave();
        assert!(!looking.answer() && looking.preview.dialog().is_none());
    }

    #[test]
    fn a_page_of_another_dialog_is_not_shown() {
        let mut looking = Looking::new();
        looking.preview.aim_at(rows().first(), looking.now);
        looking.wait(REST);
        let (ticket, _) = looking.open.pop().expect("a request");
        let other = DialogId::main(RootId::new("zz/zz/1"));
        assert!(!looking.preview.arrived(ticket, page(&other)));
    }

    proptest! {
        #[test]
        fn once_the_selection_rests_it_is_what_is_shown(
            steps in proptest::collection::vec((0_usize..7, 0_u64..400, any::<bool>()), 1..40),
        ) {
            let (mut looking, all) = (Looking::new(), rows());
            let mut last = None;
            for (at, pause, answers) in steps {
                last = all.get(at);
                looking.preview.aim_at(last, looking.now);
                looking.wait(Duration::from_millis(pause));
                if answers {
                    looking.answer();
                }
            }
            for _ in 0..2 {
                looking.wait(REFRESH);
                looking.answer();
            }
            prop_assert_eq!(looking.preview.dialog(), last.map(|row| &row.dialog));
            prop_assert_eq!(looking.preview.wake_at(), None);
        }
    }
}
