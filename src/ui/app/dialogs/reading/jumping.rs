//! Jumps from a call to its assignment, from a reply to its call, and back. Records that are not
//! loaded yet are requested: older ones first, then the previous course.

use super::Reading;
use crate::app::drawing::app_words;
use crate::domain::reading::transcript::{AskedBlock, BlockBody, Reply, Tellask};
use crate::domain::text::Text;
use crate::domain::{CallId, Course, DialogId, Genseq, SelfId, TellaskKind};
use crate::focus::Focus;
use crate::follow_up::{FollowUp, ToWriting};
use crate::model::{FoundPlace, Place, Tone};
use crate::panes::transcript::{Landmark, ScrollMove};
use crate::question_choice::Pick;

/// Positions one can go back to.
const MAX_BACK_ENTRIES: usize = 50;

/// The target of a jump from a block.
#[derive(Debug, Clone, PartialEq, Eq)]
enum JumpTarget {
    /// To this block of another dialog of the tree.
    OtherDialog(SelfId, Landmark),
    /// To the call in this course of the same dialog.
    SameDialog(Course, Landmark),
    /// To the question for the user.
    Question,
    /// Nowhere: open or close the block.
    Toggle,
    /// The other end is not known.
    Unknown,
}

impl Reading {
    /// Jumps to the other end of the block with the cursor: from a call into its side dialog, from an
    /// assignment or a reply to its call. A question is answered instead. `asker` is that of the open
    /// dialog.
    pub fn jump(&mut self, asker: Option<&SelfId>) -> Vec<FollowUp> {
        let Some(open) = self.open() else {
            return vec![FollowUp::Notify(Tone::Plain, app_words::NOTHING_OPEN)];
        };
        let block = self.transcript().at_cursor(open).and_then(|item| open.block(item));
        let Some(block) = block else {
            let is_thinking = open.is_openable(self.transcript().cursor());
            let nothing = || vec![FollowUp::Notify(Tone::Plain, app_words::NO_CALL_HERE)];
            return if is_thinking { self.toggle_call() } else { nothing() };
        };
        let (dialog, body) = (open.dialog.clone(), block.body.clone());
        match jump_target(&body, asker) {
            JumpTarget::OtherDialog(there, landmark) => {
                self.go_to(&DialogId::side(&dialog.root, &there), landmark)
            }
            JumpTarget::SameDialog(course, landmark) => self.go_within(course, landmark),
            JumpTarget::Question => {
                let call = body.call().cloned();
                call.map(|call| FollowUp::Writing(ToWriting::Answer(Pick::Call(dialog, call))))
                    .into_iter()
                    .collect()
            }
            JumpTarget::Toggle => self.toggle_call(),
            JumpTarget::Unknown => vec![FollowUp::Notify(Tone::Plain, app_words::NO_SIDE_YET)],
        }
    }

    /// Returns the name of the other end of the block with the cursor, for a hint; `None` if none is known.
    pub fn other_end(&self, asker: Option<&SelfId>) -> Option<Text> {
        let open = self.open()?;
        let block = self.transcript().at_cursor(open).and_then(|item| open.block(item))?;
        match jump_target(&block.body, asker) {
            JumpTarget::OtherDialog(_, Landmark::Assignment(_)) => Some(app_words::SIDE_DIALOG),
            JumpTarget::OtherDialog(..) | JumpTarget::SameDialog(..) => Some(app_words::ITS_CALL),
            JumpTarget::Question | JumpTarget::Toggle | JumpTarget::Unknown => None,
        }
    }

    /// Shows a generation of a dialog; `newest` is the newest course of it.
    pub fn show_generation(
        &mut self,
        dialog: &DialogId,
        (course, genseq): (Course, Genseq),
        newest: Option<Course>,
    ) -> Vec<FollowUp> {
        self.remember_position();
        let course = (newest != Some(course)).then_some(course);
        let mut follow_ups = self.show(dialog, course);
        self.saved_views.remove(dialog);
        follow_ups.push(FollowUp::Focus(Focus::Dialog));
        self.scroll(ScrollMove::Target(Landmark::Generation(genseq)));
        follow_ups
    }

