//! The uses between files, and the cycles among files and folders.
//!
//! A name counts for the file that defines it, through all imports and re-exports: a parent that
//! re-exports names of its children does not depend on them. The targets of method calls are not
//! seen.

use std::collections::{BTreeMap, BTreeSet};
use std::slice;

use super::names::{Names, names};

/// The module that is a crate of its own.
const SCREEN: &str = "ui";

/// A module with a file of its own, as its names from the root of the crate on.
pub type Module = Vec<String>;

/// One use: from a file, in a line, of a path from the root of the crate on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Use {
    pub line: usize,
    pub path: Vec<String>,
}

#[derive(Debug)]
pub struct Graph {
    files: BTreeMap<Module, Names>,
    edges: BTreeMap<Module, BTreeSet<Module>>,
}

impl Graph {
    /// Builds the graph from the text of each module.
    pub fn new<'a>(sources: impl IntoIterator<Item = (Module, &'a str)>) -> Self {
        let files = sources.into_iter().map(|(module, text)| (module, names(text))).collect();
        let mut graph = Self { files, edges: BTreeMap::new() };
        graph.edges =
            graph.files.keys().map(|module| (module.clone(), graph.used_by(module))).collect();
        graph
    }

    /// Returns our own names that a module uses, each leaf with its line, as written.
    pub fn uses(&self, module: &[String]) -> Vec<Use> {
        let Some(names) = self.files.get(module) else { return Vec::new() };
        let imports = names.imports.iter().map(|import| (import.line, &import.path));
        let mentions = names.mentions.iter().map(|mention| (mention.line, &mention.path));
        let absolute = |(line, path): (usize, &Vec<String>)| {
            let path = self.absolute(module, path, 0)?;
            Some(Use { line, path })
        };
        imports.chain(mentions).filter_map(absolute).collect()
    }

    /// The first names of the paths that lead out of the crate, with their lines.
    pub fn packages(&self, module: &[String]) -> Vec<(usize, String)> {
        let Some(names) = self.files.get(module) else { return Vec::new() };
        let imports = names.imports.iter().map(|import| (import.line, &import.path));
        let mentions = names.mentions.iter().map(|mention| (mention.line, &mention.path));
        let outside = |(line, path): (usize, &Vec<String>)| {
            let first = path.first()?;
            let ours = self.absolute(module, path, 0).is_some();
            let renamed = names.imports.iter().any(|i| i.name == *first && i.path.len() > 1);
            (!ours && !renamed).then(|| (line, first.clone()))
        };
        imports.chain(mentions).filter_map(outside).collect()
    }

    /// A path from the root of the crate on; none if it leads out of the crate.
    fn absolute(&self, module: &[String], path: &[String], tries: usize) -> Option<Vec<String>> {
        let (first, rest) = path.split_first()?;
        let mut at: Vec<String> = module.to_vec();
        match first.as_str() {
            "crate" => return Some(self.below_root(module, rest)),
            "self" | "super" => {
                let up = path.iter().take_while(|part| *part == "self" || *part == "super");
                let up: Vec<&String> = up.collect();
                for _ in up.iter().filter(|part| **part == "super") {
                    at.pop()?;
                }
                at.extend(path[up.len()..].iter().cloned());
                return Some(at);
            }
            _ => {}
        }
        let names = self.files.get(module)?;
        if names.children.contains(first) {
            at.extend(path.iter().cloned());
            return Some(at);
        }
        let import = names.imports.iter().find(|i| i.name == *first && i.path != path)?;
        if tries > 8 {
            return None;
        }
        let mut absolute = self.absolute(module, without_self(&import.path), tries + 1)?;
        absolute.extend(rest.iter().cloned());
        Some(absolute)
    }

    /// A path from the root of the crate that a module is in. What the crate of the screen does not get from others is in
    /// the module `ui`.
    fn below_root(&self, module: &[String], path: &[String]) -> Vec<String> {
        let Some((first, screen)) = path.first().zip(module.first()) else { return path.to_vec() };
        let is_its_own = self.files.contains_key(&[screen, first].map(String::clone)[..]);
        let is_of_others = !is_its_own && self.files.contains_key(slice::from_ref(first));
        if screen != SCREEN || is_of_others {
            return path.to_vec();
        }
        [slice::from_ref(screen), path].concat()
    }

    /// Returns the file that defines the end of a path; none if the path is a module itself.
    fn definer(&self, path: &[String], tries: usize) -> Option<Module> {
        let path = without_self(path);
        let deepest = (0..=path.len()).rev().find(|n| self.files.contains_key(&path[..*n]))?;
        let (module, rest) = path.split_at(deepest);
        let (name, behind) = rest.split_first()?;
        let import = self.files[module].imports.iter().find(|import| import.name == *name);
        let through = import.filter(|_| tries < 8 && name != "*").and_then(|import| {
            let mut on = self.absolute(module, without_self(&import.path), 0)?;
            on.extend(behind.iter().cloned());
            (on != path).then(|| self.definer(&on, tries + 1)).flatten()
        });
        through.or_else(|| Some(module.to_vec()))
    }

    /// The files a file uses.
    fn used_by(&self, module: &[String]) -> BTreeSet<Module> {
        let names = &self.files[module];
        let used = |name: &String| names.words.contains(name);
        let imports = names.imports.iter().filter(|i| !i.public || used(&i.name));
        let paths = imports.map(|i| &i.path).chain(names.mentions.iter().map(|m| &m.path));
        let absolute = paths.filter_map(|path| self.absolute(module, path, 0));
        let mut found: BTreeSet<Module> =
            absolute.filter_map(|path| self.definer(&path, 0)).collect();
        found.remove(module);
        found
    }

    /// The circles of more files than `most`.
    pub fn circles(&self, most: usize) -> Vec<BTreeSet<Module>> {
        circles(&self.edges).into_iter().filter(|circle| circle.len() > most).collect()
    }

    /// Returns the cycles of two folders or more: a folder is a module below a top-level module that has
    /// files of its own, with everything in it. A file beside the folders stands for itself.
    pub fn circles_of_folders(&self) -> Vec<BTreeSet<Module>> {
        let inside = self.files.keys().filter(|module| module.len() > 2);
        let folders: BTreeSet<&[String]> = inside.map(|module| room(module)).collect();
        let mut edges: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
        for (module, used) in &self.edges {
            let from = room(module);
            let used = used.iter().map(|to| room(to)).filter(|to| *to != from);
            edges.entry(from.to_vec()).or_default().extend(used.map(<[String]>::to_vec));
        }
        let with_folders = |circle: &BTreeSet<Module>| {
            circle.iter().filter(|m| folders.contains(m.as_slice())).count() > 1
        };
        circles(&edges).into_iter().filter(with_folders).collect()
    }

    /// The uses within a circle of files, for people.
    pub fn show(&self, circle: &BTreeSet<Module>) -> String {
        self.lines(|module| circle.contains(module), |from, to| from != to)
    }

    /// The uses between the members of a circle of folders, for people.
    pub fn show_folders(&self, circle: &BTreeSet<Module>) -> String {
        self.lines(|module| circle.contains(room(module)), |from, to| room(from) != room(to))
    }

    fn lines(
        &self,
        inside: impl Fn(&Module) -> bool,
        counts: impl Fn(&Module, &Module) -> bool,
    ) -> String {
        let mut text = String::new();
        for (from, used) in self.edges.iter().filter(|(module, _)| inside(module)) {
            let used = used.iter().filter(|to| inside(to) && counts(from, to));
            let used: Vec<String> = used.map(|to| to.join("::")).collect();
            if !used.is_empty() {
                text.push_str(&format!("  {} → {}\n", from.join("::"), used.join(", ")));
            }
        }
        text
    }
}

