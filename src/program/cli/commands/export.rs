//! A whole dialog in one file: all its courses as Markdown, as a page for browsers, or as JSON. Everything in
//! it was written by models, tools and files: control characters are taken out, and the page has no scripts
//! and loads nothing.

use std::fs::OpenOptions;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use serde::Serialize;

use super::{find, folders, queries};
use crate::app;
use crate::cli::args::ExportFormat;
use crate::cli::exit::{CommandError, Status};
use crate::cli::forms::transcript;
use crate::domain::dialogs::tree::Bucket;
use crate::domain::reading::transcript::{Block, BlockBody, Transcript};
use crate::domain::{AgentId, Course, DialogId, FileChange, Lang, RootId, SelfId, Stamp};
use crate::guard::{Guard, PathFault, PathTarget};
use crate::store::{Access, Reader, Survey};
use crate::ui::text::SafeText;

/// The dialog of an export; its JSON is in docs/scripting.md.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ExportHead {
    root_id: RootId,
    self_id: SelfId,
    agent_id: AgentId,
    title: String,
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
    /// Set for a tool call.
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<ExportedCall>,
    /// The text as part of a Markdown document.
    #[serde(skip)]
    markdown: String,
}

#[derive(Debug, Serialize)]
struct ExportedCall {
    name: String,
    arguments: String,
    /// The changes it made in files.
    changes: Vec<FileChange>,
}

/// Why an export ended early.
#[derive(Debug)]
pub enum ExportFault {
    Reading(CommandError),
    Writing(io::Error),
}

impl From<io::Error> for ExportFault {
    fn from(error: io::Error) -> Self {
        Self::Writing(error)
    }
}

impl From<ExportFault> for io::Error {
    fn from(fault: ExportFault) -> Self {
        match fault {
            ExportFault::Reading(error) => Self::other(error.text),
            ExportFault::Writing(error) => error,
        }
    }
}

/// A dialog to be exported. One course at a time is in memory.
#[derive(Debug)]
pub struct Export<'a> {
    store: &'a Reader,
    bucket: Bucket,
    dialog: &'a DialogId,
    head: ExportHead,
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
    let export = Export::of(&store, &survey, &dialog);
    match output {
        None => print(&export, format)?,
        Some(path) => write_new(workspace, path, |out| export.write(format, out))?,
    }
    Ok(Status::Done)
}

/// A closed pipe ends only the printing.
fn print(export: &Export<'_>, format: ExportFormat) -> Result<(), CommandError> {
    let mut out = BufWriter::new(io::stdout().lock());
    match export.write(format, &mut out) {
        Err(ExportFault::Reading(error)) => Err(error),
        Ok(()) | Err(ExportFault::Writing(_)) => Ok(()),
    }
}

/// Writes a new file; nothing is overwritten, and no half file stays. A file in the workspace is written
/// through the guard of all tools, so that no link there leads elsewhere.
fn write_new(
    workspace: &Path,
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), ExportFault>,
) -> Result<(), CommandError> {
    let refused = |why: String| CommandError::refused(format!("writing {}: {why}", path.display()));
    let failed = |error: io::Error| refused(error.to_string());
    let Some(below) = folders::below(workspace, path) else {
        let mut options = OpenOptions::new();
        let file = options.write(true).create_new(true).mode(0o600).open(path).map_err(failed)?;
        return write(&mut BufWriter::new(file)).map_err(|fault| {
            // The error to report is the first one.
            let _ = std::fs::remove_file(path);
            told(fault, failed)
        });
    };
    let denied = |fault: PathFault| refused(fault.text(Lang::En));
    let new = Guard::for_person(workspace)
        .and_then(|guard| guard.new_path(&format!("./{}", below.display()), PathTarget::File))
        .map_err(denied)?;
    if new.missing_parents() > 0 {
        return Err(failed(io::ErrorKind::NotFound.into()));
    }
    let spot = new.create_parents().map_err(denied)?;
    let file = spot.create_private().map_err(denied)?;
    write(&mut BufWriter::new(file)).map_err(|fault| {
        let _ = spot.remove();
        told(fault, failed)
    })
}

fn told(fault: ExportFault, failed: impl FnOnce(io::Error) -> CommandError) -> CommandError {
    match fault {
        ExportFault::Reading(error) => error,
        ExportFault::Writing(error) => failed(error),
    }
}

