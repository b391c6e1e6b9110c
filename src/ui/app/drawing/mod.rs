//! Drawing: where the parts of the screen are, and when they are drawn again.

pub(super) mod app_words;
pub(super) mod appearance;
pub(super) mod areas;
pub(super) mod focus;
pub(super) mod inline;
pub(super) mod printing;
pub(super) mod redraw;
pub(super) mod screen;
pub(super) mod tabs;
