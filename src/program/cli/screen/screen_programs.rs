//! The editor and the pager for the screen: which program, on which file.
//!
//! Paths of files come from records, which a model may have written: only an ordinary file below the
//! workspace, or the user's own configuration, is opened, links followed, and it is named by its absolute path, so
//! that no name is an option.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Component, Path, PathBuf};

use crate::app;
use crate::cli::args::ExportFormat;
use crate::cli::commands::export::Export;
use crate::cli::config;
use crate::cli::exit::CommandError;
use crate::domain::DialogId;
use crate::domain::dialogs::tree::Bucket;
use crate::domain::text::{Localized, localized};
use crate::platform::user_editor::{NoProgram, Program, editor, pager};
use crate::platform::{env, private_file};
use crate::store::Access;
use crate::ui::{MAX_DRAFT_BYTES, PreparedProgram, ProgramEnd, ProgramHost, ProgramJob};

/// The folder of drafts that are being edited, in the state folder of the user.
const FOLDER: &str = "editing";
const DRAFT_NAME: &str = "message.md";
const DIALOG_NAME: &str = "dialog.md";

#[derive(Debug)]
pub struct Programs {
    workspace: PathBuf,
}

impl Programs {
    pub fn new(workspace: &Path) -> Self {
        Self { workspace: workspace.to_path_buf() }
    }
}

/// Writes a dialog with all its courses, as Markdown.
pub fn write_whole(workspace: &Path, dialog: &DialogId, out: &mut dyn Write) -> io::Result<()> {
    let failed = |error: CommandError| io::Error::other(error.text);
    let store = app::open(workspace, Access::ReadOnly).map_err(|error| failed(error.into()))?;
    let bucket = store.find(&dialog.root).unwrap_or(Bucket::Run);
    let survey = store.list(bucket, &dialog.root);
    let export = Export::of(&store, &survey, dialog);
    Ok(export.write(ExportFormat::Markdown, &mut BufWriter::new(out))?)
}

impl ProgramHost for Programs {
    fn prepare(&self, job: &ProgramJob) -> Result<PreparedProgram, Localized> {
        match job {
            ProgramJob::EditFile { path, line } => {
                let editor = editor().map_err(|none| no_editor(&none))?;
                let file = file_below(&self.workspace, path)
                    .or_else(|| own_file(path))
                    .ok_or_else(|| {
                        localized!(
                            "{path} is no file of this workspace",
                            "{path} 不是此工作区的文件"
                        )
                    })?;
                Ok(prepared(&editor, &file, *line, None))
            }
            ProgramJob::EditDraft { text, .. } => {
                let editor = editor().map_err(|none| no_editor(&none))?;
                let file = private(DRAFT_NAME, text)?;
                Ok(prepared(&editor, &file, None, Some(file.clone())))
            }
            ProgramJob::Page { dialog } => {
                let pager = pager().map_err(|none| no_pager(&none))?;
                let write = |file: &mut File| write_whole(&self.workspace, dialog, file);
                let file = private_file::create_alone_by(FOLDER, DIALOG_NAME, write)
                    .map_err(|error| no_private(&error))?;
                Ok(prepared(&pager, &file, None, Some(file.clone())))
            }
        }
    }

    fn finish(
        &self,
        prepared: PreparedProgram,
        end: ProgramEnd,
    ) -> Result<Option<String>, Localized> {
        let Some(file) = prepared.private else { return Ok(None) };
        let is_draft = file.ends_with(DRAFT_NAME);
        let text = match end {
            ProgramEnd::Succeeded if is_draft => Some(private_file::read(&file, MAX_DRAFT_BYTES)),
            ProgramEnd::Succeeded | ProgramEnd::Failed => None,
        };
        // A file that cannot be used as a draft is left for the person.
        let text = text.transpose().map_err(|error| {
            let file = env::display_path(&file);
            localized!(
                "the draft is as it was; {file} cannot be used: {error}",
                "草稿未变；无法使用 {file}：{error}"
            )
        })?;
        if let Err(error) = private_file::remove_alone(&file) {
            // It only stays: its text is in the draft.
            tracing::warn!(%error, "an edited draft could not be removed");
        }
        Ok(text.map(|text| text.trim_end_matches(['\n', '\r']).to_owned()))
    }
}

fn prepared(
    program: &Program,
    file: &Path,
    line: Option<usize>,
    private: Option<PathBuf>,
) -> PreparedProgram {
    PreparedProgram { program: program.path.clone(), args: program.open(file, line), private }
}

fn private(name: &str, text: &str) -> Result<PathBuf, Localized> {
    private_file::create_alone(FOLDER, name, text).map_err(|error| no_private(&error))
}

fn no_private(error: &io::Error) -> Localized {
    localized!("no private file: {error}", "无法建立私有文件：{error}")
}

fn no_pager(none: &NoProgram) -> Localized {
    match none {
        NoProgram::Unset => localized!(
            "no pager: set $PAGER, or install less",
            "没有分页程序：请设置 $PAGER，或安装 less"
        ),
        NoProgram::NotFound { variable, value } => not_found(variable, value),
    }
}

fn not_found(variable: &str, value: &str) -> Localized {
    localized!(
        "${variable} names no program that is installed: {value}",
        "${variable} 指定的程序未安装：{value}"
    )
}

fn no_editor(none: &NoProgram) -> Localized {
    match none {
        NoProgram::Unset => localized!(
            "no editor: set $VISUAL or $EDITOR, or install vi",
            "没有编辑器：请设置 $VISUAL 或 $EDITOR，或安装 vi"
        ),
        NoProgram::NotFound { variable, value } => not_found(variable, value),
    }
}

