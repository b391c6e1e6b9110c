//! The tools for files, applied to `.minds/`: they get that folder as their workspace, so that nothing
//! outside of it can be named. The text of a configuration file is parsed before it is written.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::context::{ManageContext, load_configuration, problem_lines};
use crate::domain::Lang;
use crate::domain::safety::trust::Unagreed;
use crate::domain::text::{Text, in_lang};
use crate::guard::{Identity, InvalidPath, PathFaultKind, own_folder};
use crate::tools::typed;
use crate::tools::{
    CreateFileArgs, FileArgs, ListDirArgs, OverwriteFileArgs, ReadFileArgs, Tool, ToolCx,
    ToolOutcome, interrupted,
};
use crate::yaml;

const FOLDER: &str = ".minds";
/// Below it, what people alone write.
const FOR_PEOPLE: &str = "hive";
/// Files that are read as YAML, below the folder.
const CONFIGURATION: [&str; 3] = ["team.yaml", "llm.yaml", "mcp.yaml"];

/// The mirrors of the tools for files.
pub(super) fn tools(known: &ManageContext) -> [Arc<dyn Tool>; 4] {
    [
        mirror::<ListDirArgs>(known, "team_mgmt_list_dir", |lang| {
            Text::of_document(include_str!("list_dir.md")).in_lang(lang)
        }),
        mirror::<ReadFileArgs>(known, "team_mgmt_read_file", |lang| {
            Text::of_document(include_str!("read_file.md")).in_lang(lang)
        }),
        mirror::<CreateFileArgs>(known, "team_mgmt_create_new_file", |lang| {
            Text::of_document(include_str!("create_new_file.md")).in_lang(lang)
        }),
        mirror::<OverwriteFileArgs>(known, "team_mgmt_overwrite_entire_file", |lang| {
            Text::of_document(include_str!("overwrite_entire_file.md")).in_lang(lang)
        }),
    ]
}

/// A tool for files that works in `.minds/`.
fn mirror<A: FileArgs>(
    known: &ManageContext,
    name: &'static str,
    text: fn(Lang) -> &'static str,
) -> Arc<dyn Tool> {
    let known = known.clone();
    let name = if A::WRITES { name.into() } else { typed::reads(name) };
    typed::asynchronous(name, text, move |cx, args: A| in_minds(known.clone(), cx, args))
}

async fn in_minds<A: FileArgs>(known: ManageContext, cx: ToolCx, mut args: A) -> ToolOutcome {
    let lang = cx.lang;
    let Some(path) = path_below_minds(args.path().unwrap_or("."), &cx.workspace) else {
        return ToolOutcome::failed(outside_minds(lang));
    };
    if A::WRITES && is_for_people(&path) {
        return ToolOutcome::failed(for_people(lang));
    }
    let refusal = args.new_text().and_then(|text| yaml_fault(&path, text, lang));
    if let Some(refusal) = refusal {
        return ToolOutcome::failed(refusal);
    }
    let workspace = cx.workspace.clone();
    let opened = tokio::task::spawn_blocking(move || open_minds(&workspace, A::WRITES, lang)).await;
    let (folder, identity) = match opened {
        Ok(Ok(folder)) => folder,
        Ok(Err(why)) => return ToolOutcome::failed(why),
        Err(_) => return ToolOutcome::failed(interrupted(lang)),
    };
    let there = ToolCx {
        workspace: Arc::from(folder),
        root: Some(identity),
        access: Arc::default(),
        taskdoc: None,
        ..cx.clone()
    };
    let configures = A::WRITES && CONFIGURATION.contains(&path.as_str());
    let before = if configures { pending_consent(&known, &cx).await } else { Vec::new() };
    args.set_path(path.clone());
    let Ok(mut done) = tokio::task::spawn_blocking(move || args.run(&there)).await else {
        return ToolOutcome::failed(interrupted(lang));
    };
    for change in &mut done.file_changes {
        change.path = format!(".minds/{}", change.path);
    }
    if !(done.ok && configures) {
        return done;
    }
    let after = pending_consent(&known, &cx).await;
    let found = tokio::task::spawn_blocking(move || findings(&known, &cx, &path)).await;
    let waits = new_pending(&before, &after, lang);
    let text = format!("{}{}{waits}", done.text, found.unwrap_or_default());
    ToolOutcome { text, ..done }
}

/// Returns the entries that wait for a person's consent now.
async fn pending_consent(known: &ManageContext, cx: &ToolCx) -> Vec<Unagreed> {
    let (waiting, workspace) = (known.pending_consent, cx.workspace.clone());
    tokio::task::spawn_blocking(move || waiting(&workspace)).await.unwrap_or_default()
}

