//! Renders a Taskdoc as one user message of the context.

use super::{LIMIT_BYTES, Taskdoc, Violation};
use crate::domain::Lang;
use crate::domain::text::{Localized, Text, localized};

const HEAD: Text = Text::new("# Taskdoc", "# 任务文档");
const GOALS: Text = Text::new("Goals", "目标");
const CONSTRAINTS: Text = Text::new("Constraints", "约束");
const BEAR_IN_MIND: Text = Text::new("Bear in mind", "牢记");
const PROGRESS: Text = Text::new("Progress", "进展");
const MORE: Text = Text::new(
    "More sections (read one with `recall_taskdoc`)",
    "更多章节（用 `recall_taskdoc` 读取）",
);
const UNLISTED: Text = Text::new("and others not listed:", "另有未列出的：");
const VIOLATIONS: Text = Text::new(
    "Not in order (tell the owner of the Taskdoc)",
    "不合规之处（请告诉任务文档的负责人）",
);
const EMPTY: Text = Text::new("(empty)", "（空）");
const TOO_MANY_FILES: Text =
    Text::new("the package has too many files; some were not looked at", "文件过多，有些没有查看");
const TOO_LARGE: Text = Text::new(
    "Its sections together are larger than 100 KiB and are left out here. Before other work, \
     have them shortened: keep goals, constraints and the present state; move details to their \
     own sections.",
    "各章节合计超过 100 KiB，此处不再展示。先请人把它们缩短，再做别的：保留目标、约束和现状，\
     细节移到各自的章节。",
);

/// Goals, constraints, bear in mind, progress, then the index. A text over the limit is replaced by a
/// notice.
#[must_use]
pub fn render(taskdoc: &Taskdoc, lang: Lang) -> String {
    let text = full_text(taskdoc, lang);
    if text.len() <= LIMIT_BYTES {
        return text;
    }
    format!("{}\n\n{}\n", head(taskdoc, lang), TOO_LARGE.in_lang(lang))
}

fn full_text(taskdoc: &Taskdoc, lang: Lang) -> String {
    let mut text = head(taskdoc, lang);
    push_section(&mut text, GOALS.in_lang(lang), &taskdoc.goals, lang);
    push_section(&mut text, CONSTRAINTS.in_lang(lang), &taskdoc.constraints, lang);
    if !taskdoc.bear_in_mind.is_empty() {
        text.push_str(&format!("\n\n## {}", BEAR_IN_MIND.in_lang(lang)));
        for (name, body) in &taskdoc.bear_in_mind {
            text.push_str(&format!("\n\n### {name}\n\n{body}"));
        }
    }
    push_section(&mut text, PROGRESS.in_lang(lang), &taskdoc.progress, lang);
    if !taskdoc.index.is_empty() {
        let mut names = bullets(&taskdoc.index);
        if taskdoc.unlisted > 0 {
            let more = format!("\n- {} {}", UNLISTED.in_lang(lang), taskdoc.unlisted);
            names.push_str(&more);
        }
        push_section(&mut text, MORE.in_lang(lang), &names, lang);
    }
    if !taskdoc.violations.is_empty() {
        let violations = taskdoc.violations.iter().map(violation_text);
        let violations = violations.map(|text| text.in_lang(lang).to_owned());
        let violations = bullets(&violations.collect::<Vec<_>>());
        push_section(&mut text, VIOLATIONS.in_lang(lang), &violations, lang);
    }
    text.push('\n');
    text
}

/// Describes one violation.
#[must_use]
pub fn violation_text(violation: &Violation) -> Localized {
    match violation {
        Violation::TooManyFiles => TOO_MANY_FILES.into(),
        Violation::Unexpected(name) => {
            localized!("`{name}` does not belong there", "`{name}` 不该放在那里")
        }
    }
}

fn head(taskdoc: &Taskdoc, lang: Lang) -> String {
    format!("{} `{}`", HEAD.in_lang(lang), taskdoc.path)
}

fn push_section(text: &mut String, title: &str, body: &str, lang: Lang) {
    let body = if body.trim().is_empty() { EMPTY.in_lang(lang) } else { body };
    text.push_str(&format!("\n\n## {title}\n\n{body}"));
}

fn bullets(items: &[String]) -> String {
    let lines: Vec<String> = items.iter().map(|item| format!("- {item}")).collect();
    lines.join("\n")
}
