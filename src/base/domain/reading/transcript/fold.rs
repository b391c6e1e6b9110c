//! From records to blocks, one record at a time.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::parts;
use super::text::{argument, arguments, bounded, count_words, reply_words, summary};
use super::{
    AskedBlock, Block, BlockBody, BlockChange, RecordPosition, Reply, Tellask, TellaskStatus,
    ToolAction, ToolCall, ToolResult,
};
use crate::domain::asking::inquiry::Inquiry;
use crate::domain::dialogs::attachment::Attachment;
use crate::domain::dialogs::call::{ASK_HUMAN, told};
use crate::domain::dialogs::image_reference::names_of_images;
use crate::domain::dialogs::pending::Pending;
use crate::domain::dialogs::record::{
    Call, CallResult, Carryover, DeliveryMode, Entry, HumanText, Origin, Record, ReplyStatus,
    TellaskResult,
};
use crate::domain::ids::{AgentId, CallId, SelfId, Slug};
use crate::domain::number::{Course, Genseq};
use crate::domain::time::Stamp;
use crate::domain::{FileChange, PushCount, ReplyKind, SpecialCall, TellaskKind};

/// Records of Dominds 1.29 that say for programs where things are, and nothing to people.
const LINKS: [&str; 2] = ["tellask_anchor_record", "active_callees_reconciled_record"];
/// Another one: it names the side dialog of a call.
const CALLEE: &str = "tellask_callee_record";

/// What the fold remembers between records.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TranscriptFold {
    text_limit: usize,
    /// Where each call stands among the blocks.
    calls: BTreeMap<CallId, usize>,
    /// Records that complete a call which lies before the first known record.
    orphans: Vec<(RecordPosition, Entry)>,
    course: Option<Course>,
    /// The generation that has begun and not finished.
    open: Option<Genseq>,
    /// When the record before was written; a thought began then.
    previous: Stamp,
    /// Who waits for the reply this dialog owes.
    owed_to: Option<SelfId>,
}

impl TranscriptFold {
    pub(super) fn new(text_limit: usize) -> Self {
        Self {
            text_limit,
            calls: BTreeMap::new(),
            orphans: Vec::new(),
            course: None,
            open: None,
            previous: Stamp::default(),
            owed_to: None,
        }
    }

    pub(super) fn text_limit(&self) -> usize {
        self.text_limit
    }

    pub(super) fn push(
        &mut self,
        blocks: &mut Vec<Block>,
        place: RecordPosition,
        entry: &Entry,
    ) -> BlockChange {
        let before = blocks.len();
        let change = self.record(blocks, place, entry);
        self.previous = entry.ts.clone();
        if blocks.len() > before {
            return BlockChange::Added;
        }
        change
    }

    /// Completes calls of the older part with records of the newer one that found no call. Returns which blocks
    /// of the newer part stood for these and are removed.
    pub(super) fn join(
        &mut self,
        older: Self,
        old: &mut Vec<Block>,
        new: &mut Vec<Block>,
    ) -> Vec<usize> {
        let mut older = older;
        let mut joined = BTreeSet::new();
        for (place, entry) in std::mem::take(&mut self.orphans) {
            if completes(&entry.record).is_some_and(|call| older.calls.contains_key(call)) {
                joined.insert(place);
                older.push(old, place, &entry);
            } else {
                self.orphans.push((place, entry));
            }
        }
        self.orphans.splice(0..0, older.orphans);
        let stands_in = |block: &Block| {
            joined.contains(&block.place) && !matches!(block.body, BlockBody::CourseBreak { .. })
        };
        let removed = (0..new.len()).filter(|at| new.get(*at).is_some_and(stands_in)).collect();
        new.retain(|block| !stands_in(block));
        removed
    }

    pub(super) fn ended(&self, blocks: &mut [Block], call: &CallId, ok: bool) -> BlockChange {
        self.complete(blocks, call, |body| {
            if let BlockBody::Tool(ToolCall { result: Some(result), .. }) = body {
                result.ok = Some(ok);
            }
        })
    }

