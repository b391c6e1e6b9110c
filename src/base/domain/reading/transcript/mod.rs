//! A course as people read it: records folded into blocks.
//!
//! A block is a piece of the conversation – words, a call with its result, a question with its
//! answer. A record may make a block, complete an earlier one, or leave no trace. What must stay
//! true: folding records one by one gives the same blocks as folding them in pages, wherever the
//! pages begin; and a block that changed has a new revision.

mod fold;
mod parts;
mod spoken;
mod text;
mod tool_action;

use crate::domain::asking::inquiry::Inquiry;
use crate::domain::dialogs::record::Entry;
use crate::domain::ids::{AgentId, CallId, SelfId, Slug};
use crate::domain::number::{Course, Genseq};
use crate::domain::time::Stamp;
use crate::domain::{ArtifactRef, FileChange, PushCount, ReplyKind, TellaskKind};

pub use parts::TextPart;
pub use spoken::{SpokenKind, SpokenRecord};
pub(in crate::domain) use text::{argument, arguments};
pub use text::{count_words, first_line, is_cut};
use tool_action::printed;
pub use tool_action::{ToolAction, exit_line};

/// The place of a record: course and line, the first line being 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordPosition {
    pub course: Course,
    pub line: usize,
}

/// One piece of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// The record that made it.
    pub place: RecordPosition,
    pub at: Stamp,
    /// The generation it belongs to; where it changes, a generation begins.
    pub genseq: Option<Genseq>,
    /// Grows with each change.
    pub revision: u32,
    /// Its part of a text that has several blocks, because it is very long.
    pub part: Option<TextPart>,
    pub body: BlockBody,
}

#[derive(Debug, Clone, PartialEq)]
pub enum BlockBody {
    /// Words of a person.
    You {
        /// With a line for each image.
        text: String,
        /// Where its images lie.
        images: Vec<ArtifactRef>,
    },
    /// What another dialog asks of this one.
    Assignment {
        /// The dialog that waits for the reply.
        from: SelfId,
        /// The call it made.
        call: CallId,
        /// The tool that answers it; `Back` means that a teammate asks its asker.
        reply: Option<ReplyKind>,
        text: String,
    },
    /// What the runtime told the model.
    Guide {
        text: String,
    },
    /// What the runtime told the model so that it goes on, because it would have come to rest.
    Push {
        text: String,
        count: Option<PushCount>,
    },
    /// What the runtime told the reader alone.
    Notice {
        text: String,
    },
    Thinking {
        text: String,
        words: usize,
        seconds: Option<u64>,
    },
    Saying {
        text: String,
        /// A stop cut it short.
        interrupted: bool,
    },
    Tool(ToolCall),
    Tellask(Tellask),
    Question(AskedBlock),
    Reply(Reply),
    /// A later course begins.
    CourseBreak {
        course: Course,
    },
    /// The generation before this one was never finished.
    CutOff,
    /// A record of a kind this program does not know.
    Unknown {
        kind: String,
    },
}

/// What a block is. Readers that treat a few blocks name those alone; here each has its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockClass {
    /// Words of people and models.
    Words,
    /// Words of the runtime.
    Runtime,
    /// A call of a model, with what came of it.
    Call,
    /// A line without words of anybody.
    Mark,
}

/// An ordinary tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    pub call: CallId,
    pub name: String,
    /// The arguments in one line.
    pub arguments: String,
    pub action: ToolAction,
    pub result: Option<ToolResult>,
}

impl ToolCall {
    /// True if there is more of it than its name and arguments: what it did in words of its own, or its result.
    #[must_use]
    pub fn has_details(&self) -> bool {
        let did = match &self.action {
            ToolAction::Command(text) | ToolAction::Patch(text) | ToolAction::NewText(text) => {
                !text.trim().is_empty()
            }
            ToolAction::Read { .. } | ToolAction::Other => false,
        };
        did || self
            .result
            .as_ref()
            .is_some_and(|result| !result.changes.is_empty() || !result.text.trim().is_empty())
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    pub text: String,
    /// Lines of the whole result, also where `text` was cut.
    pub lines: usize,
    /// Whole seconds from call to result.
    pub seconds: Option<u64>,
    /// Whether it did what was asked, where that is known; records do not say.
    pub ok: Option<bool>,
    /// What it changed in files.
    pub changes: Vec<FileChange>,
}

/// A request to a teammate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tellask {
    pub call: CallId,
    pub kind: TellaskKind,
    /// False if it was refused before anyone was asked; its result then says why.
    pub started: bool,
    /// Unknown for an ask-back and for oneself.
    pub target: Option<AgentId>,
    pub slug: Option<Slug>,
    pub content: String,
    pub status: TellaskStatus,
    /// The side dialog that works on it, once known.
    pub callee: Option<SelfId>,
    /// A reply whose call stands elsewhere, in this course; `None` for the call itself.
    pub called_in: Option<Course>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TellaskStatus {
    Working,
    Replied {
        text: String,
        at: Stamp,
    },
    /// It was refused, or the side dialog could not reply.
    Failed {
        text: String,
        at: Stamp,
    },
}

/// What older records changed in the blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepended {
    /// Blocks that now stand before the former first one.
    pub added: usize,
    /// Former blocks that are gone, counted from the former first one.
    pub removed: Vec<usize>,
}

