//! A whole dialog in one file: all its courses as Markdown, as a page for browsers, or as JSON. Everything in
//! it was written by models, tools and files: control characters are taken out, and the page has no scripts
//! and loads nothing.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use serde::Serialize;

use super::exit::{CommandError, Status};
use super::{find, lines, queries, transcript};
use crate::app;
use crate::domain::transcript::{Block, BlockBody, Transcript};
use crate::domain::tree::Bucket;
use crate::domain::{AgentId, Course, DialogId, RootId, SelfId, Stamp};
use crate::store::{Access, Store};
use crate::ui::text::SafeText;

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ExportFormat {
    /// For people and other programs that read Markdown
    Markdown,
    /// A page for browsers, without scripts
    Html,
    /// One JSON value
    Json,
}

/// A dialog as it is exported; its JSON is in docs/scripting.md.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Export {
    root_id: RootId,
    self_id: SelfId,
    agent_id: AgentId,
    title: String,
    courses: Vec<ExportedCourse>,
}

#[derive(Debug, Serialize)]
struct ExportedCourse {
    course: Course,
    blocks: Vec<ExportedBlock>,
}

#[derive(Debug, Serialize)]
struct ExportedBlock {
    kind: &'static str,
    at: Stamp,
    heading: String,
    text: String,
}

pub fn export(
    workspace: &Path,
    wanted: &str,
    format: ExportFormat,
    output: Option<&Path>,
) -> Result<Status, CommandError> {
    let store = app::open(workspace, Access::ReadOnly)?;
    let survey = store.survey(&Bucket::ALL);
    let dialog = find::dialog(&survey, wanted)?;
    let tree = survey.trees.iter().find(|tree| tree.root == dialog.root);
    let listed = tree.and_then(|tree| {
        Some((tree, tree.dialogs.iter().find(|known| known.meta.id == dialog.this)?))
    });
    let bucket = tree.map_or(Bucket::Run, |tree| tree.bucket);
    let title = listed.map(|(tree, listing)| find::title(&survey.titles, tree, listing));
    let export = Export::read(&store, bucket, &dialog, title.as_deref().unwrap_or_default())?;
    let text = export.text(format)?;
    match output {
        None => lines::print_bytes(text.as_bytes()),
        Some(path) => write_new(path, &text)?,
    }
    Ok(Status::Done)
}

/// Nothing is overwritten.
fn write_new(path: &Path, text: &str) -> Result<(), CommandError> {
    let mut options = OpenOptions::new();
    let opened = options.write(true).create_new(true).mode(0o600).open(path);
    opened
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| CommandError::refused(format!("writing {}: {error}", path.display())))
}

impl Export {
    /// Reads all courses.
    pub fn read(
        store: &Store,
        bucket: Bucket,
        dialog: &DialogId,
        title: &str,
    ) -> Result<Self, CommandError> {
        let agent_id =
            store.meta(bucket, dialog).map_or_else(|| AgentId::new(""), |meta| meta.agent_id);
        let mut courses = Vec::new();
        for course in store.courses(bucket, dialog) {
            let entries = queries::read_course(store, bucket, dialog, course)?;
            let transcript = Transcript::of_course(course, &entries);
            let blocks = transcript.blocks().iter().map(|block| exported(&agent_id, block));
            courses.push(ExportedCourse { course, blocks: blocks.collect() });
        }
        let title = SafeText::line(title).into_string();
        let (root_id, self_id) = (dialog.root.clone(), dialog.this.clone());
        Ok(Self { root_id, self_id, agent_id, title, courses })
    }

    fn text(&self, format: ExportFormat) -> Result<String, CommandError> {
        Ok(match format {
            ExportFormat::Markdown => self.markdown(),
            ExportFormat::Html => self.html(),
            ExportFormat::Json => {
                let json = serde_json::to_string(self);
                json.map_err(|error| CommandError::refused(error.to_string()))? + "\n"
            }
        })
    }

    fn heading(&self) -> String {
        format!("@{} · {}", self.agent_id, self.title)
    }

    pub fn markdown(&self) -> String {
        let mut text = format!("# {}\n", self.heading());
        for course in &self.courses {
            let _ = write!(text, "\n## course {}\n", course.course);
            for block in &course.blocks {
                let (heading, at) = (&block.heading, &block.at);
                let _ = write!(text, "\n### {heading} · {at}\n\n{}\n", block.text);
            }
        }
        text
    }