    /// Finds the calls again after blocks came or went.
    pub(super) fn reindex(&mut self, blocks: &[Block]) {
        self.calls = blocks
            .iter()
            .enumerate()
            .filter_map(|(at, block)| Some((block.body.call()?.clone(), at)))
            .collect();
    }

    fn record(
        &mut self,
        blocks: &mut Vec<Block>,
        place: RecordPosition,
        entry: &Entry,
    ) -> BlockChange {
        match &entry.record {
            Record::GenStart => self.generation_begins(blocks, place, entry),
            Record::GenFinish { .. } => self.open = None,
            Record::HumanText(text) => self.add(blocks, place, entry, |fold| fold.prompt(text)),
            Record::RuntimeGuide { content } => {
                self.add(blocks, place, entry, |fold| BlockBody::Guide {
                    text: fold.kept(content),
                });
            }
            // A thought only its provider can read.
            Record::Thought { content, .. } if content.trim().is_empty() => {}
            Record::Thought { content, .. } => {
                self.add(blocks, place, entry, |fold| fold.thinking(content, &entry.ts));
            }
            Record::Words { content, interrupted } => {
                self.say(blocks, place, entry, (content.as_str(), *interrupted));
            }
            Record::FuncCall(call) => self.call(blocks, place, entry, call, true),
            Record::TellaskCall { call, delivery_mode } => {
                let refused = *delivery_mode == DeliveryMode::FuncCallRequested;
                self.call(blocks, place, entry, call, refused);
            }
            Record::FuncResult(result) => return self.result(blocks, place, entry, result),
            Record::TellaskResult(result) => return self.answer(blocks, place, entry, result),
            Record::Carryover(reply) => return self.late_reply(blocks, place, entry, reply),
            Record::ReplyResolution { call_id, target_call_id, .. } => {
                return self.complete(blocks, call_id, |body| {
                    if let BlockBody::Reply(reply) = body {
                        reply.delivered = true;
                        reply.answers = Some(target_call_id.clone());
                    }
                });
            }
            Record::SideDialogCreated(made) => {
                let call = &made.assignment_from_asker.call_id;
                return self.found_callee(blocks, call, &made.side_dialog_id);
            }
            Record::PendingSideDialogs { pending_side_dialogs } => {
                return self.found_callees(blocks, pending_side_dialogs);
            }
            Record::UiOnly { content } => {
                self.add(blocks, place, entry, |fold| BlockBody::Notice {
                    text: fold.kept(content),
                });
            }
            Record::Unknown { kind, .. } if LINKS.contains(&kind.as_str()) => {}
            Record::Unknown { kind, line } if kind == CALLEE => {
                let link = arguments(line);
                let [call, callee] = ["callId", "calleeDialogId"].map(|key| argument(&link, key));
                let Some((call, callee)) = call.zip(callee) else { return BlockChange::Nothing };
                return self.found_callee(blocks, &CallId::new(call), &SelfId::new(callee));
            }
            Record::Unknown { kind, .. } => {
                self.add(blocks, place, entry, |_| BlockBody::Unknown { kind: kind.clone() });
            }
            Record::Anchor { .. }
            | Record::Reminders { .. }
            | Record::Questions { .. }
            | Record::Registry { .. } => {}
        }
        BlockChange::Nothing
    }

    fn add(
        &mut self,
        blocks: &mut Vec<Block>,
        place: RecordPosition,
        entry: &Entry,
        body: impl FnOnce(&mut Self) -> BlockBody,
    ) {
        if self.course.is_some_and(|course| course < place.course) {
            let course = place.course;
            blocks.push(block(place, entry, BlockBody::CourseBreak { course }));
        }
        self.course = Some(place.course);
        let body = body(self);
        if let Some(call) = body.call() {
            self.calls.insert(call.clone(), blocks.len());
        }
        blocks.push(block(place, entry, body));
    }

