//! The screen: drawing, keys, and the loop that combines both with the driver's events.
//!
//! The screen and the driver share only the protocol. The screen never waits for the driver, the
//! disk or the network; it keeps what it draws and requests the rest.

use dominds_tui_base::{domain, protocol};

pub mod action;
pub mod app;
pub mod backend;
pub mod bindings;
pub mod caller;
pub mod copies;
pub mod cx;
pub mod draft_writer;
pub mod effect;
pub mod focus;
pub mod follow_up;
pub mod highlight;
pub mod inline;
pub mod input;
pub mod keymap;
pub mod links;
pub mod lists;
pub mod model;
pub mod new_overlay;
pub mod overlay;
pub mod pacer;
pub mod panes;
pub mod plain;
pub mod programs;
pub mod question_choice;
pub mod request;
pub mod run;
pub mod start;
pub mod surface;
pub mod terminal;
pub mod text;
pub mod theme;
pub mod user_settings;
pub mod words;

pub use app::{
    App, AppOptions, AppStart, AppSummary, AttentionSettings, ComposerKeys, DemoStart, DriverLife,
    Gesture, HintUse, LookChange, MAX_STORED_HINTS, QuietHours, QuitPolicy, STORED_HINTS,
    ScreenNotice,
};
pub use caller::{Call, CallReason, CallTarget, CalledQuestion, Caller, StopCalls};
pub use copies::{CopyMaker, CopyTarget};
pub use cx::UiSettings;
pub use draft_writer::{DraftStore, DraftTexts, DraftWriter, LOOKED};
pub use effect::Effect;
pub use input::Keys;
pub use model::UnsavedDraft;
pub use panes::field::MAX_BYTES as MAX_DRAFT_BYTES;
pub use panes::transcript::ThinkingView;
pub use programs::{PreparedProgram, ProgramEnd, ProgramHost, ProgramJob};
pub use run::{Channels, Leave, LinkUse, RunEnd, RunOptions, run};
pub use start::{ScreenIo, Size, TerminalOptions, on_terminal};
pub use surface::{Surface, TerminalSurface};

#[cfg(test)]
#[path = "../../tests/common/quarter.rs"]
pub mod quarter;
#[cfg(test)]
#[path = "../base/samples.rs"]
pub mod samples;
#[cfg(test)]
#[path = "../../tests/common/skip.rs"]
pub mod skip;
