//! Copies the part of a tree that existed before one generation of its main dialog. Pure.
//!
//! The main dialog is cut where that generation begins. A side dialog is kept if the call that created it
//! is; its records are kept up to the time when the main dialog reached the generation.

use std::sync::Arc;

use crate::domain::asking::question::CallSite;
use crate::domain::dialogs::call::{ASK_HUMAN, text_argument};
use crate::domain::dialogs::fresh_boots::{FbrRound, FbrState};
use crate::domain::dialogs::latest::CourseStartPrompt;
use crate::domain::dialogs::record::{
    Call, DeliveryMode, Entry, HumanText, Origin, Record, SideDialogCreated,
};
use crate::domain::dialogs::tree::TreeChange;
use crate::domain::text::{Localized, localized};
use crate::domain::{
    Assignment, Attachment, Course, DialogId, Genseq, History, Latest, Question, Reminder, RootId,
    SelfId, Stamp,
};
use crate::protocol::{AttachedImage, Refusal};
use crate::store::CourseLine;

use super::assignments;
use super::copied_lines::{
    Courses, CutPosition, is_written_anew, lines_before, snapshot_records, with_renamed_root,
};
use super::dialogs::{ForkPoint, ForkedDialog, GenerationOpening, SourceDialog};

/// One fork.
#[derive(Debug, Clone, Copy)]
pub struct ForkPlan<'a> {
    pub from: &'a RootId,
    pub to: &'a RootId,
    pub cut: ForkPoint,
    pub now: &'a Stamp,
}