    fn html(&self) -> String {
        let title = escaped(&self.heading());
        let mut text = format!("{HEAD}<title>{title}</title>\n{STYLE}<h1>{title}</h1>\n");
        for course in &self.courses {
            let _ = writeln!(text, "<h2>course {}</h2>", course.course);
            for block in &course.blocks {
                let (heading, at) = (escaped(&block.heading), escaped(&block.at.to_string()));
                let (kind, body) = (block.kind, escaped(&block.text));
                let _ = writeln!(
                    text,
                    "<section class=\"{kind}\"><h3>{heading} <time>{at}</time></h3><pre>{body}</pre></section>"
                );
            }
        }
        text + "</body></html>\n"
    }
}

const HEAD: &str = "<!doctype html>\n<html><head><meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" \
                    content=\"default-src 'none'; style-src 'unsafe-inline'\">\n";
const STYLE: &str = "<style>body{max-width:60em;margin:2em auto;padding:0 1em;font-family:sans-serif}\
                     pre{white-space:pre-wrap;overflow-wrap:anywhere}time{font-weight:normal;opacity:.6}\
                     .thinking,.tool,.guide,.notice{opacity:.75}</style></head><body>\n";

/// Text inside of an element.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

fn exported(agent: &AgentId, block: &Block) -> ExportedBlock {
    let (heading, text) = transcript::title_and_text(agent.as_str(), block);
    ExportedBlock {
        kind: kind(&block.body),
        at: block.at.clone(),
        heading: SafeText::line(&heading).into_string(),
        text: SafeText::clean(text.trim_end()).into_string(),
    }
}

fn kind(body: &BlockBody) -> &'static str {
    match body {
        BlockBody::You { .. } => "you",
        BlockBody::Assignment { .. } => "assignment",
        BlockBody::Guide { .. } => "guide",
        BlockBody::Push { .. } => "push",
        BlockBody::Notice { .. } => "notice",
        BlockBody::Thinking { .. } => "thinking",
        BlockBody::Saying { .. } => "saying",
        BlockBody::Tool(_) => "tool",
        BlockBody::Tellask(_) => "tellask",
        BlockBody::Question(_) => "question",
        BlockBody::Reply(_) => "reply",
        BlockBody::CourseBreak { .. } => "courseBreak",
        BlockBody::CutOff => "cutOff",
        BlockBody::Unknown { .. } => "unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Entry;

    fn export(words: &str) -> Export {
        let record = serde_json::json!({
            "ts": "2026-11-21 12:00:00", "type": "agent_words_record", "content": words
        });
        let entry = Entry::parse(&record.to_string()).expect("a record");
        let transcript = Transcript::of_course(Course::FIRST, &[entry]);
        let agent = AgentId::new("lead");
        let blocks = transcript.blocks().iter().map(|block| exported(&agent, block)).collect();
        Export {
            root_id: RootId::new("aa/bb/1"),
            self_id: SelfId::new("aa/bb/1"),
            agent_id: agent,
            title: "a <b>".to_owned(),
            courses: vec![ExportedCourse { course: Course::FIRST, blocks }],
        }
    }

    #[test]
    fn hostile_text_is_text_in_every_format() {
        let export = export("</pre><script>alert(1)</script>\u{1b}]0;x\u{7} \"q\" & 'r' 字");
        let html = export.text(ExportFormat::Html).expect("a page");
        assert!(html.contains("&lt;/pre&gt;&lt;script&gt;alert(1)"), "{html}");
        assert!(html.contains("<title>@lead · a &lt;b&gt;</title>") && html.contains("字"));
        assert_eq!(html.matches("<script").count(), 0);
        for format in [ExportFormat::Html, ExportFormat::Markdown, ExportFormat::Json] {
            let text = export.text(format).expect("a text");
            assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
        }
        let json: serde_json::Value =
            serde_json::from_str(&export.text(ExportFormat::Json).expect("JSON")).expect("JSON");
        assert_eq!(json["courses"][0]["blocks"][0]["kind"], "saying");
    }

    #[test]
    fn a_file_that_is_there_is_not_overwritten() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.md");
        assert!(write_new(&path, "one").is_ok() && write_new(&path, "two").is_err());
        assert_eq!(std::fs::read_to_string(&path).expect("a file"), "one");
    }
}