    /// Shows a call in its dialog, also in an earlier course.
    pub fn show_call(&mut self, dialog: &DialogId, call: CallId) -> Vec<FollowUp> {
        self.remember_position();
        self.go_to(dialog, Landmark::Call(call))
    }

    /// Shows a record that a search found; from there on its dialog is searched.
    pub fn show_found(&mut self, dialog: &DialogId, found: FoundPlace) -> Vec<FollowUp> {
        let course = found.place.course;
        let is_shown = self.open().is_some_and(|open| {
            let courses = open.first_course()..=open.course;
            open.dialog == *dialog && open.loaded && courses.contains(&course)
        });
        self.remember_position();
        let mut follow_ups = if is_shown { Vec::new() } else { self.show_course(dialog, course) };
        self.is_seeking = false;
        self.scroll(ScrollMove::Target(Landmark::Found(found)));
        follow_ups.push(FollowUp::Focus(Focus::Dialog));
        follow_ups
    }

    fn go_to(&mut self, dialog: &DialogId, landmark: Landmark) -> Vec<FollowUp> {
        let mut follow_ups = self.open_dialog(dialog, None);
        follow_ups.push(FollowUp::Focus(Focus::Dialog));
        self.seek(landmark);
        follow_ups
    }

    fn go_within(&mut self, course: Course, landmark: Landmark) -> Vec<FollowUp> {
        let Some(open) = self.open() else {
            return Vec::new();
        };
        let (dialog, shown) = (open.dialog.clone(), open.course);
        self.remember_position();
        let mut follow_ups = Vec::new();
        if course != shown {
            follow_ups = self.show(&dialog, Some(course));
            self.saved_views.remove(&dialog);
        }
        self.seek(landmark);
        follow_ups
    }

    fn seek(&mut self, landmark: Landmark) {
        self.is_seeking = true;
        self.scroll(ScrollMove::Target(landmark));
    }

    /// The block is not in this course: searches the previous one.
    pub(super) fn search_previous_course(&mut self, landmark: Landmark) -> Vec<FollowUp> {
        if !std::mem::take(&mut self.is_seeking) {
            return match landmark {
                Landmark::Found(_) | Landmark::Generation(_) => {
                    vec![FollowUp::Notify(Tone::Plain, app_words::NOT_FOUND)]
                }
                Landmark::Call(_) | Landmark::Assignment(_) => Vec::new(),
            };
        }
        let before = self.open().and_then(|open| {
            let course = open.course.0.checked_sub(1).filter(|course| *course > 0)?;
            Some((open.dialog.clone(), Course(course)))
        });
        let Some((dialog, course)) = before else {
            return vec![FollowUp::Notify(Tone::Plain, app_words::NOT_FOUND)];
        };
        let follow_ups = self.show(&dialog, Some(course));
        self.saved_views.remove(&dialog);
        self.seek(landmark);
        follow_ups
    }

    /// Pushes the current position onto the back list.
    pub(super) fn remember_position(&mut self) {
        let Some(open) = self.open() else {
            return;
        };
        let entry = Place {
            dialog: open.dialog.clone(),
            course: (open.course != open.courses).then_some(open.course),
            position: self.transcript().position(open),
        };
        self.back.push(entry);
        let excess = self.back.len().saturating_sub(MAX_BACK_ENTRIES);
        self.back.drain(..excess);
    }

    pub fn go_back(&mut self) -> Vec<FollowUp> {
        let Some(entry) = self.back.pop() else {
            return vec![FollowUp::Notify(Tone::Plain, app_words::NOTHING_BEFORE)];
        };
        self.visit(entry)
    }

    /// Goes to one of the places to go back to; the current one takes its row in the list.
    pub fn go_to_place(&mut self, place: usize) -> Vec<FollowUp> {
        if place >= self.back.len() {
            return Vec::new();
        }
        let entry = self.back.remove(place);
        self.remember_position();
        let mut follow_ups = self.visit(entry);
        follow_ups.push(FollowUp::Focus(Focus::Dialog));
        follow_ups
    }

    /// The places to go back to, the last one visited last.
    pub fn places(&self) -> &[Place] {
        &self.back
    }

