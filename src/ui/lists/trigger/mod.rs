//! One whole trigger: when it fires, what it does, and what prevents it.

use super::list::{List, ListOverlay, Row, Walk};
use super::triggers;
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, UiSettings, View};
use crate::domain::teams::trigger::row::TriggerRow;
use crate::domain::teams::trigger::{Trigger, TriggerConfig};
use crate::domain::text::Text;
use crate::overlay::Overlay;
use crate::panes::strip::Strip;
use crate::panes::transcript::prose::{Prose, plain_rows};
use crate::theme::Role;
use crate::words;

const THRESHOLD: Text = Text::new("disabled after {} failures in a row", "连续失败 {} 次后停用");
const WHY_DISABLED: Text = Text::new("disabled: {}", "已停用：{}");
const CANNOT_RUN: Text = Text::new("cannot run: {}", "无法运行：{}");
const FILE_IS_UNUSABLE: Text =
    Text::new("its file cannot be used; ! says why", "它的文件无法使用；! 会说明原因");

const IS_OPEN: Text = Text::new("window open", "窗口开放");
const IS_CLOSED: Text = Text::new("window closed", "窗口关闭");
const USED_UP: Text = Text::new("ticks no more until it opens anew", "在下次开放前不再检查");
const TICKS: words::Counted = words::Counted::new("tick", "ticks", "次检查");
const TOKENS: words::Counted = words::Counted::new("token", "tokens", "个 token");

pub const SCOPE: Scope = Scope::new("trigger", "触发器全文", &[Scope::ANYWHERE]);

#[derive(Debug)]
pub struct WholeTrigger {
    row: Option<Box<TriggerRow>>,
}

/// The sheet of a trigger.
pub fn overlay(row: Box<TriggerRow>) -> Box<dyn Overlay> {
    Box::new(ListOverlay::new(WholeTrigger { row: Some(row) }))
}

impl List for WholeTrigger {
    const SCOPE: Scope = SCOPE;
    const OPENED_BY: Binding =
        triggers::SCOPE.bind(Action::Show(SCOPE), &["o"]).does("Show what it does", "显示它做什么");
    const TITLE: Text = Text::new("TRIGGER", "触发器");
    const EMPTY: Text = Text::new("no trigger is chosen", "没有选中触发器");
    const WALK: Walk = Walk::Text;

    fn open(_: &mut Cx<'_>) -> Option<Self> {
        Some(Self { row: None })
    }

    fn entries(&self, _: &Cx<'_>) -> Vec<usize> {
        self.row.iter().map(|_| 0).collect()
    }

    fn rows(&self, _: usize, width: usize, view: View<'_>, _: &Cx<'_>) -> Vec<Row> {
        let Some(row) = &self.row else { return Vec::new() };
        let (ui, cells) = (view.ui, width.saturating_sub(2).max(1));
        let head = format!("{}  {}", row.id(), row.state.name());
        let mut rows = plain_rows(&head, 1, cells, ui.style(Role::Title));
        for fault in faults(row, ui) {
            rows.extend(plain_rows(&fault, 1, cells, ui.style(Role::Warning)));
        }
        if let Some(window) = &row.window {
            let now = ui.text(if window.open { IS_OPEN } else { IS_CLOSED });
            let ticks = ui.counted(u64::from(window.ticks), TICKS);
            let tokens = ui.counted(window.tokens, TOKENS);
            let used_up = Some(ui.text(USED_UP)).filter(|_| window.used_up);
            let parts = [Some(now), Some(&ticks), Some(&tokens), used_up].into_iter().flatten();
            let text = parts.collect::<Vec<_>>().join(&format!(" {} ", ui.glyphs.middle_dot));
            rows.extend(plain_rows(&text, 1, cells, ui.style(Role::Text)));
        }
        if let Some(trigger) = &row.definition {
            rows.extend(plain_rows(&about(trigger, ui), 1, cells, ui.style(Role::TextDim)));
            rows.push(Strip::new());
            rows.extend(Prose::new(ui).rows(&trigger.task, 1, cells));
        }
        rows.into_iter().map(|row| (row, Strip::new())).collect()
    }
}

fn faults(row: &TriggerRow, ui: &UiSettings) -> Vec<String> {
    let broken = row.definition.is_none().then(|| ui.text(FILE_IS_UNUSABLE).to_owned());
    let fault = row.fault.as_ref().map(|fault| ui.sentence(CANNOT_RUN, fault.in_lang(ui.lang)));
    let reason = row.reason.as_ref().map(|reason| ui.sentence(WHY_DISABLED, reason));
    [broken, fault, reason].into_iter().flatten().collect()
}

fn about(trigger: &Trigger, ui: &UiSettings) -> String {
    let kind = trigger.config.kind().name();
    let when = match &trigger.config {
        TriggerConfig::Window(window) => {
            let every = window.tick_interval_ms.div_ceil(1_000);
            let parts = [Some(window.when()), window.timezone.clone(), Some(format!("/{every} s"))];
            parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
        }
        TriggerConfig::Schedule { cron, timezone } => {
            [Some(cron), timezone.as_ref()].map(|part| part.map_or("", String::as_str)).join(" ")
        }
        TriggerConfig::Keyword { pattern } => pattern.clone(),
        TriggerConfig::Message { pattern, channel } => {
            [Some(pattern), channel.as_ref()].map(|part| part.map_or("", String::as_str)).join(" ")
        }
    };
    let member = trigger.member.as_ref().map(|member| format!("@{member}"));
    let threshold = ui.sentence(THRESHOLD, &trigger.failure_threshold.to_string());
    let parts = [
        Some(format!("{kind} {}", when.trim())),
        member,
        trigger.skill.clone(),
        Some(trigger.overlap.name().to_owned()),
        Some(threshold),
    ];
    let dot = format!(" {} ", ui.glyphs.middle_dot);
    parts.into_iter().flatten().collect::<Vec<_>>().join(&dot)
}
