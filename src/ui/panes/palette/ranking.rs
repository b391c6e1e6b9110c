//! Which actions fit what is typed, in the palette and after a `/`, and in which order they are shown.
//!
//! A typed word fits where a word begins. An action that ends or loses something is found only by its name or another
//! word for it: text that was meant for elsewhere, typed into the palette, leads to none of them.

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use super::PaletteEntry;
use crate::action::{Action, Scope};

/// Other words for actions, in both languages, by their names.
pub(super) const SYNONYMS: &[(&str, &str)] = &[
    ("answer", "reply respond approve 回复 批准"),
    ("answer-oldest", "reply respond approve 回复 批准"),
    ("archive", "归档"),
    ("attach-image", "picture screenshot paste 截图"),
    ("autonomy", "settings preferences configuration permissions approvals 设置 配置 权限"),
    ("changes", "git diff files 差异 审阅"),
    ("clear", "discard 丢弃 清空"),
    ("clear-news", "discard 清除"),
    ("compose", "chat say message 消息 聊天"),
    ("consent", "sandbox settings permissions trust 沙箱 设置 权限"),
    ("continue", "resume 恢复 继续"),
    ("continue-all", "resume 恢复 继续"),
    ("copy", "clipboard 剪贴板"),
    ("dead", "kill 杀死 死亡"),
    ("delete", "remove erase 删除"),
    ("detach", "leave background 离开 后台"),
    ("dismiss", "discard reject skip 关闭 清除"),
    ("dismiss-rest", "discard skip 不回答"),
    ("done", "finish complete 完成"),
    ("filter", "search 搜索"),
    ("find", "search 搜索"),
    ("find-everywhere", "search grep 搜索"),
    ("fork", "branch 分支"),
    ("help", "keys commands shortcuts 帮助 快捷键"),
    ("keep-going", "loop auto 自动"),
    ("keys", "settings preset bindings vi emacs 设置 键位 预设"),
    ("model", "llm provider switch 模型 换"),
    ("mouse", "settings 设置"),
    ("notifications", "settings notify bell ring sound quiet mute reminder 设置 通知 响铃 静音"),
    ("new", "create session chat 会话"),
    ("places", "history 历史"),
    ("problems", "errors warnings doctor diagnostics 错误 诊断"),
    ("processes", "shells jobs commands 命令"),
    ("queued", "queue pending 排队"),
    ("quit", "exit leave 退出 离开"),
    ("read-all", "copy all transcript 复制 全部"),
    ("refill", "loop auto 自动"),
    ("reminders", "todos plan memory 待办 计划 提醒"),
    ("retry-now", "again 重试"),
    ("send-now", "interrupt interject steer 打断 插话"),
    ("shelf", "undo restore history 撤销 恢复 历史"),
    ("stop", "interrupt abort pause kill 停止 中断"),
    ("stop-all", "interrupt abort pause kill 停止 中断"),
    ("suspend", "background 挂起"),
    ("take-back", "withdraw 撤回"),
    ("taskdoc", "plan goals 计划"),
    ("team", "members agents 成员 智能体"),
    ("theme", "settings colours colors dark light appearance 设置 主题 颜色 配色 外观"),
    ("thinking", "reasoning 推理"),
    ("title", "rename name 重命名"),
    ("tokens", "costs usage context compact money prices 费用 令牌 用量 上下文 压缩"),
    ("undo", "revert 撤销"),
    ("undo-answer", "revert 撤销"),
    ("write-file", "export save copy all transcript markdown 导出 保存 复制 全部"),
];

/// The names of what people want most, best first.
pub(super) const USEFUL: &str = "answer-oldest new changes find find-everywhere timeline stop read-all write-file \
    continue compose team reminders tokens autonomy help";

/// The names of what only moves about, closes what is open or belongs to typing: everybody has keys for it.
pub(super) const MOVES: &str = "focus-next focus-previous focus-1 focus-2 focus-3 cancel close leave up down \
    half-page-up half-page-down page-up page-down top bottom fold unfold fold-all unfold-all \
    to-asker enter back previous-generation next-generation call-above call-below \
    question-above question-below change-above change-below previous-course next-course \
    previous-match next-match previous-file next-file previous-part next-part earlier-span \
    later-span earlier-time later-time send send-now new-line history-up history-down";

