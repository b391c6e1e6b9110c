//! The folders that commands are about.

use std::path::{Component, Path, PathBuf};

use crate::cli::exit::CommandError;

/// The folder by its real path.
pub fn canonical(folder: &Path) -> Result<PathBuf, CommandError> {
    let canonical = folder.canonicalize().map_err(|error| {
        CommandError::invalid(format!("workspace {}: {error}", folder.display()))
    })?;
    if canonical.is_dir() {
        Ok(canonical)
    } else {
        Err(CommandError::invalid(format!("workspace {}: not a folder", folder.display())))
    }
}

/// Returns a person's path relative to the workspace, even if links lead to the workspace itself; `None` if
/// it is outside. Nothing below the workspace is resolved: members may change it.
pub fn below(workspace: &Path, path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    let mut above: Vec<&Path> = path.ancestors().collect();
    above.reverse();
    let is_workspace = |up: &&&Path| up.canonicalize().is_ok_and(|up| up == workspace);
    let below = path.strip_prefix(above.iter().find(is_workspace)?).ok()?;
    (below.components().next() != Some(Component::ParentDir)).then(|| below.to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_path_is_below_the_workspace_by_any_way_that_leads_to_it() {
        let top = tempfile::tempdir().unwrap();
        let top = top.path().canonicalize().unwrap();
        let workspace = top.join("real/ws");
        fs::create_dir_all(workspace.join("out")).unwrap();
        fs::create_dir(top.join("elsewhere")).unwrap();
        symlink(&workspace, top.join("link")).unwrap();
        symlink(top.join("elsewhere"), workspace.join("away")).unwrap();
        for (path, expected) in [
            ("real/ws/out/a.md", Some("out/a.md")),
            ("link/out/a.md", Some("out/a.md")),
            ("real/ws/./a.md", Some("a.md")),
            // A link in it leads nowhere else.
            ("link/away/a.md", Some("away/a.md")),
            ("real/ws/out/../../a.md", Some("out/../../a.md")),
            ("real/ws/../a.md", None),
            ("elsewhere/a.md", None),
            ("real/ws2/a.md", None),
        ] {
            assert_eq!(below(&workspace, &top.join(path)), expected.map(PathBuf::from), "{path}");
        }
    }
}
