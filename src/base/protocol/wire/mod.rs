//! The wire form: how clients and a driver in another process talk. Bytes and values only; whoever has a socket
//! reads and writes. `docs/protocol.md` describes it for programs in other languages.
//!
//! A message is one JSON object in one frame. A client begins with [`Hello`], the driver answers with [`Welcome`]
//! or [`Rejected`]; from then on commands go one way and events the other.
//!
//! What must stay true: every command and every event comes back equal; hostile bytes end in an error and take
//! no more memory than the longest frame; the form of a kind changes only with [`PROTOCOL`].

mod frame;
mod handshake;
mod kinds;
mod low_bandwidth;
mod message;

pub use frame::{
    FrameDecoder, FrameFault, HEADER_BYTES, LONGEST_FROM_CLIENT, LONGEST_FROM_DRIVER, frame,
};
pub use handshake::{
    Audience, FolderId, Hello, MAX_NAME_CHARS, OLDEST, PROTOCOL, Rejected, Versions, Welcome, agree,
};
pub use message::{
    ClientFault, FromClient, FromDriver, Malformed, decode_from_client, decode_from_driver,
    encode_command, encode_event, encode_hello, encode_rejected, encode_welcome,
};

pub use low_bandwidth::{ShortReader, ShortWriter};

#[cfg(test)]
mod examples;
#[cfg(test)]
mod team_examples;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod view_examples;
