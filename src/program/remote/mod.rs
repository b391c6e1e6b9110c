//! Clients in other processes: the socket of a running driver, and the way to it.
//!
//! A process that drives a workspace listens on a Unix socket (its path: [`place`]), and gives each connection to the
//! driver as one more client ([`server`]). A screen or a command that finds a driver connects ([`client`]) and holds
//! the same two channels as within the process. The wire form is [`crate::protocol::wire`].
//!
//! Only processes of this user are served, according to the kernel; commands that the driver itself started
//! are refused, whatever sandbox they have.

pub mod client;
pub mod fleet;
mod framed;
mod install;
mod journal;
pub mod line;
mod machine;
mod packing;
pub mod peer;
pub mod place;
pub mod reconnecting;
mod seats;
mod sender;
pub mod server;
mod sessions;
mod socket;
pub mod texts;

pub use client::{ConnectError, Connection, Greeted, Leaving, connect, greet};
pub use fleet::{Fleet, Several};
pub use framed::first_frame;
pub use install::{INSTALLED, InstallError, Program};
pub use journal::SessionFile;
pub use line::{Line, LineFault};
pub use place::{Note, Place, UserFolders, all_notes};
pub use reconnecting::{AT_REST, Followed, follow, keep};
pub use server::{About, Server};
pub use texts::RemoteTexts;