/// Returns the folder of a module, or the module itself if it is beside the folders.
fn room(module: &[String]) -> &[String] {
    &module[..module.len().min(2)]
}

fn without_self(path: &[String]) -> &[String] {
    match path {
        [before @ .., last] if last == "self" && !before.is_empty() => before,
        _ => path,
    }
}

/// Returns the strongly connected sets of nodes.
fn circles(edges: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<BTreeSet<Module>> {
    let reach: BTreeMap<&Module, BTreeSet<&Module>> =
        edges.keys().map(|node| (node, reached(edges, node))).collect();
    let mut found: Vec<BTreeSet<Module>> = Vec::new();
    for (node, far) in &reach {
        if !far.contains(node) || found.iter().any(|circle| circle.contains(*node)) {
            continue;
        }
        let back = far.iter().filter(|other| reach.get(**other).is_some_and(|r| r.contains(node)));
        found.push(back.map(|other| (*other).clone()).collect());
    }
    found
}

/// Returns the nodes reached by one step or more.
fn reached<'a>(
    edges: &'a BTreeMap<Module, BTreeSet<Module>>,
    from: &Module,
) -> BTreeSet<&'a Module> {
    let mut reached = BTreeSet::new();
    let mut ahead: Vec<&Module> = edges[from].iter().collect();
    while let Some(node) = ahead.pop() {
        if reached.insert(node) {
            ahead.extend(edges.get(node).into_iter().flatten());
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(name: &str) -> Module {
        name.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect()
    }

    fn graph(sources: &[(&str, &str)]) -> Graph {
        Graph::new(sources.iter().map(|(name, text)| (module(name), *text)))
    }

    fn neighbours(graph: &Graph, name: &str) -> Vec<String> {
        graph.edges[&module(name)].iter().map(|module| module.join("::")).collect()
    }

    fn shown(circles: &[BTreeSet<Module>]) -> Vec<String> {
        let names = |circle: &BTreeSet<Module>| {
            circle.iter().map(|module| module.join("::")).collect::<Vec<_>>().join(" ")
        };
        circles.iter().map(names).collect()
    }

    /// Four files in a circle, each by another way of naming the next.
    const CIRCLE: [(&str, &str); 6] = [
        ("", "mod a;"),
        ("a", "mod b; mod c; mod d; mod e; pub use b::B;"),
        ("a::b", "use super::{c::{self, C}};"),
        ("a::c", "fn c() { crate::a::d::D::new() }"),
        ("a::d", "use crate::a; fn d() { a::e::e(); }"),
        ("a::e", "#[serde(with = \"super::B\")] struct E;"),
    ];

    #[test]
    fn a_circle_of_four_is_found_however_its_files_name_each_other() {
        let graph = graph(&CIRCLE);
        assert_eq!(shown(&graph.circles(3)), ["a::b a::c a::d a::e"]);
        assert!(graph.circles(4).is_empty());
    }

    #[test]
    fn passing_names_on_is_no_use_of_them_but_using_them_is() {
        let passes_on = [("", "mod a;"), ("a", "mod b; pub use b::B;"), ("a::b", "use super::X;")];
        assert!(graph(&passes_on).circles(1).is_empty());
        let uses = [("", "mod a;"), ("a", "mod b; pub use b::B; type X = B;"), passes_on[2]];
        assert_eq!(shown(&graph(&uses).circles(1)), ["a a::b"]);
    }

    #[test]
    fn a_name_counts_for_the_file_that_defines_it() {
        let graph = graph(&[
            ("", "mod a; mod z;"),
            ("a", "mod b; mod c; pub use b::B; use crate::z::{self, Z};"),
            ("a::b", "use super::Z; fn b() { super::z::y(); }"),
            ("a::c", "use crate::a::B as Other; use super::b; use std::fmt;"),
            ("z", ""),
        ]);
        assert_eq!(neighbours(&graph, "a::b"), ["z"]);
        assert_eq!(neighbours(&graph, "a::c"), ["a::b"]);
        assert!(neighbours(&graph, "z").is_empty());
    }

    #[test]
    fn folders_in_a_circle_are_found_where_no_files_are() {
        let graph = graph(&[
            ("t::a::x", "use crate::t::b::y::Y;"),
            ("t::a::w", ""),
            ("t::b::y", ""),
            ("t::b::v", "use crate::t::c::C;"),
            ("t::c", "use crate::t::a::w::W;"),
            ("t::d::u", "use crate::t::a::x::X;"),
        ]);
        assert!(graph.circles(1).is_empty());
        assert_eq!(shown(&graph.circles_of_folders()), ["t::a t::b t::c"]);
    }

    #[test]
    fn a_file_beside_a_folder_makes_no_circle_of_folders() {
        let graph =
            graph(&[("t::a::x", "use crate::t::b::B;"), ("t::b", "use crate::t::a::x::X;")]);
        assert!(graph.circles_of_folders().is_empty());
        assert_eq!(graph.circles(1).len(), 1);
    }
}
