//! Access to the machine: clock, ids, environment, folders, log, signals. The rest of the program gets
//! values as arguments.

pub mod clipboard;
pub mod clipboard_image;
pub mod clock;
pub mod descriptors;
pub mod dirs;
pub mod env;
pub mod hardening;
pub mod hidden_input;
pub mod ids;
pub mod logs;
pub mod private_file;
pub mod service_manager;
pub mod signals;
pub mod user_editor;
pub mod user_program;
pub mod waiter;
pub mod watch;

pub use clock::SystemClock;
pub use dirs::own_uid;
pub use ids::{RandomIds, random_name};