impl ForkPlan<'_> {
    /// The changes that write a readable tree, and how the generation at the fork point began.
    pub fn copy(
        &self,
        sources: &[SourceDialog],
    ) -> Result<(Vec<TreeChange>, GenerationOpening), Localized> {
        let main = self.from.main();
        let source = find(sources, &main).ok_or(Refusal::NoSuchDialog)?;
        let end = self.end_of_main(&source.courses)?;
        let opening = opening(&source.courses, end);
        let mut copied = vec![self.copy_dialog(source, end, sources)];
        self.add_sides(sources, &mut copied);
        let mut changes = Vec::new();
        for copy in &copied {
            changes.extend(self.changes(copy, &copied, sources));
        }
        Ok((changes, opening))
    }

    /// Where the generation begins.
    fn end_of_main(&self, courses: &Courses) -> Result<CutPosition, Localized> {
        let cut = self.cut;
        let course = courses.iter().position(|(course, _)| *course == cut.course);
        let found = course.and_then(|at| {
            let (_, lines) = courses.get(at)?;
            let line = lines.iter().position(|line| line.entry.genseq == Some(cut.genseq))?;
            Some(CutPosition { course: at, line })
        });
        found.ok_or_else(|| {
            let (genseq, course) = (cut.genseq, cut.course);
            localized!(
                "there is no generation {genseq} in course {course}",
                "课程 {course} 中没有第 {genseq} 次生成"
            )
        })
    }

    /// The end of a side dialog's records: the first one written after the main dialog had reached the
    /// generation. A record without a root position counts as old as the one before it.
    fn end_of_side(&self, courses: &Courses) -> CutPosition {
        for (course, (_, lines)) in courses.iter().enumerate() {
            let late = |line: &CourseLine| {
                let root = line.entry.root.filter(|root| root.genseq > Genseq(0));
                root.is_some_and(|r| ForkPoint { course: r.course, genseq: r.genseq } >= self.cut)
            };
            if let Some(line) = lines.iter().position(late) {
                return CutPosition { course, line };
            }
        }
        CutPosition { course: courses.len(), line: 0 }
    }

    /// Adds the side dialogs whose first call is kept, including those created by side dialogs.
    fn add_sides(&self, sources: &[SourceDialog], copied: &mut Vec<ForkedDialog>) {
        let mut waiting: Vec<&SourceDialog> =
            sources.iter().filter(|source| source.dialog.meta.id != self.from.main()).collect();
        waiting.sort_by(|a, b| {
            let created = |source: &SourceDialog| source.dialog.meta.created_at.clone();
            (created(a), &a.dialog.meta.id).cmp(&(created(b), &b.dialog.meta.id))
        });
        loop {
            let before = waiting.len();
            waiting.retain(|source| {
                let is_kept = assignments::first_assignment(source, sources).is_some_and(|first| {
                    let asker = self.new_id(&first.asker_dialog_id);
                    let asker = copied.iter().find(|copy| copy.meta.id == asker);
                    asker.is_some_and(|asker| asker.history.calls.contains_key(&first.call_id))
                });
                if is_kept {
                    copied.push(self.copy_dialog(
                        source,
                        self.end_of_side(&source.courses),
                        sources,
                    ));
                }
                !is_kept
            });
            if waiting.len() == before {
                return;
            }
        }
    }

    /// The id of a dialog in the fork.
    pub fn new_id(&self, dialog: &SelfId) -> SelfId {
        if *dialog == self.from.main() { self.to.main() } else { dialog.clone() }
    }

    fn copy_dialog(
        &self,
        source: &SourceDialog,
        end: CutPosition,
        sources: &[SourceDialog],
    ) -> ForkedDialog {
        let mut courses = lines_before(&source.courses, end);
        for line in courses.iter_mut().flat_map(|(_, lines)| lines) {
            let text = with_renamed_root(&line.text, self.from, self.to);
            if text != line.text {
                line.entry = Entry::parse(&text).unwrap_or_else(|| line.entry.clone());
                line.text = text;
            }
        }
        let complete = end.course >= source.courses.len();
        let mut meta = source.dialog.meta.clone();
        let is_main = meta.id == self.from.main();
        if is_main {
            meta.id = self.to.main();
            meta.created_at = self.now.clone();
        }
        let created = assignments::created(&meta.id, sources).map(|created| self.created(created));
        let first_assignment =
            assignments::first_assignment(source, sources).map(|first| self.assignment(first));
        let latest = self.latest(source, &courses, end, complete);
        let history = fold_history(&courses);
        let copied = ForkedDialog {
            meta,
            latest,
            history,
            courses,
            created,
            first_assignment: first_assignment.filter(|_| !is_main),
        };
        if copied.latest.fbr_state.is_some() && !complete {
            restart_reasoning(copied)
        } else {
            copied
        }
    }

    fn created(&self, created: &SideDialogCreated) -> SideDialogCreated {
        SideDialogCreated {
            asker_dialog_id: self.new_id(&created.asker_dialog_id),
            assignment_from_asker: self.assignment(created.assignment_from_asker.clone()),
            ..created.clone()
        }
    }

    fn assignment(&self, assignment: Assignment) -> Assignment {
        Assignment { asker_dialog_id: self.new_id(&assignment.asker_dialog_id), ..assignment }
    }

    /// The first prompt of a course, with the ids of the fork.
    fn renamed_prompt(&self, mut prompt: CourseStartPrompt) -> CourseStartPrompt {
        if let Some(owed) = &mut prompt.tellask_reply_directive {
            owed.target_dialog_id = self.new_id(&owed.target_dialog_id);
        }
        if let Some(target) = &mut prompt.side_dialog_reply_target {
            target.owner_dialog_id = self.new_id(&target.owner_dialog_id);
        }
        prompt
    }

    /// State that is not in the records stays as it is now; the rest is derived from the records.
    fn latest(
        &self,
        source: &SourceDialog,
        courses: &Courses,
        end: CutPosition,
        complete: bool,
    ) -> Latest {
        let now = &source.dialog.latest;
        let course = courses.iter().rev().find(|(_, lines)| !lines.is_empty());
        let mut latest = Latest::new(self.now.clone());
        latest.current_course = course.map_or(Course::FIRST, |(course, _)| *course);
        latest.generating = Some(false);
        latest.disable_diligence_push = now.disable_diligence_push;
        latest.diligence_push_remaining_budget = now.diligence_push_remaining_budget;
        latest.diligence_push_given = now.diligence_push_given;
        latest.chosen_model.clone_from(&now.chosen_model);
        latest.chosen_autonomy = now.chosen_autonomy;
        latest.fbr_state.clone_from(&now.fbr_state);
        latest.extra.clone_from(&now.extra);
        if complete {
            latest.current_course = latest.current_course.max(now.current_course);
            let prompt = now.pending_course_start_prompt.clone();
            latest.pending_course_start_prompt = prompt.map(|prompt| self.renamed_prompt(prompt));
        } else if let GenerationOpening::Course(prompt) = opening(&source.courses, end) {
            let opened = source.courses.get(end.course).map(|(course, _)| *course);
            latest.current_course = opened.unwrap_or(latest.current_course);
            latest.pending_course_start_prompt = Some(self.renamed_prompt(*prompt));
        }
        latest
    }

    fn changes(
        &self,
        copy: &ForkedDialog,
        all: &[ForkedDialog],
        sources: &[SourceDialog],
    ) -> Vec<TreeChange> {
        let dialog = copy.meta.id.clone();
        let is_main = dialog == self.to.main();
        let stack = if is_main { Vec::new() } else { assignments::stack(copy, all) };
        let mut latest = copy.latest.clone();
        let now = find(sources, &dialog).map(|source| &source.dialog.latest);
        if now.is_some_and(Latest::is_dead) && assignments::was_declared_dead(&stack, all) {
            latest.die();
        }
        let reminders = reminders(&copy.courses);
        let questions = self.questions(copy);
        let mut changes = vec![TreeChange::Create {
            meta: Box::new(copy.meta.clone()),
            latest: Box::new(latest),
            stack,
        }];
        for (course, lines) in &copy.courses {
            let kept = lines.iter().filter(|line| !is_written_anew(&line.entry));
            let entries = kept.map(|line| Arc::new(Entry::verbatim(&line.text))).collect();
            changes.push(TreeChange::Append { dialog: dialog.clone(), course: *course, entries });
        }
        let created = all.iter().filter_map(|side| side.created.clone());
        let mut records: Vec<Record> = created
            .filter(|created| created.asker_dialog_id == dialog)
            .map(Record::SideDialogCreated)
            .collect();
        records.push(Record::Reminders { reminders: reminders.clone() });
        records.push(Record::Questions { questions: questions.clone() });
        changes.push(snapshot_records(&dialog, records, self.now));
        changes.push(TreeChange::Reminders { dialog: dialog.clone(), reminders });
        if !questions.is_empty() {
            changes.push(TreeChange::Questions { dialog, questions });
        }
        changes
    }

    /// The questions that were open at the fork point.
    fn questions(&self, copy: &ForkedDialog) -> Vec<Question> {
        let id = DialogId::side(self.to, &copy.meta.id);
        let mut open: Vec<Question> = Vec::new();
        let lines =
            copy.courses.iter().flat_map(|(course, lines)| lines.iter().map(|l| (*course, l)));
        for (course, line) in lines {
            let record = &line.entry.record;
            if let Record::TellaskCall { call, delivery_mode } = record {
                let asks = *delivery_mode == DeliveryMode::TellaskCallStart;
                if asks && call.name == ASK_HUMAN {
                    open.push(question(&id, course, &line.entry, call));
                }
            } else if let Record::TellaskResult(result) = record {
                open.retain(|question| question.call_id != result.call_id);
            } else if let Record::Carryover(reply) = record {
                open.retain(|question| question.call_id != reply.call_id);
            } else if let Record::Questions { questions } = record {
                // Questions withdrawn by a new course are not asked again.
                open.retain(|q| questions.iter().any(|still| still.call_id == q.call_id));
            }
        }
        open
    }
}

