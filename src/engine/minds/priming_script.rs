//! What a startup script puts into a dialog that begins with it: records and reminders. A script with a fault is not used
//! at all, and of its records only what a model or a person reads is taken.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::priming::{FOLDER, MAX_DEPTH, RECORD_HEADING, script_problems};
use super::untrusted_files::{self, FileContent, TEXT_LIMIT_BYTES};
use crate::domain::dialogs::record::RecordClass;
use crate::domain::dialogs::reminder::MAX_BYTES;
use crate::domain::dialogs::taskdoc::content_hash;
use crate::domain::text::json;
use crate::domain::text::{Localized, Text, localized};
use crate::domain::{AgentId, Entry, Genseq, Reminder, Secrets, Stamp};
use crate::yaml;

/// Most records of one script.
const MAX_RECORDS: usize = 200;
/// Most generations it may count.
const MAX_GENERATIONS: u32 = 1_000;
/// Most reminders of one script.
const MAX_REMINDERS: usize = 20;
/// Longest reference.
const MAX_REFERENCE_BYTES: usize = 300;
/// The end of a generation says how full a context was that is not this one.
const FINISH: &str = "gen_finish_record";
/// Fields that a script cannot set: where and when it is, whom it binds, what a provider wants back, files of dialogs.
const NOT_OF_SCRIPTS: [&str; 11] = [
    "contentItems",
    "fileChanges",
    "origin",
    "providerData",
    "q4hAnswerCallId",
    "reasoning",
    "rootCourse",
    "rootGenseq",
    "sourceTag",
    "tellaskReplyDirective",
    "ts",
];

/// A startup script that can be used.
#[derive(Debug, Clone, PartialEq)]
pub struct PrimingScript {
    pub entries: Vec<Entry>,
    pub reminders: Vec<Reminder>,
}

impl PrimingScript {
    /// Reads the script that a dialog of this member names, as `team_shared/NAME` or `individual/MEMBER/NAME`.
    ///
    /// # Errors
    /// A sentence that says why it cannot be used.
    pub fn read(
        workspace: &Path,
        reference: &str,
        member: &AgentId,
        secrets: &Arc<Secrets>,
    ) -> Result<Self, Localized> {
        let path = path_of(reference, member).ok_or(Text::new(
            "it names no startup script of this member",
            "它没有指出该成员的启动脚本",
        ))?;
        let text = match untrusted_files::read(workspace, &path, TEXT_LIMIT_BYTES) {
            FileContent::Text(text) => secrets.redacted(text),
            FileContent::Missing => {
                return Err(localized!("there is no `{path}`", "没有 `{path}`"));
            }
            FileContent::Unusable(reason) => {
                return Err(
                    localized!([reason] "`{path}` cannot be used: {reason}", "`{path}` 无法使用：{reason}"),
                );
            }
        };
        if let Some(problem) = script_problems(&path, &text).into_iter().next() {
            return Err(problem.message());
        }
        let unread = || Text::new("its head cannot be read", "它的开头无法读取");
        let (head, body) = untrusted_files::front_matter(&text).ok_or_else(unread)?;
        let head = yaml::parse(head).map_err(|error| error.text)?;
        if !is_for(&head, member) {
            return Err(localized!("`{path}` is not for @{member}", "`{path}` 不适用于 @{member}"));
        }
        Ok(Self { entries: entries(body)?, reminders: reminders(&head, reference)? })
    }
}

fn path_of(reference: &str, member: &AgentId) -> Option<String> {
    let parts: Vec<&str> = reference.split('/').collect();
    let is_own = match parts.as_slice() {
        ["team_shared", _, ..] => true,
        ["individual", owner, _, ..] => *owner == member.as_str(),
        _ => false,
    };
    let is_plain = |part: &&str| {
        let odd = |c: char| c == '\\' || c.is_control();
        !part.is_empty() && !part.starts_with('.') && !part.contains(odd)
    };
    let fits = reference.len() <= MAX_REFERENCE_BYTES && parts.len() <= MAX_DEPTH + 2;
    (is_own && fits && parts.iter().all(is_plain)).then(|| format!("{FOLDER}/{reference}.md"))
}

fn is_for(head: &Value, member: &AgentId) -> bool {
    let members = head.get("applicableMemberIds").and_then(Value::as_array);
    members.is_none_or(|ids| ids.iter().any(|id| id.as_str() == Some(member.as_str())))
}

/// One block of a script: the type of its record, and the text below its heading.
struct Block<'a> {
    /// Of the body, 1-based.
    line: usize,
    kind: &'a str,
    lines: Vec<&'a str>,
}

