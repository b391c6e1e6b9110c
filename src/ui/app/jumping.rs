//! Jumps from a call to its assignment, from a reply to its call, and back. What is not loaded yet is
//! requested: older records, then the previous course.

use super::{App, Focus};
use crate::domain::transcript::{Body, Reply, Tellask};
use crate::domain::{Course, DialogId, SelfId, TellaskKind};
use crate::ui::lang::Word;
use crate::ui::model::{Place, Tone};
use crate::ui::panes::transcript::{CallEnd, ScrollMove};

/// Positions one can go back to.
const MAX_BACK_ENTRIES: usize = 50;

/// Where the jump from a block leads.
#[derive(Debug, Clone, PartialEq, Eq)]
enum JumpTarget {
    /// To this block of another dialog of the tree.
    OtherDialog(SelfId, CallEnd),
    /// To the call in this course of the same dialog.
    SameDialog(Course, CallEnd),
    /// To the question for the user.
    Question,
    /// Nowhere: open or close the block.
    Toggle,
    /// The other end is not known.
    Unknown,
}

impl App {
    /// Jumps to the other end of the block being read: from a call into its side dialog, from an
    /// assignment or a reply to its call. A question is answered instead.
    pub(super) fn jump(&mut self) {
        let Some(open) = &self.model.open else {
            return self.notify(Tone::Plain, Word::NothingOpen);
        };
        let block = self.transcript.chosen(open).and_then(|item| open.block(item));
        let Some(block) = block else {
            self.notify(Tone::Plain, Word::NoCallHere);
            return;
        };
        let asker = self.model.tree.get(&open.dialog).and_then(|row| row.asker.as_ref());
        let (dialog, body) = (open.dialog.clone(), block.body.clone());
        match jump_target(&body, asker) {
            JumpTarget::OtherDialog(there, call_end) => {
                self.go_to(&DialogId::side(&dialog.root, &there), call_end);
            }
            JumpTarget::SameDialog(course, call_end) => self.go_within(course, call_end),
            JumpTarget::Question => {
                if let Some(call) = body.call() {
                    self.answer_call(&dialog, call);
                }
            }
            JumpTarget::Toggle => self.toggle_call(),
            JumpTarget::Unknown => self.notify(Tone::Plain, Word::NoSideYet),
        }
    }

    fn go_to(&mut self, dialog: &DialogId, call_end: CallEnd) {
        self.open(dialog, None);
        self.set_focus(Focus::Dialog);
        self.is_seeking = true;
        self.transcript.go(ScrollMove::Target(call_end));
    }

    fn go_within(&mut self, course: Course, call_end: CallEnd) {
        let Some(open) = &self.model.open else {
            return;
        };
        let (dialog, shown) = (open.dialog.clone(), open.course);
        self.remember_position();
        if course != shown {
            self.show(&dialog, Some(course));
            self.saved_views.remove(&dialog);
        }
        self.is_seeking = true;
        self.transcript.go(ScrollMove::Target(call_end));
    }

    /// The block is not in this course: searches the previous one.
    pub(super) fn search_previous_course(&mut self, call_end: CallEnd) {
        if !std::mem::take(&mut self.is_seeking) {
            return;
        }
        let before = self.model.open.as_ref().and_then(|open| {
            let course = open.course.0.checked_sub(1).filter(|course| *course > 0)?;
            Some((open.dialog.clone(), Course(course)))
        });
        let Some((dialog, course)) = before else {
            self.notify(Tone::Plain, Word::NotFound);
            return;
        };
        self.show(&dialog, Some(course));
        self.saved_views.remove(&dialog);
        self.is_seeking = true;
        self.transcript.go(ScrollMove::Target(call_end));
    }

    /// Pushes the current position onto the back list.
    pub(super) fn remember_position(&mut self) {
        let Some(open) = &self.model.open else {
            return;
        };
        let stop = Place {
            dialog: open.dialog.clone(),
            course: (open.course != open.courses).then_some(open.course),
            position: self.transcript.top_position(open),
        };
        self.back.push(stop);
        let excess = self.back.len().saturating_sub(MAX_BACK_ENTRIES);
        self.back.drain(..excess);
    }