/// The actions that end or lose something.
pub(super) const ENDING: [Action; 15] = [
    Action::Archive,
    Action::ClearDraft,
    Action::ClearNews,
    Action::DeclareDead,
    Action::Delete,
    Action::Detach,
    Action::Dismiss,
    Action::DismissRest,
    Action::MarkDone,
    Action::Quit,
    Action::SendNow,
    Action::Stop,
    Action::StopAll,
    Action::Suspend,
    Action::TakeBack,
];

/// What entries are ranked by, besides the typed text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ranking<'a> {
    /// What has the focus.
    pub from: Scope,
    /// The actions that were run in this session, the last one first.
    pub recent: &'a [Action],
    /// The words of help sentences count, too.
    pub by_sentence: bool,
}

/// How the typed text fits an entry, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Name,
    NameBegins,
    OwnWords,
    Sentence,
}

/// The order: the fit, movement last, what works where the focus is, what was run last, what is useful.
type Place = (Fit, bool, bool, usize, usize);

impl Ranking<'_> {
    /// Returns the entries that fit the typed text, the best first. Names and other words are in lower case.
    pub fn fitting(self, entries: Vec<PaletteEntry>, typed: &str) -> Vec<PaletteEntry> {
        let name = typed.split_whitespace().collect::<Vec<_>>().join("-");
        let place = |entry: &PaletteEntry| {
            let fit = self.fit(entry, typed, &name)?;
            Some(self.place(entry, fit, !name.is_empty()))
        };
        let mut found: Vec<_> =
            entries.into_iter().filter_map(|entry| Some((place(&entry)?, entry))).collect();
        found.sort_by_key(|(place, _)| *place);
        found.into_iter().map(|(_, entry)| entry).collect()
    }

    /// Returns how the text fits, if it does. `name`: the text in the form of a name.
    fn fit(self, entry: &PaletteEntry, typed: &str, name: &str) -> Option<Fit> {
        let known = entry.action.name();
        if known == name {
            return Some(Fit::Name);
        }
        if known.starts_with(name) {
            return Some(Fit::NameBegins);
        }
        let other = SYNONYMS.iter().find(|(action, _)| *action == known).map(|(_, words)| *words);
        let own = format!("{known} {}", other.unwrap_or_default());
        let sentence = if self.by_sentence { entry.sentence.to_lowercase() } else { String::new() };
        let is_own = |word: &str| begins_a_word(&own, word);
        let fits = |word: &str| is_own(word) || begins_a_word(&sentence, word);
        let mut words = typed.split_whitespace();
        if words.clone().all(is_own) {
            return Some(Fit::OwnWords);
        }
        let is_named = !ENDING.contains(&entry.action) || words.clone().any(is_own);
        (is_named && words.all(fits)).then_some(Fit::Sentence)
    }

    fn place(self, entry: &PaletteEntry, fit: Fit, is_typed: bool) -> Place {
        let recent = self.recent.iter().position(|one| *one == entry.action);
        let at = |names: &str| names.split(' ').position(|name| name == entry.action.name());
        let is_last = recent.is_none() && at(MOVES).is_some();
        let is_away = is_typed && !self.from.chain().any(|scope| scope == entry.scope);
        let rank = |at: Option<usize>| at.unwrap_or(usize::MAX);
        (fit, is_last, is_away, rank(recent), rank(at(USEFUL)))
    }
}

/// Returns the entries that have the typed letters in this order, the best first; none that ends something.
pub(super) fn scattered(entries: Vec<PaletteEntry>, typed: &str) -> Vec<PaletteEntry> {
    let pattern = Pattern::new(typed, CaseMatching::Ignore, Normalization::Smart, AtomKind::Fuzzy);
    let mut matcher = Matcher::new(Config::DEFAULT);
    let mut buffer = Vec::new();
    let mut score = |entry: &PaletteEntry| {
        let text = format!("{} {}", entry.sentence, entry.action.name());
        pattern.score(Utf32Str::new(&text, &mut buffer), &mut matcher)
    };
    let harmless = entries.into_iter().filter(|entry| !ENDING.contains(&entry.action));
    let mut found: Vec<(u32, PaletteEntry)> =
        harmless.filter_map(|entry| Some((score(&entry)?, entry))).collect();
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    found.into_iter().map(|(_, entry)| entry).collect()
}

/// True if a word of the text begins so. Each Chinese character begins a word.
fn begins_a_word(text: &str, typed: &str) -> bool {
    let mut before = ' ';
    text.char_indices().any(|(at, c)| {
        let is_start = !before.is_alphanumeric() || !c.is_ascii();
        before = c;
        is_start && text.get(at..).is_some_and(|rest| rest.starts_with(typed))
    })
}