impl<'a> Export<'a> {
    /// Makes the export, with the title from the survey.
    pub fn of(store: &'a Reader, survey: &Survey, dialog: &'a DialogId) -> Self {
        let tree = survey.trees.iter().find(|tree| tree.root == dialog.root);
        let listed = tree.and_then(|tree| {
            Some((tree, tree.dialogs.iter().find(|known| known.meta.id == dialog.this)?))
        });
        let bucket = tree.map_or(Bucket::Run, |tree| tree.bucket);
        let title = listed.map(|(tree, listing)| find::title(&survey.titles, tree, listing));
        let title = SafeText::line(title.as_deref().unwrap_or_default()).into_string();
        let agent_id =
            store.meta(bucket, dialog).map_or_else(|| AgentId::new(""), |meta| meta.agent_id);
        let (root_id, self_id) = (dialog.root.clone(), dialog.this.clone());
        let head = ExportHead { root_id, self_id, agent_id, title };
        Self { store, bucket, dialog, head }
    }

    /// Writes the whole dialog, course by course, and flushes.
    pub fn write(&self, format: ExportFormat, out: &mut dyn Write) -> Result<(), ExportFault> {
        let courses = self.store.courses(self.bucket, self.dialog).into_iter();
        write_courses(&self.head, courses.map(|course| self.course(course)), format, out)
    }

    fn course(&self, course: Course) -> Result<ExportedCourse, CommandError> {
        let entries = queries::read_course(self.store, self.bucket, self.dialog, course)?;
        let transcript = Transcript::of_course(course, &entries);
        drop(entries);
        let blocks = transcript.blocks().iter().map(|block| exported(&self.head.agent_id, block));
        Ok(ExportedCourse { course, blocks: blocks.collect() })
    }
}

fn write_courses(
    head: &ExportHead,
    courses: impl Iterator<Item = Result<ExportedCourse, CommandError>>,
    format: ExportFormat,
    out: &mut dyn Write,
) -> Result<(), ExportFault> {
    write_head(head, format, out)?;
    for (at, course) in courses.enumerate() {
        let course = course.map_err(ExportFault::Reading)?;
        match format {
            ExportFormat::Markdown => write_markdown(&course, out)?,
            ExportFormat::Html => write_html(&course, out)?,
            ExportFormat::Json => {
                out.write_all(if at == 0 { b"" } else { b"," })?;
                serde_json::to_writer(&mut *out, &course).map_err(io::Error::from)?;
            }
        }
    }
    out.write_all(match format {
        ExportFormat::Markdown => b"",
        ExportFormat::Html => b"</body></html>\n",
        ExportFormat::Json => b"]}\n",
    })?;
    Ok(out.flush()?)
}

fn write_head(head: &ExportHead, format: ExportFormat, out: &mut dyn Write) -> io::Result<()> {
    let heading = format!("@{} · {}", head.agent_id, head.title);
    match format {
        ExportFormat::Markdown => writeln!(out, "# {heading}"),
        ExportFormat::Html => {
            let title = escaped(&heading);
            write!(out, "{HEAD}<title>{title}</title>\n{STYLE}<h1>{title}</h1>\n")
        }
        ExportFormat::Json => {
            let json = serde_json::to_string(head)?;
            let open = json.strip_suffix('}').unwrap_or(&json);
            write!(out, "{open},\"courses\":[")
        }
    }
}

fn write_markdown(course: &ExportedCourse, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "\n## course {}\n", course.course)?;
    for block in &course.blocks {
        let (heading, at) = (&block.heading, &block.at);
        write!(out, "\n### {heading} · {at}\n\n{}\n", block.markdown)?;
    }
    Ok(())
}

fn write_html(course: &ExportedCourse, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<h2>course {}</h2>", course.course)?;
    for block in &course.blocks {
        let (heading, at) = (escaped(&block.heading), escaped(&block.at.to_string()));
        let (kind, body) = (block.kind, escaped(&block.text));
        writeln!(
            out,
            "<section class=\"{kind}\"><h3>{heading} <time>{at}</time></h3><pre>{body}</pre></section>"
        )?;
    }
    Ok(())
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
    let safe = |text: &str| SafeText::clean(text).into_string();
    let text = safe(text.trim_end());
    let call = if let BlockBody::Tool(call) = &block.body {
        let changes = block.body.changes().unwrap_or_default();
        Some(ExportedCall {
            name: SafeText::line(&call.name).into_string(),
            arguments: safe(&call.arguments),
            changes: changes.iter().map(cleaned).collect(),
        })
    } else {
        None
    };
    ExportedBlock {
        kind: kind(&block.body),
        at: block.at.clone(),
        heading: SafeText::line(&heading).into_string(),
        markdown: transcript::as_markdown(&block.body, &text).into_owned(),
        text,
        call,
    }
}

