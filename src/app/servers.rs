//! The servers of `.minds/mcp.yaml`, and what a person agreed that they do: one plain file in the state
//! folder of this program, a line each. It never lies in a workspace, where others could write it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::consent::{Consent, lies_in, read, replace};
use crate::domain::ServerUse;
use crate::domain::sandbox::Level;
use crate::driver::Sources;
use crate::llm::Clients;
use crate::mcp::{Permission, Servers, Setup};
use crate::minds::mcp_config::{McpFile, Transport};
use crate::platform::{dirs, env};
use crate::sandbox::Sandbox;
use crate::tools::Registry;

const FILE: &str = "trusted-servers";
const HEAD: &str = "# What MCP servers may do, as agreed on this machine. To take one back, delete its \
                    line.\n";

/// The servers of a workspace; none runs yet.
pub fn servers(
    workspace: &Path,
    consent: Consent,
    own: &Registry,
    wall: Option<(Sandbox, Level)>,
) -> Servers {
    Servers::new(Setup {
        workspace: Arc::from(workspace),
        lang: env::work_language(),
        env: &env::variable,
        clients: Clients::default(),
        permission: Arc::new(ServerConsents::new(workspace, consent)),
        taken: own.names().into_iter().map(str::to_owned).collect(),
        wall,
    })
}

/// The sources of tools of a workspace whose own tools are `own`.
pub(super) fn sources(
    workspace: &Path,
    consent: Consent,
    own: &Registry,
    wall: Option<(Sandbox, Level)>,
) -> Sources {
    Sources::new(vec![Arc::new(servers(workspace, consent, own, wall))])
}

/// What servers may do.
#[derive(Debug)]
pub struct ServerConsents {
    consent: Consent,
    /// As it is written in the file.
    workspace: String,
    /// `None` where there is no folder outside of the workspace.
    file: Option<PathBuf>,
}

impl ServerConsents {
    /// Those of this person on this machine.
    pub fn new(workspace: &Path, consent: Consent) -> Self {
        Self::in_folder(dirs::state(), workspace, consent)
    }

    fn in_folder(folder: Option<PathBuf>, workspace: &Path, consent: Consent) -> Self {
        let outside = folder.filter(|folder| !lies_in(folder, workspace));
        let real = workspace.canonicalize().unwrap_or_else(|_| workspace.to_owned());
        let workspace = real.to_string_lossy().into_owned();
        Self { consent, workspace, file: outside.map(|folder| folder.join(FILE)) }
    }

    fn use_of(&self, server: &str, transport: &Transport) -> ServerUse {
        ServerUse::new(&self.workspace, server, &transport.to_string())
    }

    /// All that waits for consent, in the order of the file.
    pub fn all_held(&self, file: &McpFile) -> Vec<ServerUse> {
        let usable = file.servers.iter().filter_map(|declared| {
            let transport = &declared.server.as_ref()?.transport;
            Some((declared.id.as_str(), transport))
        });
        let held = usable.filter(|(id, transport)| !self.may(id, transport));
        held.map(|(id, transport)| self.use_of(id, transport)).collect()
    }

    /// Records that a person agreed. The error is a sentence for a person.
    pub fn agree(&self, what: &ServerUse) -> Result<(), String> {
        if !what.can_be_shown() {
            return Err(format!("what server {:?} does is too long to be agreed to", what.server));
        }
        let Some(file) = &self.file else {
            return Err("there is no folder outside of the workspace to keep consent in".to_owned());
        };
        record(file, what).map_err(|error| format!("{}: {error}", file.display()))
    }
}

fn record(file: &Path, what: &ServerUse) -> io::Result<()> {
    let mut text = read(file)?.unwrap_or_else(|| HEAD.to_owned());
    if text.lines().any(|line| ServerUse::read(line).as_ref() == Some(what)) {
        return Ok(());
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&format!("{what}\n"));
    replace(file, &text)
}

impl Permission for ServerConsents {
    fn may(&self, server: &str, transport: &Transport) -> bool {
        if self.consent == Consent::Given {
            return true;
        }
        let wanted = self.use_of(server, transport);
        // What cannot be read is no consent.
        let text = self.file.as_deref().and_then(|file| read(file).ok()?).unwrap_or_default();
        let agreed = text.lines().any(|line| ServerUse::read(line).as_ref() == Some(&wanted));
        wanted.can_be_shown() && agreed
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const ONE: &str = "servers: { a: { command: x, args: [1] }, b: { url: 'https://b.example' } }";
    const OTHER: &str =
        "servers: { a: { command: x, args: [2] }, b: { url: 'https://b.example' } }";

    fn workspace(top: &Path, name: &str, text: &str) -> PathBuf {
        let workspace = top.join(name);
        fs::create_dir_all(workspace.join(".minds")).unwrap();
        fs::write(workspace.join(".minds/mcp.yaml"), text).unwrap();
        workspace
    }

    fn held(consents: &ServerConsents, workspace: &Path) -> Vec<String> {
        let held = consents.all_held(&McpFile::load(workspace));
        held.into_iter().map(|what| what.server).collect()
    }

    #[test]
    fn what_servers_do_waits_for_consent_and_again_when_it_changes() {
        let top = tempfile::tempdir().unwrap();
        let state = top.path().join("state");
        let here = workspace(top.path(), "here", ONE);
        let consents =
            |place: &Path, consent| ServerConsents::in_folder(Some(state.clone()), place, consent);
        let ours = consents(&here, Consent::Recorded);
        assert_eq!(held(&ours, &here), ["a", "b"]);
        assert!(!state.exists(), "nothing is written before anybody agreed");
        for what in ours.all_held(&McpFile::load(&here)) {
            ours.agree(&what).unwrap();
            ours.agree(&what).unwrap();
        }
        assert_eq!(fs::read_to_string(state.join(FILE)).unwrap().lines().count(), 3);
        assert_eq!(held(&ours, &here), [""; 0]);

        fs::write(here.join(".minds/mcp.yaml"), OTHER).unwrap();
        assert_eq!(held(&ours, &here), ["a"], "its arguments changed");
        let clone = workspace(top.path(), "clone", ONE);
        assert_eq!(held(&consents(&clone, Consent::Recorded), &clone), ["a", "b"]);
        assert_eq!(held(&consents(&clone, Consent::Given), &clone), [""; 0]);
        let inside = ServerConsents::in_folder(Some(here.join("x")), &here, Consent::Recorded);
        let refused = inside.agree(&ServerUse::new("w", "a", "x")).unwrap_err();
        assert!(refused.contains("outside of the workspace"), "{refused}");
    }
}
