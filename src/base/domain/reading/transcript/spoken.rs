//! What one record says to a person, for a search that reads records without folding their course.

use serde_json::Value;

use super::text::arguments;
use super::{BlockBody, RecordPosition, TellaskStatus, Transcript};
use crate::domain::dialogs::record::{Entry, Record};
use crate::domain::ids::CallId;
use crate::domain::{AgentId, SpecialCall};

/// Values of arguments that are looked at.
const MAX_ARGUMENTS: usize = 64;

/// The kind of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpokenKind {
    You,
    Assignment,
    Guide,
    Push,
    Notice,
    Thinking,
    Saying,
    Call,
    Result,
    /// What a teammate is asked.
    Request,
    /// What a teammate replied.
    Reply,
    Question,
    Answer,
}

impl SpokenKind {
    /// True for what people and members say to each other.
    #[must_use]
    pub fn is_said(self) -> bool {
        matches!(
            self,
            Self::You
                | Self::Assignment
                | Self::Saying
                | Self::Request
                | Self::Reply
                | Self::Question
                | Self::Answer
        )
    }
}

/// What a record says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpokenRecord {
    pub kind: SpokenKind,
    /// The call whose block shows it, if that block is made by another record.
    pub completes: Option<CallId>,
    /// The tool that was called, if it is a call or a result.
    pub tool: Option<String>,
    /// The teammate who is asked, or who replied.
    pub teammate: Option<AgentId>,
    pub texts: Vec<String>,
}

impl SpokenRecord {
    /// `None` if people read nothing of it.
    #[must_use]
    pub fn of(entry: &Entry) -> Option<Self> {
        if let Record::FuncResult(result) = &entry.record {
            let is_status = SpecialCall::of(&result.name).is_some();
            return (!is_status).then(|| Self {
                kind: SpokenKind::Result,
                completes: Some(result.id.clone()),
                tool: Some(result.name.clone()),
                teammate: None,
                texts: vec![result.content.clone()],
            });
        }
        let mut alone = Transcript::new(usize::MAX);
        let place = RecordPosition { course: crate::domain::Course::FIRST, line: 0 };
        alone.push(place, entry);
        let block = alone.blocks.pop()?;
        let mut spoken = Self::of_block(&block.body)?;
        if let Record::FuncCall(call) = &entry.record {
            let more = arguments(&call.raw_arguments_text);
            let more = more.values().filter_map(Value::as_str).take(MAX_ARGUMENTS);
            if spoken.kind == SpokenKind::Call {
                spoken.texts = more.map(str::to_owned).collect();
            }
        }
        Some(spoken)
    }

    fn of_block(body: &BlockBody) -> Option<Self> {
        let plain = |kind, text: &str| Self {
            kind,
            completes: None,
            tool: None,
            teammate: None,
            texts: vec![text.to_owned()],
        };
        Some(match body {
            BlockBody::You { text, .. } => plain(SpokenKind::You, text),
            BlockBody::Assignment { text, .. } => plain(SpokenKind::Assignment, text),
            BlockBody::Guide { text } => plain(SpokenKind::Guide, text),
            BlockBody::Push { text, .. } => plain(SpokenKind::Push, text),
            BlockBody::Notice { text } => plain(SpokenKind::Notice, text),
            BlockBody::Thinking { text, .. } => plain(SpokenKind::Thinking, text),
            BlockBody::Saying { text, .. } => plain(SpokenKind::Saying, text),
            BlockBody::Tool(tool) => {
                Self { tool: Some(tool.name.clone()), ..plain(SpokenKind::Call, &tool.arguments) }
            }
            BlockBody::Tellask(asked) => {
                let teammate = asked.target.clone();
                match &asked.status {
                    TellaskStatus::Working => {
                        Self { teammate, ..plain(SpokenKind::Request, &asked.content) }
                    }
                    TellaskStatus::Replied { text, .. } | TellaskStatus::Failed { text, .. } => {
                        let completes = Some(asked.call.clone());
                        Self { completes, teammate, ..plain(SpokenKind::Reply, text) }
                    }
                }
            }
            BlockBody::Question(asked) => match &asked.answer {
                None => plain(SpokenKind::Question, &asked.content),
                Some((text, _)) => {
                    Self { completes: Some(asked.call.clone()), ..plain(SpokenKind::Answer, text) }
                }
            },
            BlockBody::Reply(reply) => plain(SpokenKind::Reply, &reply.content),
            BlockBody::CourseBreak { .. } | BlockBody::CutOff | BlockBody::Unknown { .. } => {
                return None;
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spoken(record: &str) -> Option<SpokenRecord> {
        let line = record.replacen('{', r#"{"ts":"2026-11-21 12:00:00","#, 1);
        SpokenRecord::of(&Entry::parse(&line).expect("a record"))
    }

    #[test]
    fn a_record_says_what_its_block_shows() {
        let words = r#"{"type":"agent_words_record","genseq":1,"content":"hello"}"#;
        let call = r#"{"type":"func_call_record","genseq":1,"id":"c","name":"shell_cmd","rawArgumentsText":"{\"command\":\"make \\\"all\\\"\",\"n\":3}"}"#;
        let result = r#"{"type":"func_result_record","genseq":1,"id":"c","name":"shell_cmd","content":"done"}"#;
        let none = r#"{"type":"gen_start_record","genseq":1}"#;
        let told =
            |record| spoken(record).map(|said| (said.kind, said.completes, said.tool, said.texts));
        let of = |text: &str| vec![text.to_owned()];
        let tool = || Some("shell_cmd".to_owned());
        assert_eq!(told(words), Some((SpokenKind::Saying, None, None, of("hello"))));
        assert_eq!(told(call), Some((SpokenKind::Call, None, tool(), of("make \"all\""))));
        let completes = Some(CallId::new("c"));
        assert_eq!(told(result), Some((SpokenKind::Result, completes, tool(), of("done"))));
        assert_eq!(told(none), None);
    }
}