fn cleaned(change: &FileChange) -> FileChange {
    change.clone().map_texts(|text| SafeText::clean(&text).into_string())
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
    use std::cell::RefCell;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::path::PathBuf;
    use std::rc::Rc;

    use super::*;
    use crate::domain::Entry;

    fn head() -> ExportHead {
        ExportHead {
            root_id: RootId::new("aa/bb/1"),
            self_id: SelfId::new("aa/bb/1"),
            agent_id: AgentId::new("lead"),
            title: "a <b>".to_owned(),
        }
    }

    fn written(words: &str, format: ExportFormat) -> String {
        let record = serde_json::json!({
            "ts": "2026-11-21 12:00:00", "type": "agent_words_record", "content": words
        });
        let entry = Entry::parse(&record.to_string()).expect("a record");
        let agent_id = AgentId::new("lead");
        let course = |course| {
            let transcript = Transcript::of_course(course, std::slice::from_ref(&entry));
            let blocks = transcript.blocks().iter().map(|block| exported(&agent_id, block));
            Ok(ExportedCourse { course, blocks: blocks.collect() })
        };
        let mut out = Vec::new();
        let courses = [Course(1), Course(2)].into_iter().map(course);
        write_courses(&head(), courses, format, &mut out).expect("written");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn hostile_text_is_text_in_every_format() {
        let words = "</pre><script>alert(1)</script>\u{1b}]0;x\u{7} \"q\" & 'r' 字";
        let html = written(words, ExportFormat::Html);
        assert!(html.contains("&lt;/pre&gt;&lt;script&gt;alert(1)"), "{html}");
        assert!(html.contains("<title>@lead · a &lt;b&gt;</title>") && html.contains("字"));
        assert_eq!(html.matches("<script").count(), 0);
        assert!(html.ends_with("</body></html>\n"));
        for format in [ExportFormat::Html, ExportFormat::Markdown, ExportFormat::Json] {
            let text = written(words, format);
            assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
        }
        let json: serde_json::Value =
            serde_json::from_str(&written(words, ExportFormat::Json)).expect("JSON");
        assert_eq!(json["courses"][1]["blocks"][0]["kind"], "saying");
        assert_eq!((&json["agentId"], &json["title"]), (&"lead".into(), &"a <b>".into()));
    }

    /// The bytes written so far, readable while more are written.
    #[derive(Clone, Default)]
    struct Shared(Rc<RefCell<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.borrow_mut().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_course_is_written_before_the_next_one_is_read() {
        for format in [ExportFormat::Markdown, ExportFormat::Html, ExportFormat::Json] {
            let mut out = Shared::default();
            let written = out.clone();
            let mut before = 0;
            let courses = (1..=3).map(|number| {
                let length = written.0.borrow().len();
                assert!(length > before, "{format:?}: course {number} is read too early");
                before = length;
                Ok(ExportedCourse { course: Course(number), blocks: Vec::new() })
            });
            write_courses(&head(), courses, format, &mut out).expect("written");
        }
    }

    /// Returns paths for an export: in the workspace, and beside it.
    fn places() -> (tempfile::TempDir, PathBuf, [PathBuf; 2]) {
        let top = tempfile::tempdir().expect("a folder");
        let real = top.path().canonicalize().expect("a path");
        let workspace = real.join("ws");
        std::fs::create_dir_all(workspace.join("out")).expect("folders");
        let paths = [workspace.join("out/a.md"), real.join("a.md")];
        (top, workspace, paths)
    }

    #[test]
    fn an_export_that_fails_leaves_no_file() {
        let (_top, workspace, paths) = places();
        for path in paths {
            let failed = write_new(&workspace, &path, |out| {
                out.write_all(b"half")?;
                out.flush()?;
                assert!(path.exists());
                Err(ExportFault::Writing(io::ErrorKind::StorageFull.into()))
            });
            assert!(failed.is_err() && !path.exists());
        }
    }

    #[test]
    fn a_file_that_is_there_is_not_overwritten() {
        let (_top, workspace, paths) = places();
        for path in paths {
            let write = |text: &'static str| {
                write_new(&workspace, &path, move |out| {
                    out.write_all(text.as_bytes())?;
                    Ok(out.flush()?)
                })
            };
            assert!(write("one").is_ok() && write("two").is_err());
            assert_eq!(std::fs::read_to_string(&path).expect("a file"), "one");
            let mode = std::fs::metadata(&path).expect("a file").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn a_link_in_the_workspace_leads_no_export_out_of_it() {
        let (top, workspace, [inside, _]) = places();
        let elsewhere = top.path().join("elsewhere");
        std::fs::create_dir(&elsewhere).expect("a folder");
        std::fs::remove_dir(workspace.join("out")).expect("removed");
        symlink(&elsewhere, workspace.join("out")).expect("a link");
        let refused = write_new(&workspace, &inside, |out| Ok(out.write_all(b"x")?));
        let text = refused.expect_err("refused").text;
        assert!(text.contains("out/a.md"), "{text}");
        assert_eq!(std::fs::read_dir(&elsewhere).expect("a folder").count(), 0);
        let missing = write_new(&workspace, &workspace.join("no/a.md"), |_| Ok(()));
        assert!(missing.is_err() && !workspace.join("no").exists());
    }
}
