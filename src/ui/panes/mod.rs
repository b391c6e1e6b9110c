//! The parts of the screen, and their means: headings, text fields, strips. Each is a plain struct or
//! function called by the app, in a folder with its scope and keys, its texts, its drawing and its tests; a
//! small one is a single file.

pub mod changes;
pub mod composer;
pub mod confirm;
pub mod consent;
pub mod diff;
pub mod field;
pub mod filter_prompt;
pub mod finder;
pub mod form;
pub mod help;
pub mod inbox;
pub mod input_prompt;
pub mod inquiry;
pub mod limited_rows;
pub mod log;
pub mod member;
pub mod mind;
pub mod new_task;
pub mod next_keys;
pub mod palette;
pub mod prompt;
pub mod queued;
pub mod quit;
pub mod read_progress;
pub mod read_sheet;
pub mod row_search;
pub mod scroll_sign;
pub mod search_prompt;
pub mod sent_prompt;
pub mod sheet;
pub mod status;
pub mod strip;
pub mod text_rows;
pub mod timeline;
pub mod transcript;
pub mod tree;
pub mod usage;