    /// Words of the member: a very long text in parts.
    fn say(
        &mut self,
        blocks: &mut Vec<Block>,
        place: RecordPosition,
        entry: &Entry,
        (text, interrupted): (&str, bool),
    ) {
        for (text, part) in parts::split(text, self.text_limit) {
            let is_last = part.as_ref().is_none_or(|part| part.is_last);
            let (text, interrupted) = (text.to_owned(), interrupted && is_last);
            self.add(blocks, place, entry, |_| BlockBody::Saying { text, interrupted });
            if let Some(block) = blocks.last_mut() {
                block.part = part;
            }
        }
    }

    fn generation_begins(&mut self, blocks: &mut Vec<Block>, place: RecordPosition, entry: &Entry) {
        if self.open.is_some() && self.open != entry.genseq {
            self.add(blocks, place, entry, |_| BlockBody::CutOff);
        }
        self.open = entry.genseq;
    }

    fn prompt(&mut self, text: &HumanText) -> BlockBody {
        match (text.origin, &text.tellask_reply_directive) {
            (Origin::User, _) => {
                let images = Attachment::all(text.content_items.as_ref());
                BlockBody::You {
                    text: self.with_named_images(&text.content, &images),
                    images: images.into_iter().filter_map(|image| image.artifact).collect(),
                }
            }
            (Origin::Runtime, Some(directive)) => {
                self.owed_to = Some(directive.target_dialog_id.clone());
                BlockBody::Assignment {
                    from: directive.target_dialog_id.clone(),
                    call: directive.target_call_id.clone(),
                    reply: reply_kind(&directive.expected_reply_call_name),
                    text: self.kept(&directive.tellask_content),
                }
            }
            (Origin::Runtime, None) => BlockBody::Guide { text: self.kept(&text.content) },
            (Origin::DiligencePush, _) => BlockBody::Push {
                text: self.kept(&text.content),
                count: PushCount::read(&text.content),
            },
        }
    }

    fn thinking(&self, content: &str, at: &Stamp) -> BlockBody {
        BlockBody::Thinking {
            text: self.kept(content),
            words: count_words(content),
            seconds: seconds_between(&self.previous, at),
        }
    }

    /// `as_function`: the call was handled like a tool's, so that its result says all there is.
    fn call(
        &mut self,
        blocks: &mut Vec<Block>,
        place: RecordPosition,
        entry: &Entry,
        call: &Call,
        as_function: bool,
    ) {
        if let Some(text) = told(&call.name, &call.raw_arguments_text) {
            return self.say(blocks, place, entry, (&text, false));
        }
        self.add(blocks, place, entry, |fold| match SpecialCall::of(&call.name) {
            Some(SpecialCall::Tellask(kind)) => fold.tellask(call, kind, !as_function),
            Some(SpecialCall::AskHuman) if !as_function => fold.question(call),
            Some(SpecialCall::Reply(kind)) => fold.reply(call, kind),
            Some(SpecialCall::AskHuman | SpecialCall::AnswerHuman) | None => {
                BlockBody::Tool(ToolCall {
                    call: call.id.clone(),
                    name: call.name.clone(),
                    arguments: summary(&call.raw_arguments_text),
                    action: ToolAction::of(&call.name, &call.raw_arguments_text, fold.text_limit),
                    result: None,
                })
            }
        });
    }

    fn tellask(&self, call: &Call, kind: TellaskKind, started: bool) -> BlockBody {
        let arguments = arguments(&call.raw_arguments_text);
        BlockBody::Tellask(Tellask {
            call: call.id.clone(),
            kind,
            started,
            target: argument(&arguments, "targetAgentId").map(AgentId::new),
            slug: argument(&arguments, "sessionSlug").map(Slug::new),
            content: self.kept(&argument(&arguments, "tellaskContent").unwrap_or_default()),
            status: TellaskStatus::Working,
            callee: None,
            called_in: None,
        })
    }

    fn question(&self, call: &Call) -> BlockBody {
        let arguments = arguments(&call.raw_arguments_text);
        BlockBody::Question(AskedBlock {
            call: call.id.clone(),
            content: self.kept(&argument(&arguments, "tellaskContent").unwrap_or_default()),
            parts: Inquiry::recorded(&call.raw_arguments_text),
            answer: None,
        })
    }

