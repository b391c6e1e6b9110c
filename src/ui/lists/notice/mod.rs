//! The whole text of a notice or a failure.

#[cfg(test)]
pub(crate) mod tests;

use super::list::{List, ListKey, Outcome, Row, Walk};
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, View};
use crate::domain::teams::notices::NewsItem;
use crate::domain::text::Text;
use crate::follow_up::FollowUp;
use crate::panes::inbox;
use crate::panes::strip::Strip;
use crate::panes::transcript::prose::{Prose, plain_rows};
use crate::request::Request;
use crate::theme::Role;
use crate::words::kind_of_news;

pub const SCOPE: Scope = Scope::new("notice", "通知", &[Scope::ANYWHERE]);

#[derive(Debug)]
pub struct Notice {
    item: Option<NewsItem>,
}

impl List for Notice {
    const SCOPE: Scope = SCOPE;
    const OPENED_BY: Binding = inbox::SCOPE
        .bind(Action::Show(SCOPE), &["t"])
        .does("Show the whole text of this notice", "显示此通知的全文");
    const TITLE: Text = Text::new("NOTICE", "通知");
    const EMPTY: Text = Text::new("no notice is selected", "没有选中通知");
    const WALK: Walk = Walk::Text;
    const KEYS: &'static [ListKey<Self>] = &[ListKey {
        action: Action::Dismiss,
        keys: &["x"],
        does: Text::new("Dismiss this notice", "清除此通知"),
        hint: Text::new("dismiss", "清除"),
        run: |list, _, _| {
            let item = list.item.as_ref()?;
            let request = Request::DismissNews { ids: vec![item.id.clone()] };
            Some(Outcome::Close(FollowUp::Request(request)))
        },
    }];

    /// The selected one.
    fn open(cx: &mut Cx<'_>) -> Option<Self> {
        Some(Self { item: cx.model.inbox.selected_news().cloned() })
    }

    fn entries(&self, _: &Cx<'_>) -> Vec<usize> {
        self.item.iter().map(|_| 0).collect()
    }

    fn rows(&self, _: usize, width: usize, view: View<'_>, _: &Cx<'_>) -> Vec<Row> {
        let Some(item) = &self.item else { return Vec::new() };
        let (ui, cells) = (view.ui, width.saturating_sub(2).max(1));
        let dot = ui.glyphs.middle_dot;
        let agent = item.agent.as_ref().map(|agent| format!("@{agent}"));
        let said = match item.count {
            0 | 1 => item.updated_at.to_string(),
            count => format!("{}{count} {dot} {}", ui.glyphs.times, item.updated_at),
        };
        let kind = ui.text(kind_of_news(item.kind)).to_owned();
        let about: Vec<String> = [Some(kind), agent, Some(said)].into_iter().flatten().collect();
        let mut rows = plain_rows(&item.title, 1, cells, ui.style(Role::Title));
        let about = about.join(&format!(" {dot} "));
        rows.extend(plain_rows(&about, 1, cells, ui.style(Role::TextDim)));
        // The title may be its first line.
        let body = item.body.strip_prefix(item.title.as_str()).unwrap_or(&item.body).trim_start();
        if !body.is_empty() {
            rows.push(Strip::new());
            rows.extend(Prose::new(ui).rows(body, 1, cells));
        }
        rows.into_iter().map(|row| (row, Strip::new())).collect()
    }
}
