//! Tables of documents: the packages of `docs/deps.md` with the modules that name them, and the layers of
//! `docs/ARCHITECTURE.md`.

/// A row of the table of packages.
#[derive(Debug, PartialEq, Eq)]
pub struct Row {
    /// The packages, as code names them.
    pub packages: Vec<String>,
    /// Modules, as their names from the root of the crate on.
    pub owners: Vec<Vec<String>>,
}

/// The rows below a heading.
pub fn rows(document: &str, heading: &str) -> Vec<Row> {
    let row = |cells: Vec<&str>| {
        let owners = modules(cells.get(2).copied().unwrap_or_default());
        Row {
            packages: packages(cells.first().copied().unwrap_or_default()),
            owners: owners.iter().map(|o| o.split('/').map(str::to_owned).collect()).collect(),
        }
    };
    table(document, heading).map(row).collect()
}

/// The modules of the table of layers, each with those it may use.
pub fn layers(document: &str) -> Vec<(String, Vec<String>)> {
    let layer = |cells: Vec<&str>| {
        let module = cells.first().copied().unwrap_or_default().trim_matches('`').to_owned();
        (module, modules(cells.get(2).copied().unwrap_or_default()))
    };
    table(document, "## Layers").map(layer).collect()
}

/// The cells of each row below a heading.
fn table<'a>(document: &'a str, heading: &'a str) -> impl Iterator<Item = Vec<&'a str>> {
    let section = document.lines().skip_while(move |line| *line != heading).skip(1);
    let lines = section.take_while(|line| !line.starts_with("## "));
    let rows = lines.filter(|line| line.starts_with("| ")).skip(1);
    rows.map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
}

fn modules(cell: &str) -> Vec<String> {
    let cell = without_brackets(cell);
    let names = cell.split(',').map(str::trim).filter(|name| !name.is_empty() && *name != "–");
    names.map(str::to_owned).collect()
}

/// `a-b, c` are two packages; `a, as `b`` is named `b`; the use of a package may follow it in brackets.
fn packages(cell: &str) -> Vec<String> {
    if let Some((_, name)) = cell.split_once(", as ") {
        return vec![in_code(name.trim_matches('`'))];
    }
    let names = cell.split(',').map(str::trim).filter(|name| !name.starts_with('`'));
    names.filter_map(|name| name.split(' ').next()).map(in_code).collect()
}

fn in_code(package: &str) -> String {
    package.replace('-', "_")
}

fn without_brackets(cell: &str) -> String {
    let mut nesting = 0_usize;
    let mut kept = String::new();
    for c in cell.chars() {
        match c {
            '(' => nesting += 1,
            ')' => nesting = nesting.saturating_sub(1),
            c if nesting == 0 => kept.push(c),
            _ => {}
        }
    }
    kept
}

/// The packages that a manifest asks for in the sections with this name, also for one system alone.
pub fn asked_for(manifest: &str, section: &str) -> Vec<String> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in manifest.lines() {
        if let Some(heading) = line.strip_prefix('[') {
            let heading = heading.trim_end_matches(']');
            let for_one =
                heading.strip_prefix("target.").and_then(|target| target.rsplit_once('.'));
            inside = heading == section || for_one.is_some_and(|(_, name)| name == section);
        } else if let (true, Some((name, _))) = (inside, line.split_once(" = ")) {
            found.push(in_code(name.trim_end_matches(".workspace")));
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read_with_several_packages_renamed_ones_and_remarks() {
        let text = "## In the program\n\n| package | why | named by |\n|---|---|---|\n\
                    | a-b, c | d, e | f (g, h), i/j |\n| k, as `l-m` | n | – (o) |\n\n## Next\n| p | q | r |\n";
        let row = |packages: &[&str], owners: &[&[&str]]| Row {
            packages: packages.iter().map(|name| (*name).to_owned()).collect(),
            owners: owners.iter().map(|o| o.iter().map(|n| (*n).to_owned()).collect()).collect(),
        };
        let expected = [row(&["a_b", "c"], &[&["f"], &["i", "j"]]), row(&["l_m"], &[])];
        assert_eq!(rows(text, "## In the program"), expected);
    }

    #[test]
    fn a_manifest_is_read_by_its_sections() {
        let text = "[dependencies]\nb-c.workspace = true\na = { b = 1 }\n\n[dev-dependencies]\nd = \"1\"\n\n\
                    [target.'cfg(x)'.dependencies]\ne = \"1\"\n[profile.dev]\nf = 1\n";
        assert_eq!(asked_for(text, "dependencies"), ["a", "b_c", "e"]);
        assert_eq!(asked_for(text, "dev-dependencies"), ["d"]);
    }
}