fn question(dialog: &DialogId, course: Course, entry: &Entry, call: &Call) -> Question {
    let content = text_argument(&call.raw_arguments_text, "tellaskContent");
    let content = content.unwrap_or_else(|| call.raw_arguments_text.clone());
    let site = CallSite {
        course,
        message_index: 0,
        call_site_genseq: entry.genseq,
        extra: serde_json::Map::new(),
    };
    Question::new(dialog, &call.id, &content, entry.ts.clone(), site)
}

fn find<'a>(sources: &'a [SourceDialog], dialog: &SelfId) -> Option<&'a SourceDialog> {
    sources.iter().find(|source| source.dialog.meta.id == *dialog)
}

/// Fresh-boots reasoning that was cut in the middle restarts: it had no effects.
fn restart_reasoning(copied: ForkedDialog) -> ForkedDialog {
    let round = copied.latest.fbr_state.as_ref().and_then(FbrState::round);
    let mut latest = copied.latest;
    latest.current_course = Course::FIRST;
    latest.fbr_state =
        Some(FbrState::begin(FbrRound::first(round.map_or(1, |round| round.effort))));
    ForkedDialog { latest, courses: Vec::new(), history: History::new(Course::FIRST), ..copied }
}

fn fold_history(courses: &Courses) -> History {
    let mut history = History::new(Course::FIRST);
    for (course, lines) in courses {
        for line in lines {
            history.fold(*course, Arc::new(line.entry.clone()));
        }
    }
    history
}

