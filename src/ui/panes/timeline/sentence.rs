//! A span in words.

use crate::cx::UiSettings;
use crate::domain::counted;
use crate::domain::reading::timeline::{Activity, AwaitedCall};
use crate::domain::text::in_lang;
use crate::domain::{Lang, Stamp};
use crate::model::age;
use crate::protocol::{TimelineRow, TimelineView};

use super::chart::Stretch;
use crate::words;

/// Returns what a dialog did, with whom, how long, and when. `retries`: it does now.
pub(super) fn sentence(
    (row, retries): (&TimelineRow, bool),
    stretch: Stretch<'_>,
    all: &TimelineView,
    ui: &UiSettings,
) -> String {
    let seconds = u64::try_from(stretch.to - stretch.span.from).unwrap_or_default();
    let (who, time) = (name(row), age::exact(seconds));
    let lang = ui.lang;
    let what = match &stretch.span.activity {
        Activity::Ran { generations: n } => in_lang!(
            lang,
            ("{who} ran {time}: {}", counted(*n, "generation", "generations")),
            "{who} 运行了 {time}：{n} 次生成"
        ),
        Activity::WaitedForDialogs(calls) => {
            let whom = names(calls, all, lang);
            in_lang!(lang, "{who} waited {time} for {whom}", "{who} 等待 {whom} {time}")
        }
        Activity::WaitedForPerson { question } => in_lang!(
            lang,
            "{who} waited {time} for your answer to “{question}”",
            "{who} 等你回答“{question}”{time}"
        ),
        Activity::WasReady => in_lang!(
            lang,
            "{who} could go on and waited {time} to be driven",
            "{who} 可以继续，等待驱动 {time}"
        ),
        Activity::HadNothingToDo => {
            in_lang!(lang, "{who} had nothing to do for {time}", "{who} 无事可做 {time}")
        }
        Activity::WasStopped => {
            in_lang!(lang, "{who} was stopped for {time}", "{who} 已停止 {time}")
        }
        Activity::WasCutOff => in_lang!(
            lang,
            "{who} stood still for {time}: the program ended in the middle of a generation",
            "{who} 停顿了 {time}：程序在一次生成中途结束"
        ),
    };
    let what = if retries && stretch.goes_on {
        let retrying = ui.text(words::RETRYING);
        in_lang!(lang, "{what}, {retrying}", "{what}，{retrying}")
    } else {
        what
    };
    let until = if stretch.goes_on {
        in_lang!(lang, "now", "现在")
    } else {
        clock(stretch.to, stretch.span.from)
    };
    let dot = ui.glyphs.middle_dot;
    let from = Stamp::of_seconds(stretch.span.from);
    format!("{what} {dot} {from} {} {until}", in_lang!(lang, "to", "至"))
}

/// A time of the day; with its date if that is another one than of `beside`.
fn clock(at: i64, beside: i64) -> String {
    let (at, beside) = (Stamp::of_seconds(at), Stamp::of_seconds(beside));
    let day = |stamp: &Stamp| stamp.as_str().get(..10).map(str::to_owned);
    if day(&at) != day(&beside) {
        return at.as_str().to_owned();
    }
    at.as_str().get(11..).unwrap_or(at.as_str()).to_owned()
}

/// Returns the name of a dialog: its member, and its session.
pub(super) fn name(row: &TimelineRow) -> String {
    match &row.slug {
        Some(slug) => format!("@{} !{slug}", row.agent),
        None => format!("@{}", row.agent),
    }
}

/// Returns the members that are waited for.
fn names(calls: &[AwaitedCall], all: &TimelineView, lang: Lang) -> String {
    let named = calls.iter().map(|call| {
        let by = call.by.as_ref();
        let row = all.rows.iter().find(|row| Some(&row.dialog.this) == by);
        row.map(name)
            .or_else(|| Some(format!("@{}", call.member.as_ref()?)))
            .unwrap_or_else(|| in_lang!(lang, "an answer of its asker", "其提问者的回答"))
    });
    named.collect::<Vec<_>>().join(in_lang!(lang, ", ", "、").as_str())
}
