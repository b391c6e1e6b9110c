//! The one user message that puts a Taskdoc into the context.

use super::{LIMIT_BYTES, Taskdoc, Violation};
use crate::domain::Lang;
use crate::minds::prompt::Text;

const HEAD: Text = Text::both("# Taskdoc", "# 任务文档");
const GOALS: Text = Text::both("Goals", "目标");
const CONSTRAINTS: Text = Text::both("Constraints", "约束");
const BEAR_IN_MIND: Text = Text::both("Bear in mind", "牢记");
const PROGRESS: Text = Text::both("Progress", "进展");
const MORE: Text = Text::both(
    "More sections (read one with `recall_taskdoc`)",
    "更多章节（用 `recall_taskdoc` 读取）",
);
const UNLISTED: Text = Text::both("and others not listed:", "另有未列出的：");
const VIOLATIONS: Text = Text::both(
    "Not in order (tell the owner of the Taskdoc)",
    "不合规之处（请告诉任务文档的负责人）",
);
const EMPTY: Text = Text::both("(empty)", "（空）");
const TOO_MANY_FILES: Text =
    Text::both("the package has too many files; some were not looked at", "文件过多，有些没有查看");
const STRANGER: Text = Text::both("does not belong there", "不该放在那里");
const TOO_LARGE: Text = Text::both(
    "Its sections together are larger than 100 KiB and are left out here. Before other work, \
     have them shortened: keep goals, constraints and the present state; move details to their \
     own sections.",
    "各章节合计超过 100 KiB，此处不再展示。先请人把它们缩短，再做别的：保留目标、约束和现状，\
     细节移到各自的章节。",
);

/// Goals, constraints, bear in mind, progress, then the index. Too large a text is replaced by a
/// notice that says so.
#[must_use]
pub fn render(taskdoc: &Taskdoc, lang: Lang) -> String {
    let text = in_full(taskdoc, lang);
    if text.len() <= LIMIT_BYTES {
        return text;
    }
    format!("{}\n\n{}\n", head(taskdoc, lang), TOO_LARGE.of(lang))
}

fn in_full(taskdoc: &Taskdoc, lang: Lang) -> String {
    let mut text = head(taskdoc, lang);
    section(&mut text, GOALS.of(lang), &taskdoc.goals, lang);
    section(&mut text, CONSTRAINTS.of(lang), &taskdoc.constraints, lang);
    if !taskdoc.bear_in_mind.is_empty() {
        text.push_str(&format!("\n\n## {}", BEAR_IN_MIND.of(lang)));
        for (name, body) in &taskdoc.bear_in_mind {
            text.push_str(&format!("\n\n### {name}\n\n{body}"));
        }
    }
    section(&mut text, PROGRESS.of(lang), &taskdoc.progress, lang);
    if !taskdoc.index.is_empty() {
        let mut names = bullets(&taskdoc.index);
        if taskdoc.unlisted > 0 {
            let more = format!("\n- {} {}", UNLISTED.of(lang), taskdoc.unlisted);
            names.push_str(&more);
        }
        section(&mut text, MORE.of(lang), &names, lang);
    }
    if !taskdoc.violations.is_empty() {
        let found = taskdoc.violations.iter().map(|violation| sentence(violation, lang));
        let found = bullets(&found.collect::<Vec<_>>());
        section(&mut text, VIOLATIONS.of(lang), &found, lang);
    }
    text.push('\n');
    text
}

/// One violation in words.
#[must_use]
pub fn sentence(violation: &Violation, lang: Lang) -> String {
    match violation {
        Violation::TooManyFiles => TOO_MANY_FILES.of(lang).to_owned(),
        Violation::Stranger(name) => format!("`{name}` {}", STRANGER.of(lang)),
    }
}

fn head(taskdoc: &Taskdoc, lang: Lang) -> String {
    format!("{} `{}`", HEAD.of(lang), taskdoc.path)
}

fn section(text: &mut String, title: &str, body: &str, lang: Lang) {
    let body = if body.trim().is_empty() { EMPTY.of(lang) } else { body };
    text.push_str(&format!("\n\n## {title}\n\n{body}"));
}

fn bullets(items: &[String]) -> String {
    let lines: Vec<String> = items.iter().map(|item| format!("- {item}")).collect();
    lines.join("\n")
}
