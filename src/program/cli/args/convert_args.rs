//! The arguments of `convert`.

use clap::Args;
use clap::builder::TypedValueParser;

use super::team_args::one_of;
use crate::domain::Layout;

#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// The layout that the dialogs get
    #[arg(long, value_name = "LAYOUT", default_value = Layout::V1_29.name(), value_parser = layouts())]
    pub to: Layout,
    /// Only say what would be done, and what would be lost
    #[arg(long)]
    pub dry_run: bool,
    /// One JSON value
    #[arg(long)]
    pub json: bool,
    /// Which dialogs, each with its whole tree; a prefix of an id is enough. All of the workspace, if none is given
    #[arg(value_name = "DLG")]
    pub dialogs: Vec<String>,
}

fn layouts() -> impl TypedValueParser<Value = Layout> {
    one_of(&[Layout::V1_29, Layout::V1_19], Layout::name, |layout| match layout {
        Layout::V1_29 => "That of Dominds 1.24 to 1.29",
        Layout::V1_19 => "That of Dominds 1.19.2",
    })
}