    fn visit(&mut self, entry: Place) -> Vec<FollowUp> {
        self.is_seeking = false;
        let here = self.open().is_some_and(|open| {
            let course = (open.course != open.courses).then_some(open.course);
            open.dialog == entry.dialog && course == entry.course
        });
        if here {
            self.scroll(match entry.position {
                Some(position) => ScrollMove::Position(position),
                None => ScrollMove::End,
            });
            return Vec::new();
        }
        let follow_ups = self.show(&entry.dialog, entry.course);
        self.saved_views.entry(entry.dialog).or_default().position = entry.position;
        follow_ups
    }
}

fn jump_target(body: &BlockBody, asker: Option<&SelfId>) -> JumpTarget {
    if let BlockBody::Tellask(tellask) = body {
        jump_target_of_call(tellask, asker)
    } else if let BlockBody::Assignment { from, call, .. } = body {
        JumpTarget::OtherDialog(from.clone(), Landmark::Call(call.clone()))
    } else if let BlockBody::Reply(Reply { to, answers: Some(call), .. }) = body {
        to.as_ref().or(asker).map_or(JumpTarget::Unknown, |to| {
            JumpTarget::OtherDialog(to.clone(), Landmark::Call(call.clone()))
        })
    } else if let BlockBody::Question(AskedBlock { answer: None, .. }) = body {
        JumpTarget::Question
    } else {
        JumpTarget::Toggle
    }
}

fn jump_target_of_call(tellask: &Tellask, asker: Option<&SelfId>) -> JumpTarget {
    let call = tellask.call.clone();
    if let Some(course) = tellask.called_in {
        return JumpTarget::SameDialog(course, Landmark::Call(call));
    }
    let there = match tellask.kind {
        TellaskKind::Back => asker,
        TellaskKind::Session | TellaskKind::Sessionless | TellaskKind::FreshBoots => {
            tellask.callee.as_ref()
        }
    };
    there.map_or(JumpTarget::Unknown, |there| {
        JumpTarget::OtherDialog(there.clone(), Landmark::Assignment(call))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ReplyKind;
    use crate::domain::reading::transcript::TellaskStatus;

    fn asked(kind: TellaskKind, callee: Option<&str>, called_in: Option<u32>) -> BlockBody {
        BlockBody::Tellask(Tellask {
            call: "c".into(),
            kind,
            started: true,
            target: None,
            slug: None,
            content: String::new(),
            status: TellaskStatus::Working,
            callee: callee.map(SelfId::new),
            called_in: called_in.map(Course),
        })
    }

    fn replied(to: Option<&str>, answers: Option<&str>) -> BlockBody {
        BlockBody::Reply(Reply {
            call: "r".into(),
            kind: ReplyKind::Session,
            to: to.map(SelfId::new),
            answers: answers.map(Into::into),
            content: String::new(),
            delivered: answers.is_some(),
            refused: None,
        })
    }

    #[test]
    fn each_end_of_a_call_jumps_to_the_other() {
        let asker = SelfId::new("asker");
        let to = |id: &str, landmark| JumpTarget::OtherDialog(SelfId::new(id), landmark);
        let assignment = || Landmark::Assignment("c".into());
        let call = || Landmark::Call("c".into());
        let from = SelfId::new("asker");
        let assigned =
            BlockBody::Assignment { from, call: "c".into(), reply: None, text: String::new() };
        for (body, expected) in [
            (asked(TellaskKind::Session, Some("side"), None), to("side", assignment())),
            (asked(TellaskKind::Session, None, None), JumpTarget::Unknown),
            (asked(TellaskKind::Back, None, None), to("asker", assignment())),
            (
                asked(TellaskKind::Session, Some("side"), Some(1)),
                JumpTarget::SameDialog(Course(1), call()),
            ),
            (assigned, to("asker", call())),
            (replied(Some("asker"), Some("c")), to("asker", call())),
            (replied(None, Some("c")), to("asker", call())),
            (replied(Some("asker"), None), JumpTarget::Toggle),
            (BlockBody::CutOff, JumpTarget::Toggle),
        ] {
            assert_eq!(jump_target(&body, Some(&asker)), expected, "{body:?}");
        }
        assert_eq!(jump_target(&replied(None, Some("c")), None), JumpTarget::Unknown);
    }
}