/// Lists the entries that wait for consent because of a change; no tool can put them into effect.
fn new_pending(before: &[Unagreed], after: &[Unagreed], lang: Lang) -> String {
    let known = |one: &&Unagreed| before.iter().any(|old| old.entry == one.entry);
    let fresh: Vec<String> =
        after.iter().filter(|one| !known(one)).map(|one| format!("- {}", one.entry)).collect();
    if fresh.is_empty() {
        return String::new();
    }
    let head = Text::new("This has no effect before the person agrees to it; they are shown it, so do not wait for it:", "以下内容须经人同意后才生效；人会看到它们，请不要等待：").in_lang(lang);
    format!("\n{head}\n{}", fresh.join("\n"))
}

/// The path below `.minds/`, whether it was written with or without that name; `None` where it leads
/// elsewhere.
fn path_below_minds(written: &str, workspace: &Path) -> Option<String> {
    let path = Path::new(written.trim());
    let (path, absolute) = match path.strip_prefix(workspace) {
        Ok(inside) => (inside, path.is_absolute()),
        Err(_) => (path, false),
    };
    let mut names: Vec<&str> = Vec::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::Normal(name) => names.push(name.to_str()?),
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    let inside = match names.split_first() {
        Some((&FOLDER, rest)) => rest,
        _ if absolute => return None,
        _ => &names[..],
    };
    Some(if inside.is_empty() { ".".to_owned() } else { inside.join("/") })
}

/// True below the folder that says what members decide alone: no member writes there.
fn is_for_people(path: &str) -> bool {
    path.split('/').next().is_some_and(|first| first.eq_ignore_ascii_case(FOR_PEOPLE))
}

fn for_people(lang: Lang) -> &'static str {
    Text::new(
        "`.minds/hive/` is written by people only. Say what should change there and why.",
        "`.minds/hive/` 只由人编写。请说明那里应当如何改动以及原因。",
    )
    .in_lang(lang)
}

fn outside_minds(lang: Lang) -> &'static str {
    Text::new(
        "Only paths below `.minds/` are open to this tool, without `..`. For files of the project \
         ask a teammate who works on them.",
        "本工具只接受 `.minds/` 之内的路径,且不能含 `..`。项目文件请找负责的队友处理。",
    )
    .in_lang(lang)
}

/// The folder as it truly is. A writer makes it where it is missing.
fn open_minds(workspace: &Path, writes: bool, lang: Lang) -> Result<(PathBuf, Identity), String> {
    const LINK: Text = Text::new(
        "`.minds` is a link, so what lies behind it is left alone. Ask a person to make it a folder.",
        "`.minds` 是链接,其指向的内容不作处理。请让人把它改成真正的目录。",
    );
    own_folder(workspace, FOLDER, writes).map_err(|fault| {
        if fault.kind == PathFaultKind::Invalid(InvalidPath::ThroughLink) {
            return LINK.in_lang(lang).to_owned();
        }
        let reason = fault.text(lang);
        in_lang!(lang, "`.minds` cannot be opened: {reason}", "无法打开 `.minds`:{reason}")
    })
}

/// Why this text must not become that file.
fn yaml_fault(path: &str, text: &str, lang: Lang) -> Option<String> {
    if !CONFIGURATION.contains(&path) {
        return None;
    }
    let error = yaml::parse(text).err()?.message();
    let error = error.in_lang(lang);
    Some(in_lang!(
        lang,
        "Nothing was written: as `.minds/{path}` this text could not be read: {error}. Fix it \
             there and send the whole text again.",
        "未写入:这段文本作为 `.minds/{path}` 无法读取:{error}。请在该处修正后重新发送全文。"
    ))
}

/// Returns the problems of a configuration file now.
fn findings(known: &ManageContext, cx: &ToolCx, path: &str) -> String {
    let (_, problems) = load_configuration(known, cx);
    let file = format!("{FOLDER}/{path}");
    let own: Vec<_> = problems.into_iter().filter(|problem| problem.path == file).collect();
    if own.is_empty() {
        return Text::new("\nThe file is in order.", "\n文件没有问题。")
            .in_lang(cx.lang)
            .to_owned();
    }
    let head = Text::new("Written, with findings:", "已写入,但有以下问题:").in_lang(cx.lang);
    format!("\n{head}\n{}", problem_lines(&own, cx.lang))
}
