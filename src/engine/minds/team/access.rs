//! Access lists: their keys, and the reserved paths they cannot allow.

use std::collections::BTreeMap;

use crate::domain::safety::reserved::of_path;
use crate::domain::{AccessLists, Reserved};

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

/// True for an allow entry of a reserved path. File tools never access those, so the entry has no effect.
pub(super) fn allows_reserved_path(key: &str, entry: &str) -> bool {
    match key {
        "read_dirs" => of_path(entry).any(Reserved::is_closed_to_readers),
        "write_dirs" => of_path(entry).next().is_some(),
        "read_file_ext_names" | "write_file_ext_names" => entry.trim_start_matches('.') == "tsk",
        _ => false,
    }
}

/// The lists with their keys.
pub(crate) fn of_member(lists: &AccessLists) -> [(&'static str, &[String]); 8] {
    let values = [
        &lists.read_dirs,
        &lists.write_dirs,
        &lists.no_read_dirs,
        &lists.no_write_dirs,
        &lists.read_file_ext_names,
        &lists.write_file_ext_names,
        &lists.no_read_file_ext_names,
        &lists.no_write_file_ext_names,
    ];
    let mut values = values.into_iter();
    KEYS.map(|key| (key, values.next().map_or(&[][..], Vec::as_slice)))
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