fn entries(body: &str) -> Result<Vec<Entry>, Localized> {
    let blocks = blocks(body);
    if blocks.len() > MAX_RECORDS {
        return Err(localized!(
            "it has more than {MAX_RECORDS} records",
            "它的记录超过 {MAX_RECORDS} 条"
        ));
    }
    let read = |block: Block<'_>| {
        let line = block.line;
        entry(&block).ok_or_else(|| {
            localized!(
                "the record in line {line} below its head cannot be read",
                "开头之后第 {line} 行的记录无法读取"
            )
        })
    };
    blocks.into_iter().filter(|block| block.kind != FINISH).map(read).collect()
}

/// A heading within a fence is text of its record.
fn blocks(body: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut fence: Option<usize> = None;
    for (line, text) in (1..).zip(body.lines()) {
        let ticks = text.chars().take_while(|c| *c == '`').count();
        let closes = fence.is_some_and(|open| ticks >= open && text.trim_end().len() == ticks);
        match (fence, text.strip_prefix(RECORD_HEADING)) {
            (None, Some(kind)) => {
                blocks.push(Block { line, kind: kind.trim(), lines: Vec::new() });
                continue;
            }
            (None, None) if ticks >= 3 => fence = Some(ticks),
            (Some(_), _) if closes => fence = None,
            (None | Some(_), _) => {}
        }
        if let Some(block) = blocks.last_mut() {
            block.lines.push(text);
        }
    }
    blocks
}

fn entry(block: &Block<'_>) -> Option<Entry> {
    let fenced = block.lines.iter().position(|line| line.starts_with("```"));
    let inner = match fenced {
        Some(open) => {
            let own = block.lines.get(open + 1..)?;
            own.get(..own.iter().rposition(|line| line.starts_with("```"))?)?
        }
        None => block.lines.as_slice(),
    };
    let text = inner.join("\n");
    let mut fields = match block.kind {
        "func_call_record" => json::read::<Map<String, Value>>(&text).ok()?,
        _ => described(&text)?,
    };
    fields.retain(|key, _| !NOT_OF_SCRIPTS.contains(&key.as_str()));
    if let Some(arguments) = fields.remove("arguments") {
        let raw = arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned);
        fields.entry("rawArgumentsText").or_insert(raw.into());
    }
    fields.insert("type".to_owned(), block.kind.into());
    fields.entry("genseq").or_insert(Value::from(1));
    if block.kind == "human_text_record" {
        // Each dialog names its own messages.
        fields.insert("msgId".to_owned(), Value::String(String::new()));
        fields.insert("origin".to_owned(), "user".into());
        fields.entry("grammar").or_insert("markdown".into());
    }
    let entry = Entry::parse(&Value::Object(fields).to_string())?;
    let known = entry.record.class() != RecordClass::Unknown;
    let counts = |genseq: Genseq| (1..=MAX_GENERATIONS).contains(&genseq.0);
    (known && entry.genseq.is_some_and(counts)).then_some(entry)
}

