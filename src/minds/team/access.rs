//! Access lists: their keys, and what they may not open.

use std::collections::BTreeMap;

use crate::domain::AccessLists;

pub(super) const KEYS: [&str; 8] = [
    "read_dirs",
    "write_dirs",
    "no_read_dirs",
    "no_write_dirs",
    "read_file_ext_names",
    "write_file_ext_names",
    "no_read_file_ext_names",
    "no_write_file_ext_names",
];

/// True for an allow entry that names the configuration or a Taskdoc: those stay closed to file
/// tools, so the entry would promise what it does not give.
pub(super) fn opens_what_is_closed(key: &str, entry: &str) -> bool {
    match key {
        "read_dirs" | "write_dirs" => names_closed_folder(entry),
        "read_file_ext_names" | "write_file_ext_names" => entry.trim_start_matches('.') == "tsk",
        _ => false,
    }
}

fn names_closed_folder(entry: &str) -> bool {
    let mut parts = entry.split(['/', '\\']).filter(|part| !matches!(*part, "" | "."));
    let first_is_minds = parts.clone().next() == Some(".minds");
    first_is_minds || parts.any(|part| part.to_ascii_lowercase().ends_with(".tsk"))
}

pub(super) fn lists(mut by_key: BTreeMap<&'static str, Vec<String>>) -> AccessLists {
    let mut take = |key: &str| by_key.remove(key).unwrap_or_default();
    AccessLists {
        read_dirs: take("read_dirs"),
        write_dirs: take("write_dirs"),
        no_read_dirs: take("no_read_dirs"),
        no_write_dirs: take("no_write_dirs"),
        read_file_ext_names: take("read_file_ext_names"),
        write_file_ext_names: take("write_file_ext_names"),
        no_read_file_ext_names: take("no_read_file_ext_names"),
        no_write_file_ext_names: take("no_write_file_ext_names"),
    }
}
