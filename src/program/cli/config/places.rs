//! Workspaces, here and on other machines, that `inbox` shows.

use serde_json::Value;

use crate::domain::text::Text;
use crate::remote::Line;

/// The message for another kind of value, and how to fix it.
pub(super) const NO_PLACES: Text = Text::new("these are no places", "这不是位置列表");
pub(super) const WRITE_PLACES: Text = Text::new(
    "write a list of ssh://HOST/PATH and of absolute folders",
    "请写成 ssh://HOST/PATH 与绝对路径的列表",
);

/// The workspaces; `None` if something else is given.
pub(super) fn read(value: &Value) -> Option<Vec<String>> {
    let Some(given) = value.get("inbox").filter(|given| !given.is_null()) else {
        return Some(Vec::new());
    };
    let place = |place: &Value| {
        let place = place.as_str()?;
        let is_place = place.starts_with('/') || Line::parse(place, None).is_ok();
        is_place.then(|| place.to_owned())
    };
    given.as_array()?.iter().map(place).collect()
}
