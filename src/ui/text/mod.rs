//! Text for the screen: sanitized, measured, wrapped, and given roles.
//!
//! The order is fixed: untrusted text is sanitized first ([`clean`]), then measured ([`width`]),
//! wrapped ([`mod@wrap`]) or parsed as Markdown ([`markdown`]). Nothing after the
//! sanitizer may undo it.

pub mod ansi;
pub mod call_text;
pub mod clean;
pub mod code;
pub mod copy_text;
pub mod drawn;
pub mod excerpts;
pub mod markdown;
pub mod styled;
pub mod wide_chars;
pub mod width;
pub mod wrap;

pub use clean::{SafeText, StreamCleaner};
pub use code::CodePart;
pub use copy_text::CopyText;
pub use styled::{Emphasis, SpanText, StyledLine, StyledSpan};
pub use wrap::{TailWrap, wrap, wrap_hard};