/// A question for the human.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedBlock {
    pub call: CallId,
    pub content: String,
    /// The parts that the call named; `None` if it asks in words.
    pub parts: Option<Inquiry>,
    /// The answer, and when it was given.
    pub answer: Option<(String, Stamp)>,
}

/// What this dialog told the one that asked it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    pub call: CallId,
    pub kind: ReplyKind,
    /// The dialog of the assignment answered, where it is known.
    pub to: Option<SelfId>,
    /// The call it answers, once it is delivered.
    pub answers: Option<CallId>,
    pub content: String,
    pub delivered: bool,
    /// Why it was refused.
    pub refused: Option<String>,
}

/// What a record did to the blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockChange {
    Nothing,
    /// The last blocks are new.
    Added,
    /// An earlier block, by its index, has a new revision.
    Updated(usize),
}

/// The blocks of a stretch of records, oldest first.
#[derive(Debug, Clone, PartialEq)]
pub struct Transcript {
    blocks: Vec<Block>,
    fold: fold::TranscriptFold,
}

impl Transcript {
    /// `text_limit`: the most bytes of one text that are kept; the rest is on disk. An answer with more has several
    /// blocks.
    pub fn new(text_limit: usize) -> Self {
        Self { blocks: Vec::new(), fold: fold::TranscriptFold::new(text_limit) }
    }

    /// All records of a course, with nothing cut.
    pub fn of_course(course: Course, entries: &[Entry]) -> Self {
        let mut transcript = Self::new(usize::MAX);
        for (line, entry) in entries.iter().enumerate() {
            transcript.push(RecordPosition { course, line }, entry);
        }
        transcript
    }

    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Takes in the record after the last one.
    pub fn push(&mut self, place: RecordPosition, entry: &Entry) -> BlockChange {
        self.fold.push(&mut self.blocks, place, entry)
    }

    /// Takes in older records, the first of them at `first`, that end where the known ones begin.
    /// Records there may complete calls of the older ones: the blocks that stood for them alone are removed.
    pub fn prepend(&mut self, first: RecordPosition, entries: &[Entry]) -> Prepended {
        let mut older = Self::new(self.fold.text_limit());
        for (at, entry) in entries.iter().enumerate() {
            let place = RecordPosition { course: first.course, line: first.line + at };
            older.push(place, entry);
        }
        let added = older.blocks.len();
        let removed = self.fold.join(older.fold, &mut older.blocks, &mut self.blocks);
        let mut blocks = older.blocks;
        blocks.append(&mut self.blocks);
        self.blocks = blocks;
        self.fold.reindex(&self.blocks);
        Prepended { added, removed }
    }

    /// A tool call is known to have ended well or badly.
    pub fn ended(&mut self, call: &CallId, ok: bool) -> BlockChange {
        self.fold.ended(&mut self.blocks, call, ok)
    }

    /// Forgets the oldest blocks until `keep` are left. Returns how many went.
    pub fn forget_oldest(&mut self, keep: usize) -> usize {
        let mut excess = self.blocks.len().saturating_sub(keep);
        // The parts of a text stay together.
        while self.blocks.get(excess).is_some_and(Block::goes_on) {
            excess = excess.saturating_sub(1);
        }
        self.blocks.drain(..excess);
        if excess > 0 {
            self.fold.reindex(&self.blocks);
        }
        excess
    }
}

impl Block {
    /// True if it goes on with the text of the block before it.
    #[must_use]
    pub fn goes_on(&self) -> bool {
        self.part.as_ref().is_some_and(|part| part.number > 0)
    }
}

impl ToolCall {
    /// Its file changes, which are shown instead of its arguments and its result.
    pub fn changes(&self) -> &[FileChange] {
        self.result.as_ref().map(|result| result.changes.as_slice()).unwrap_or_default()
    }

    /// The texts of its head: its name and its arguments; not those of a command, which is shown below.
    pub fn head_texts(&self) -> [&str; 2] {
        let is_below = matches!(self.action, ToolAction::Command(_)) && self.changes().is_empty();
        [&self.name, if is_below { "" } else { &self.arguments }]
    }