    pub(super) fn go_back(&mut self) {
        let Some(stop) = self.back.pop() else {
            return self.notify(Tone::Plain, Word::NothingBefore);
        };
        self.visit(stop);
    }

    /// Goes to one of the places to go back to; the current one takes its row in the list.
    pub(super) fn go_to_place(&mut self, place: usize) {
        if place < self.back.len() {
            let place = self.back.remove(place);
            self.remember_position();
            self.visit(place);
            self.set_focus(Focus::Dialog);
        }
    }

    fn visit(&mut self, stop: Place) {
        self.is_seeking = false;
        let here = self.model.open.as_ref().is_some_and(|open| {
            let course = (open.course != open.courses).then_some(open.course);
            open.dialog == stop.dialog && course == stop.course
        });
        if here {
            self.transcript.go(match stop.position {
                Some((place, row)) => ScrollMove::Position(place, row),
                None => ScrollMove::End,
            });
            return;
        }
        self.show(&stop.dialog, stop.course);
        self.saved_views.entry(stop.dialog).or_default().position = stop.position;
    }
}

fn jump_target(body: &Body, asker: Option<&SelfId>) -> JumpTarget {
    match body {
        Body::Tellask(tellask) => jump_target_of_call(tellask, asker),
        Body::Assignment { from, call, .. } => {
            JumpTarget::OtherDialog(from.clone(), CallEnd::Call(call.clone()))
        }
        Body::Reply(Reply { to, answers: Some(call), .. }) => {
            to.as_ref().or(asker).map_or(JumpTarget::Unknown, |to| {
                JumpTarget::OtherDialog(to.clone(), CallEnd::Call(call.clone()))
            })
        }
        Body::Question(question) if question.answer.is_none() => JumpTarget::Question,
        Body::Reply(Reply { answers: None, .. })
        | Body::Question(_)
        | Body::Tool(_)
        | Body::Thinking { .. }
        | Body::Guide { .. }
        | Body::Push { .. }
        | Body::You { .. }
        | Body::Notice { .. }
        | Body::Saying { .. }
        | Body::CourseBreak { .. }
        | Body::CutOff
        | Body::Unknown { .. } => JumpTarget::Toggle,
    }
}

fn jump_target_of_call(tellask: &Tellask, asker: Option<&SelfId>) -> JumpTarget {
    let call = tellask.call.clone();
    if let Some(course) = tellask.called_in {
        return JumpTarget::SameDialog(course, CallEnd::Call(call));
    }
    let there = match tellask.kind {
        TellaskKind::Back => asker,
        TellaskKind::Session | TellaskKind::Sessionless | TellaskKind::FreshBoots => {
            tellask.callee.as_ref()
        }
    };
    there.map_or(JumpTarget::Unknown, |there| {
        JumpTarget::OtherDialog(there.clone(), CallEnd::Assignment(call))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ReplyKind;
    use crate::domain::transcript::TellaskStatus;

    fn asked(kind: TellaskKind, callee: Option<&str>, called_in: Option<u32>) -> Body {
        Body::Tellask(Tellask {
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

    fn replied(to: Option<&str>, answers: Option<&str>) -> Body {
        Body::Reply(Reply {
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
        let to = |id: &str, call_end| JumpTarget::OtherDialog(SelfId::new(id), call_end);
        let assignment = || CallEnd::Assignment("c".into());
        let call = || CallEnd::Call("c".into());
        let from = SelfId::new("asker");
        let assigned =
            Body::Assignment { from, call: "c".into(), reply: None, text: String::new() };
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
            (Body::CutOff, JumpTarget::Toggle),
        ] {
            assert_eq!(jump_target(&body, Some(&asker)), expected, "{body:?}");
        }
        assert_eq!(jump_target(&replied(None, Some("c")), None), JumpTarget::Unknown);
    }
}