    fn reply(&self, call: &Call, kind: ReplyKind) -> BlockBody {
        let arguments = arguments(&call.raw_arguments_text);
        BlockBody::Reply(Reply {
            call: call.id.clone(),
            kind,
            to: self.owed_to.clone(),
            answers: None,
            content: self.kept(&argument(&arguments, "replyContent").unwrap_or_default()),
            delivered: false,
            refused: None,
        })
    }

    /// A tool's result, or the status text of a special call, which people need not read unless it
    /// says why the call was refused.
    fn result(
        &mut self,
        blocks: &mut [Block],
        place: RecordPosition,
        entry: &Entry,
        result: &CallResult,
    ) -> BlockChange {
        let Some(called) = self.calls.get(&result.id).and_then(|at| blocks.get(*at)) else {
            self.orphans.push((place, entry.clone()));
            return BlockChange::Nothing;
        };
        let seconds = seconds_between(&called.at, &entry.ts);
        let items = result.content_items.as_ref();
        let text = self.illustrated(&result.content, items);
        let lines = result.content.lines().count() + Attachment::all(items).len();
        let changes = FileChange::all(result.file_changes.as_ref());
        let at = entry.ts.clone();
        self.complete(blocks, &result.id, |body| {
            if let BlockBody::Tool(tool) = body {
                tool.result = Some(ToolResult { text, lines, seconds, ok: None, changes });
            } else if let BlockBody::Tellask(tellask) = body {
                if !tellask.started {
                    tellask.status = TellaskStatus::Failed { text, at };
                }
            } else if let BlockBody::Reply(reply) = body
                && !reply.delivered
            {
                reply.refused = Some(text);
            }
        })
    }

    fn answer(
        &mut self,
        blocks: &mut Vec<Block>,
        place: RecordPosition,
        entry: &Entry,
        result: &TellaskResult,
    ) -> BlockChange {
        if !self.calls.contains_key(&result.call_id) {
            self.orphans.push((place, entry.clone()));
            let call = EarlierCall {
                id: &result.call_id,
                name: &result.call_name,
                responder: &result.responder.responder_id,
                slug: result.call.session_slug.clone(),
                content: &result.call.tellask_content,
                course: result.call_site_course.unwrap_or(place.course),
            };
            self.add(blocks, place, entry, |fold| fold.earlier(&call));
        }
        let callee = result.route.as_ref().and_then(|route| route.callee_dialog_id.clone());
        let words = reply_words(&result.content);
        let text = self.illustrated(&words, result.content_items.as_ref());
        self.settle(blocks, &result.call_id, result.status, text, &entry.ts, callee)
    }

    fn late_reply(
        &mut self,
        blocks: &mut Vec<Block>,
        place: RecordPosition,
        entry: &Entry,
        reply: &Carryover,
    ) -> BlockChange {
        if !self.calls.contains_key(&reply.call_id) {
            let call = EarlierCall {
                id: &reply.call_id,
                name: &reply.call_name,
                responder: &reply.responder_id,
                slug: reply.session_slug.clone(),
                content: &reply.tellask_content,
                course: reply.call_site_course,
            };
            self.add(blocks, place, entry, |fold| fold.earlier(&call));
        }
        let text = self.kept(&reply_words(&reply.response));
        let callee = reply.callee_dialog_id.clone();
        self.settle(blocks, &reply.call_id, reply.status, text, &entry.ts, callee)
    }

    /// The call an answer belongs to, when its own record is not at hand.
    fn earlier(&self, call: &EarlierCall<'_>) -> BlockBody {
        if call.name == ASK_HUMAN {
            return BlockBody::Question(AskedBlock {
                call: call.id.clone(),
                content: self.kept(call.content),
                parts: None,
                answer: None,
            });
        }
        let kind = match SpecialCall::of(call.name) {
            Some(SpecialCall::Tellask(kind)) => kind,
            Some(SpecialCall::AskHuman | SpecialCall::AnswerHuman | SpecialCall::Reply(_))
            | None => TellaskKind::Sessionless,
        };
        BlockBody::Tellask(Tellask {
            call: call.id.clone(),
            kind,
            started: true,
            target: Some(call.responder.clone()),
            slug: call.slug.clone(),
            content: self.kept(call.content),
            status: TellaskStatus::Working,
            callee: None,
            called_in: Some(call.course),
        })
    }

