//! Text on its way to the screen: made harmless, measured, wrapped, and given roles.
//!
//! The order is fixed: foreign text is cleaned first ([`clean`]), then measured ([`width`]),
//! wrapped ([`mod@wrap`]) or parsed as Markdown ([`markdown`]). Nothing after the cleaner may bring
//! back what it made visible.

pub mod clean;
pub mod markdown;
pub mod styled;
pub mod width;
pub mod wrap;

pub use clean::{SafeText, StreamCleaner};
pub use styled::{Emphasis, StyledLine, StyledSpan};
pub use wrap::{TailWrap, wrap, wrap_hard};