    /// Those of its head, and what it was given.
    fn texts_when_called(&self) -> [&str; 3] {
        let [name, arguments] = self.head_texts();
        let given = match &self.action {
            ToolAction::Command(text) | ToolAction::Patch(text) | ToolAction::NewText(text)
                if self.changes().is_empty() =>
            {
                text
            }
            ToolAction::Command(_)
            | ToolAction::Patch(_)
            | ToolAction::NewText(_)
            | ToolAction::Read { .. }
            | ToolAction::Other => "",
        };
        [name, arguments, given]
    }

    /// The text of its result, as far as that is shown.
    #[must_use]
    pub fn said(&self) -> &str {
        let said = self.result.as_ref().filter(|result| result.changes.is_empty());
        let said = said.map_or("", |result| result.text.as_str());
        if matches!(self.action, ToolAction::Command(_)) { printed(said) } else { said }
    }
}

impl BlockBody {
    pub fn class(&self) -> BlockClass {
        match self {
            Self::You { .. }
            | Self::Assignment { .. }
            | Self::Thinking { .. }
            | Self::Saying { .. } => BlockClass::Words,
            Self::Guide { .. } | Self::Push { .. } | Self::Notice { .. } => BlockClass::Runtime,
            Self::Tool(_) | Self::Tellask(_) | Self::Question(_) | Self::Reply(_) => {
                BlockClass::Call
            }
            Self::CourseBreak { .. } | Self::CutOff | Self::Unknown { .. } => BlockClass::Mark,
        }
    }

    /// True for a call in one line, which stands close to its neighbours.
    pub fn is_call(&self) -> bool {
        self.class() == BlockClass::Call && !matches!(self, Self::Question(_))
    }

    /// The call it shows, if it shows one.
    pub fn call(&self) -> Option<&CallId> {
        if let Self::Tool(tool) = self {
            Some(&tool.call)
        } else if let Self::Tellask(tellask) = self {
            Some(&tellask.call)
        } else if let Self::Question(asked) = self {
            Some(&asked.call)
        } else if let Self::Reply(reply) = self {
            Some(&reply.call)
        } else {
            None
        }
    }

    /// True for the call itself, not for a reply that came where its call is not.
    pub fn makes_call(&self, call: &CallId) -> bool {
        let elsewhere = matches!(self, Self::Tellask(Tellask { called_in: Some(_), .. }));
        self.call() == Some(call) && !elsewhere
    }

    /// What it changed in files, for a call of a tool that has ended.
    pub fn changes(&self) -> Option<&[FileChange]> {
        let Self::Tool(tool) = self else { return None };
        tool.result.as_ref().map(|result| result.changes.as_slice())
    }

    /// All its texts that are searched, in the order in which it shows them when it is open.
    pub fn searched_texts(&self) -> impl Iterator<Item = &str> {
        let [first, second, third] = self.texts_when_made();
        let (later, changes) = if let Self::Tool(tool) = self {
            (tool.said(), tool.changes())
        } else if let Self::Question(asked) = self {
            (asked.answer.as_ref().map_or("", |(text, _)| text.as_str()), &[][..])
        } else if let Self::Tellask(tellask) = self {
            let waits = tellask.status == TellaskStatus::Working;
            (if waits { "" } else { self.text() }, &[][..])
        } else if let Self::Reply(reply) = self {
            (reply.refused.as_deref().unwrap_or_default(), &[][..])
        } else {
            ("", &[][..])
        };
        let texts = [first, second, third, later];
        texts.into_iter().chain(changes.iter().flat_map(FileChange::texts))
    }

    /// Its texts as the record that made it had them, without later ones.
    pub fn texts_when_made(&self) -> [&str; 3] {
        if let Self::Tool(tool) = self {
            tool.texts_when_called()
        } else if let Self::Tellask(tellask) = self {
            [&tellask.content, "", ""]
        } else {
            [self.text(), "", ""]
        }
    }

    /// Its words, for copying and for search.
    pub fn text(&self) -> &str {
        match self {
            Self::You { text, .. }
            | Self::Assignment { text, .. }
            | Self::Guide { text }
            | Self::Push { text, .. }
            | Self::Notice { text }
            | Self::Thinking { text, .. }
            | Self::Saying { text, .. } => text,
            Self::Tool(tool) => tool.result.as_ref().map_or(&tool.arguments, |r| &r.text),
            Self::Tellask(tellask) => match &tellask.status {
                TellaskStatus::Working => &tellask.content,
                TellaskStatus::Replied { text, .. } | TellaskStatus::Failed { text, .. } => text,
            },
            Self::Question(asked) => &asked.content,
            Self::Reply(reply) => &reply.content,
            Self::CourseBreak { .. } | Self::CutOff => "",
            Self::Unknown { kind } => kind,
        }
    }
}

#[cfg(test)]
mod tests;
