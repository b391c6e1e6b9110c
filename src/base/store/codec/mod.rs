//! How the files of each layout say what the domain has: from their texts to its types and back, and what a layout derives
//! from it. What both layouts say alike is in `lists`, in `trees/parts.rs`, which reads the files, and in
//! `writing/state_files.rs`, which writes them. `conversion` is the way from the files of one layout to those of the other.

pub mod conversion;
pub mod lists;
pub mod v1_19;
pub mod v1_29;

use serde_json::Value;

use crate::domain::Latest;
use crate::yaml;

use lists::{NOT_A_MAPPING, ParseResult};

/// Reads a `latest.yaml`, which tells its layout by its keys.
pub(in crate::store) fn latest(text: &str) -> ParseResult<Latest> {
    let Value::Object(map) = yaml::parse(text).map_err(|error| error.message())? else {
        return Err(NOT_A_MAPPING.into());
    };
    let is_recent = v1_29::latest::is_of_this_layout(&map);
    v1_19::latest::latest(if is_recent { v1_29::latest::in_terms_of_1_19(map) } else { map })
}