/// The reminders as last recorded.
fn reminders(courses: &Courses) -> Vec<Reminder> {
    let lines = courses.iter().rev().flat_map(|(_, lines)| lines.iter().rev());
    let mut recorded = lines.filter_map(|line| {
        let Record::Reminders { reminders } = &line.entry.record else { return None };
        Some(reminders.clone())
    });
    recorded.next().unwrap_or_default()
}

/// How the generation at `end` begins.
pub fn opening(courses: &Courses, end: CutPosition) -> GenerationOpening {
    let Some((course, lines)) = courses.get(end.course) else { return GenerationOpening::Nothing };
    let Some(first) = lines.get(end.line) else { return GenerationOpening::Nothing };
    let begins = matches!(first.entry.record, Record::GenStart | Record::HumanText(_));
    let own = lines
        .iter()
        .skip(end.line)
        .take_while(|line| line.entry.genseq.is_none() || line.entry.genseq == first.entry.genseq);
    let prompts: Vec<&HumanText> = own
        .filter(|_| begins)
        .filter_map(|line| {
            let Record::HumanText(text) = &line.entry.record else { return None };
            Some(text)
        })
        .collect();
    let earlier = lines.iter().take(end.line);
    let opens_course = *course > Course::FIRST
        && earlier.filter(|line| !is_written_anew(&line.entry)).count() == 0;
    match prompts.first() {
        Some(text) if text.origin == Origin::User => {
            GenerationOpening::User { text: user_text(&prompts), images: user_images(&prompts) }
        }
        Some(text) if text.origin == Origin::Runtime && opens_course => {
            GenerationOpening::Course(Box::new(course_start(text)))
        }
        Some(_) | None => GenerationOpening::Nothing,
    }
}

/// All messages of the user that opened this generation, as one draft.
fn user_text(prompts: &[&HumanText]) -> String {
    let by_user = prompts.iter().filter(|text| text.origin == Origin::User);
    by_user.map(|text| text.content.as_str()).collect::<Vec<_>>().join("\n\n")
}

/// The images of these messages.
fn user_images(prompts: &[&HumanText]) -> Vec<AttachedImage> {
    let by_user = prompts.iter().filter(|text| text.origin == Origin::User);
    let images = |text: &&HumanText| {
        AttachedImage::all(Attachment::all(text.content_items.as_ref()), &text.content)
    };
    by_user.flat_map(images).collect()
}

fn course_start(text: &HumanText) -> CourseStartPrompt {
    CourseStartPrompt {
        content: text.content.clone(),
        msg_id: text.msg_id.clone(),
        grammar: text.grammar.clone(),
        origin: "runtime".to_owned(),
        user_language_code: text.user_language_code.clone(),
        skip_taskdoc: None,
        tellask_reply_directive: text.tellask_reply_directive.clone(),
        side_dialog_reply_target: None,
        extra: serde_json::Map::new(),
    }
}