/// The user's own `config.yaml`, or a theme beside it, as problems name it.
fn own_file(shown: &str) -> Option<PathBuf> {
    let config = config::path()?;
    let themes = config::themes_folder(&config);
    own_file_of(&config, themes.as_deref(), shown)
}

fn own_file_of(config: &Path, themes: Option<&Path>, shown: &str) -> Option<PathBuf> {
    let is_meant = |path: &PathBuf| env::display_path(path) == shown && path.is_file();
    let own = Some(config.to_path_buf()).filter(is_meant);
    own.or_else(|| {
        let name = Path::new(shown).file_name()?;
        let is_theme = Path::new(name).extension().is_some_and(|end| end == "yaml");
        themes.filter(|_| is_theme).map(|folder| folder.join(name)).filter(is_meant)
    })
}

/// An ordinary file below the workspace by its path in a record; its absolute path, with no links in it.
fn file_below(workspace: &Path, written: &str) -> Option<PathBuf> {
    let path = Path::new(written);
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if written.chars().any(char::is_control) || !path.components().all(is_plain) {
        return None;
    }
    let workspace = workspace.canonicalize().ok()?;
    let file = workspace.join(path).canonicalize().ok()?;
    (file.starts_with(&workspace) && file.metadata().ok()?.is_file()).then_some(file)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use super::*;
    use crate::domain::RootId;

    #[test]
    fn the_own_configuration_and_its_themes_are_opened_as_problems_name_them() {
        let top = tempfile::tempdir().unwrap();
        let (config, themes) = (top.path().join("config.yaml"), top.path().join("themes"));
        fs::create_dir_all(themes.join("folder.yaml")).unwrap();
        fs::create_dir(themes.join("deep")).unwrap();
        for file in ["config.yaml", "secret.yaml", "themes/own.yaml", "themes/own.txt"] {
            fs::write(top.path().join(file), "x").unwrap();
        }
        fs::write(themes.join("deep/own.yaml"), "x").unwrap();
        for (written, is_opened) in [
            ("config.yaml", true),
            ("themes/own.yaml", true),
            ("secret.yaml", false),
            ("themes/own.txt", false),
            ("themes/folder.yaml", false),
            ("themes/missing.yaml", false),
            ("themes/deep/own.yaml", false),
            ("themes/../secret.yaml", false),
            ("themes/./own.yaml", false),
        ] {
            let shown = format!("{}/{written}", env::display_path(top.path()));
            let found = own_file_of(&config, Some(&themes), &shown);
            assert_eq!(found, is_opened.then(|| top.path().join(written)), "{written}");
        }
    }

    #[test]
    fn an_answer_of_megabytes_is_in_the_pager_to_its_end() {
        let top = tempfile::tempdir().unwrap();
        let folder = top.path().join(".dialogs/run/aa/bb/00000001");
        fs::create_dir_all(&folder).unwrap();
        let text = format!("{}the very end", "a line of a long answer\n\n".repeat(130_000));
        let record = serde_json::json!({
            "ts": "2026-11-21 12:00:01", "type": "agent_words_record", "genseq": 1, "content": text,
        });
        let course = format!("{record}\n");
        for (name, content) in [
            (
                "dialog.yaml",
                "id: aa/bb/00000001\nagentId: lead\ntaskDocPath: t.tsk\ncreatedAt: 2026-11-21 12:00:00\n",
            ),
            (
                "latest.yaml",
                "currentCourse: 1\nlastModified: 2026-11-21 12:00:05\nstatus: active\ngenerating: false\n",
            ),
            ("course-001.jsonl", course.as_str()),
        ] {
            fs::write(folder.join(name), content).unwrap();
        }
        let dialog = DialogId::main(RootId::new("aa/bb/00000001"));
        let mut written = Vec::new();
        write_whole(top.path(), &dialog, &mut written).unwrap();
        let written = String::from_utf8(written).unwrap();
        assert!(written.len() > text.len(), "{} of {} bytes", written.len(), text.len());
        assert!(written.trim_end().ends_with("the very end"));
    }

    #[test]
    fn only_an_ordinary_file_below_the_workspace_is_opened() {
        let top = tempfile::tempdir().unwrap();
        let workspace = top.path().canonicalize().unwrap().join("ws");
        fs::create_dir_all(workspace.join("src")).unwrap();
        for file in ["ws/src/a.rs", "ws/-x", "ws/+9", "ws/字 语.md", "secret", "ws/a\nb"] {
            fs::write(top.path().join(file), "x").unwrap();
        }
        symlink("src/a.rs", workspace.join("inside")).unwrap();
        symlink("../secret", workspace.join("outside")).unwrap();
        symlink("/dev/null", workspace.join("device")).unwrap();
        symlink("..", workspace.join("up")).unwrap();
        let _socket = UnixListener::bind(workspace.join("socket")).unwrap();
        for (written, expected) in [
            ("src/a.rs", Some("src/a.rs")),
            ("./src/./a.rs", Some("src/a.rs")),
            ("inside", Some("src/a.rs")),
            ("-x", Some("-x")),
            ("+9", Some("+9")),
            ("字 语.md", Some("字 语.md")),
            ("outside", None),
            ("device", None),
            ("up/secret", None),
            ("socket", None),
            ("../secret", None),
            ("src/../src/a.rs", None),
            ("/etc/hostname", None),
            ("src", None),
            ("src/", None),
            ("", None),
            ("a\nb", None),
            ("missing", None),
        ] {
            let expected = expected.map(|path| workspace.join(path));
            assert_eq!(file_below(&workspace, written), expected, "{written:?}");
        }
    }
}
