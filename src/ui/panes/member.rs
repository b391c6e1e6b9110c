//! How rows name a member beside a title: by the symbol of the team file and by its name, as short as the room is.

use crate::cx::UiSettings;
use crate::domain::AgentId;
use crate::protocol::WorkspaceView;
use crate::text::SafeText;
use crate::text::width::{cut, shorten};
use crate::theme::Glyphs;

/// Most cells of a symbol.
const SYMBOL_CELLS: usize = 2;
/// Most cells of a short name.
const SHORT_CELLS: usize = 8;

/// Returns the symbol of a member, cleaned and cut, with a blank behind; empty if it has none, or where the terminal
/// shows ASCII alone.
pub fn symbol(workspace: &WorkspaceView, agent: &AgentId, ui: &UiSettings) -> String {
    let member = workspace.members.iter().find(|member| member.id == *agent);
    let clean = SafeText::line(member.map_or("", |member| member.icon.trim()));
    let symbol = cut(clean.as_str(), SYMBOL_CELLS);
    if symbol.is_empty() || ui.glyphs == Glyphs::ASCII {
        return String::new();
    }
    format!("{symbol} ")
}

/// Returns its symbol and name.
pub fn named(workspace: &WorkspaceView, agent: &AgentId, ui: &UiSettings) -> String {
    format!("{}@{agent}", symbol(workspace, agent, ui))
}

/// Returns its symbol alone, else the beginning of its name.
pub fn short(workspace: &WorkspaceView, agent: &AgentId, ui: &UiSettings) -> String {
    let symbol = symbol(workspace, agent, ui);
    if symbol.is_empty() {
        return shortened(&format!("@{agent}"), ui);
    }
    symbol.trim_end().to_owned()
}

/// Returns the beginning of a name.
pub fn shortened(name: &str, ui: &UiSettings) -> String {
    shorten(SafeText::line(name).as_str(), SHORT_CELLS, ui.glyphs.cut).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::tests::fixture::{Stage, workspace};

    #[test]
    fn a_symbol_of_the_team_file_is_cleaned_and_takes_two_cells_at_most() {
        let ui = Stage::new(80, 24).settings();
        let dba = AgentId::new("dba");
        for (icon, short_name, full) in [
            ("", "@dba", "@dba"),
            ("  ", "@dba", "@dba"),
            ("🗄", "🗄", "🗄 @dba"),
            ("DB and more", "DB", "DB @dba"),
            ("\u{1b}[2J", "␛[", "␛[ @dba"),
        ] {
            let mut workspace = workspace();
            for member in &mut workspace.members {
                member.icon = icon.to_owned();
            }
            assert_eq!(short(&workspace, &dba, &ui), short_name, "{icon:?}");
            assert_eq!(named(&workspace, &dba, &ui), full, "{icon:?}");
        }
        assert_eq!(short(&workspace(), &AgentId::new("orchestrator"), &ui), "@orches…");
    }
}