    fn settle(
        &mut self,
        blocks: &mut [Block],
        call: &CallId,
        status: ReplyStatus,
        text: String,
        at: &Stamp,
        callee: Option<SelfId>,
    ) -> BlockChange {
        let at = at.clone();
        self.complete(blocks, call, |body| {
            if let BlockBody::Tellask(tellask) = body {
                tellask.callee = callee.or(tellask.callee.take());
                tellask.status = match status {
                    ReplyStatus::Pending => TellaskStatus::Working,
                    ReplyStatus::Completed => TellaskStatus::Replied { text, at },
                    ReplyStatus::Failed => TellaskStatus::Failed { text, at },
                };
            } else if let BlockBody::Question(asked) = body {
                asked.answer = Some((text, at));
            }
        })
    }

    fn found_callee(&self, blocks: &mut [Block], call: &CallId, callee: &SelfId) -> BlockChange {
        self.complete(blocks, call, |body| {
            if let BlockBody::Tellask(tellask) = body {
                tellask.callee = Some(callee.clone());
            }
        })
    }

    fn found_callees(&self, blocks: &mut [Block], pending: &[Pending]) -> BlockChange {
        let mut change = BlockChange::Nothing;
        for waits in pending {
            let found = self.found_callee(blocks, &waits.call_id, &waits.side_dialog_id);
            if found != BlockChange::Nothing {
                change = found;
            }
        }
        change
    }

    fn complete(
        &self,
        blocks: &mut [Block],
        call: &CallId,
        change: impl FnOnce(&mut BlockBody),
    ) -> BlockChange {
        let Some(at) = self.calls.get(call).copied() else {
            return BlockChange::Nothing;
        };
        let Some(block) = blocks.get_mut(at) else {
            return BlockChange::Nothing;
        };
        change(&mut block.body);
        block.revision += 1;
        BlockChange::Updated(at)
    }

    /// A text of a person, and one line for each image, with the name it has in the text.
    fn with_named_images(&self, text: &str, images: &[Attachment]) -> String {
        let mut whole = self.kept(text);
        for (image, name) in images.iter().zip(names_of_images(text, images.len())) {
            let gap = if whole.is_empty() { "" } else { "\n" };
            let name = name.map(|name| format!("{name}: ")).unwrap_or_default();
            whole.push_str(&format!("{gap}[{name}{}]", image.about()));
        }
        whole
    }

    /// A text, and one line for each image that came with it.
    fn illustrated(&self, text: &str, items: Option<&Value>) -> String {
        let mut whole = self.kept(text);
        for image in Attachment::all(items) {
            let gap = if whole.is_empty() { "" } else { "\n" };
            whole.push_str(&format!("{gap}[{}]", image.about()));
        }
        whole
    }

    fn kept(&self, text: &str) -> String {
        bounded(text, self.text_limit)
    }
}

/// What an answer says about its call.
struct EarlierCall<'a> {
    id: &'a CallId,
    name: &'a str,
    responder: &'a AgentId,
    slug: Option<Slug>,
    content: &'a str,
    course: Course,
}

fn block(place: RecordPosition, entry: &Entry, body: BlockBody) -> Block {
    Block { place, at: entry.ts.clone(), genseq: entry.genseq, revision: 0, part: None, body }
}

fn reply_kind(name: &str) -> Option<ReplyKind> {
    ReplyKind::ALL.into_iter().find(|kind| kind.name() == name)
}

/// The call that a result completes.
fn completes(record: &Record) -> Option<&CallId> {
    if let Record::FuncResult(result) = record {
        Some(&result.id)
    } else if let Record::TellaskResult(result) = record {
        Some(&result.call_id)
    } else {
        None
    }
}

fn seconds_between(from: &Stamp, to: &Stamp) -> Option<u64> {
    u64::try_from(to.seconds()? - from.seconds()?).ok()
}