/// The fields at the start of a text, and the rest of it as `content`.
fn described(text: &str) -> Option<Map<String, Value>> {
    let text = text.trim_start_matches('\n');
    let (head, content) = match untrusted_files::front_matter(text) {
        Some((head, content)) => (yaml::parse(head).ok()?, content),
        None => (Value::Null, text),
    };
    let mut fields = match head {
        Value::Object(fields) => fields,
        Value::Null => Map::new(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => return None,
    };
    fields.insert("content".to_owned(), content.trim_matches('\n').into());
    Some(fields)
}

/// Each has an id by its script and its text, so that a second dialog does not add it again.
fn reminders(head: &Value, reference: &str) -> Result<Vec<Reminder>, Localized> {
    let all = head.get("reminders").and_then(Value::as_array).map(Vec::as_slice);
    let all = all.unwrap_or_default();
    if all.len() > MAX_REMINDERS {
        return Err(localized!(
            "it has more than {MAX_REMINDERS} reminders",
            "它的提醒超过 {MAX_REMINDERS} 条"
        ));
    }
    let read = |given: &Value| {
        let content = given.get("content").and_then(Value::as_str).unwrap_or_default();
        if content.trim().is_empty() || content.len() > MAX_BYTES {
            let most = MAX_BYTES / 1024;
            return Err(localized!(
                "a reminder of it is empty, or larger than {most} KiB",
                "它的一条提醒为空，或超过 {most} KiB"
            ));
        }
        let sum = content_hash(&format!("{reference}\n{content}"));
        let id = format!("priming-{}", sum.trim_start_matches("crc32:"));
        let new = Reminder::new(id, content.to_owned(), Stamp::default());
        let priority = given.get("priority").and_then(Value::as_str);
        let priority = priority.filter(|one| ["high", "medium", "low"].contains(one));
        Ok(Reminder {
            echoback: given.get("echoback").and_then(Value::as_bool),
            priority: priority.map_or_else(|| new.priority.clone(), str::to_owned),
            ..new
        })
    };
    all.iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Record;

    const HEAD: &str = "---\nkind: agent_priming_script\nversion: 3\ntitle: First steps\n";

    fn read(head: &str, body: &str) -> Result<PrimingScript, Localized> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(FOLDER).join("team_shared/first.md");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("{HEAD}{head}---\n{body}")).unwrap();
        let secrets = Arc::new(Secrets::new([], ["sk-canary-0123".to_owned()]));
        PrimingScript::read(dir.path(), "team_shared/first", &"lead".into(), &secrets)
    }

    #[test]
    fn a_script_gives_the_records_that_it_describes() {
        let body = "\n### record human_text_record\n\n```markdown\n---\ngenseq: 1\nmsgId: p1\norigin: runtime\n---\n\n\
                    Warm up with sk-canary-0123.\n```\n\n### record func_call_record\n```json\n\
                    {\"id\": \"c\", \"name\": \"list_dir\", \"arguments\": {\"path\": \".\"}, \"ts\": \"x\"}\n```\n\n\
                    ### record func_result_record\n```markdown\n---\nid: c\nname: list_dir\n---\n- src\n```\n\n\
                    ### record agent_words_record\n````markdown\n---\ngenseq: 2\n---\nOnly:\n```\n### record agent_words_record\n```\n````\n\n\
                    ### record gen_finish_record\n```markdown\n---\ngenseq: 2\n---\n```\n";
        let script = read("", body).unwrap();
        let [prompt, call, result, words] = script.entries.as_slice() else { panic!("{script:?}") };
        let Record::HumanText(text) = &prompt.record else { panic!("{prompt:?}") };
        assert_eq!(text.content, "Warm up with [redacted].");
        assert_eq!(
            (text.msg_id.as_str(), text.origin),
            ("", crate::domain::dialogs::record::Origin::User)
        );
        let Record::FuncCall(call) = &call.record else { panic!("{call:?}") };
        assert_eq!(call.raw_arguments_text, r#"{"path":"."}"#);
        assert!(matches!(&result.record, Record::FuncResult(result) if result.content == "- src"));
        let Record::Words { content, .. } = &words.record else { panic!("{words:?}") };
        assert_eq!(
            (content.as_str(), words.genseq),
            ("Only:\n```\n### record agent_words_record\n```", Some(Genseq(2)))
        );
        assert!(script.entries.iter().all(|entry| entry.ts == Stamp::default()));
    }

    #[test]
    fn a_script_with_a_fault_is_not_used_at_all() {
        let words = "### record agent_words_record\n```markdown\n---\ngenseq: 1\n---\nx\n```\n";
        assert_eq!(read("", words).unwrap().entries.len(), 1);
        for (head, body) in [
            ("", "### record hologram\n"),
            ("", "### record func_result_record\nno fields\n"),
            ("", "### record func_call_record\n```json\n{\"name\": \"x\"}\n```\n"),
            ("", words.replace("genseq: 1", "genseq: 4000000000").as_str()),
            ("", words.replace("genseq: 1", "genseq: 0").as_str()),
            ("", words.repeat(MAX_RECORDS + 1).as_str()),
            ("applicableMemberIds: [other]\n", words),
            ("reminders: [{content: ' '}]\n", words),
        ] {
            assert!(read(head, body).is_err(), "{head} {body:.80}");
        }
    }

    #[test]
    fn a_reference_names_a_script_of_the_member_and_nothing_else() {
        let long = format!("team_shared/{}", "x".repeat(MAX_REFERENCE_BYTES));
        for (reference, is_path) in [
            ("team_shared/a", true),
            ("team_shared/sub/a", true),
            ("individual/lead/a", true),
            ("individual/other/a", false),
            ("individual/lead", false),
            ("team_shared", false),
            ("team_shared/../../team", false),
            ("team_shared//a", false),
            ("team_shared/.a", false),
            ("team_shared/a/b/c/d/e/f", false),
            ("other/a", false),
            ("/etc/passwd", false),
            (long.as_str(), false),
        ] {
            assert_eq!(path_of(reference, &"lead".into()).is_some(), is_path, "{reference}");
        }
    }

    #[test]
    fn reminders_keep_what_they_say_and_how_urgent_they_are() {
        let head = "applicableMemberIds: [lead]\nreminders:\n  - content: one\n    priority: high\n    ownerName: shellCmd\n    \
                    meta: {pid: 1}\n  - content: two\n    priority: now\n    echoback: false\n";
        let script = read(head, "").unwrap();
        let [one, two] = script.reminders.as_slice() else { panic!("{script:?}") };
        assert_eq!((one.priority.as_str(), two.priority.as_str()), ("high", "medium"));
        assert_eq!((one.echoback, two.echoback), (None, Some(false)));
        assert!(one.owner_name.is_none() && one.meta.is_none());
        assert!(one.id.starts_with("priming-") && one.id.len() == 16 && one.id != two.id);
        assert_eq!(read(head, "").unwrap(), script, "the ids stay");
    }
}
