//! Where a person agreed to send keys: one plain file in the state folder of this program, a line
//! for each pair of variable and address. It never lies in a workspace, where others could write it.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::domain::trust::{KeyUse, may_go};
use crate::llm::destination;
use crate::minds::{ApiType, Minds, ProviderConfig, builtin_providers};
use crate::platform::dirs;

const FILE: &str = "trusted-keys";
const HEAD: &str = "# Keys that may be sent to an address, as agreed on this machine. To take one back, \
                    delete its line.\n";

/// Whose word counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consent {
    /// What a person agreed to earlier.
    Recorded,
    /// Whoever started this run agreed to all of it, for this run.
    Given,
}

/// What keys may be sent where.
#[derive(Debug)]
pub struct Consents {
    consent: Consent,
    /// `None` where there is no folder outside of the workspace.
    file: Option<PathBuf>,
    builtin: Vec<KeyUse>,
}

impl Consents {
    /// Those of this person on this machine.
    pub fn new(workspace: &Path, consent: Consent) -> Self {
        Self::in_folder(dirs::state(), workspace, consent)
    }

    fn in_folder(folder: Option<PathBuf>, workspace: &Path, consent: Consent) -> Self {
        let builtin = builtin_providers().iter().filter_map(key_use).map(|(key, _)| key).collect();
        let outside = folder.filter(|folder| !lies_in(folder, workspace));
        Self { consent, file: outside.map(|folder| folder.join(FILE)), builtin }
    }

    /// What has to be agreed to before this provider can be used.
    pub fn held(&self, provider: &ProviderConfig) -> Option<KeyUse> {
        let (key, this_machine) = key_use(provider)?;
        // What cannot be read is no consent.
        let agreed = self.agreed().unwrap_or_default();
        let may =
            self.consent == Consent::Given || may_go(&key, this_machine, &self.builtin, &agreed);
        (!may).then_some(key)
    }

    /// All that waits for consent in a workspace, in the order of its file.
    pub fn all_held(&self, minds: &Minds) -> Vec<KeyUse> {
        let mut held = Vec::new();
        for key in minds.providers().iter().filter_map(|provider| self.held(provider)) {
            if !held.contains(&key) {
                held.push(key);
            }
        }
        held
    }

    /// Records that a person agreed. The error is a sentence for a person.
    pub fn agree(&self, key: &KeyUse) -> Result<(), String> {
        if !key.can_be_shown() {
            return Err(format!("{:?} is no name of a variable", key.variable));
        }
        let Some(file) = &self.file else {
            return Err("there is no folder outside of the workspace to keep consent in".to_owned());
        };
        self.record(file, key).map_err(|error| format!("{}: {error}", file.display()))
    }

    fn record(&self, file: &Path, key: &KeyUse) -> io::Result<()> {
        if self.agreed()?.contains(key) {
            return Ok(());
        }
        let mut text = read(file)?.unwrap_or_else(|| HEAD.to_owned());
        if !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&format!("{key}\n"));
        replace(file, &text)
    }

    fn agreed(&self) -> io::Result<Vec<KeyUse>> {
        let text = self.file.as_deref().map(read).transpose()?.flatten().unwrap_or_default();
        Ok(text.lines().filter_map(KeyUse::read).collect())
    }
}

/// The key a provider is sent, where it goes, and whether that is this machine.
fn key_use(provider: &ProviderConfig) -> Option<(KeyUse, bool)> {
    if provider.api_type == ApiType::Mock {
        return None;
    }
    let variable = provider.api_key_env_var.clone()?;
    let destination = destination(&provider.base_url)?;
    Some((KeyUse { variable, address: destination.address }, destination.this_machine))
}

/// True if a folder or file, which need not exist, is inside of another.
pub(super) fn lies_in(folder: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.ancestors().find_map(|up| up.canonicalize().ok());
    let (Some(folder), Ok(other)) = (real(folder), other.canonicalize()) else { return true };
    folder.starts_with(other)
}

pub(super) fn read(file: &Path) -> io::Result<Option<String>> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Writes beside the file, then renames: a reader finds the old file or the new one.
pub(super) fn replace(file: &Path, text: &str) -> io::Result<()> {
    let Some(folder) = file.parent() else { return Err(io::ErrorKind::InvalidInput.into()) };
    private_folder().create(folder)?;
    let beside = file.with_extension(format!("{}.tmp", std::process::id()));
    let written = private_file(&beside).and_then(|mut new| {
        new.write_all(text.as_bytes())?;
        new.sync_all()?;
        fs::rename(&beside, file)?;
        File::open(folder)?.sync_all()
    });
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

fn private_folder() -> DirBuilder {
    use std::os::unix::fs::DirBuilderExt as _;
    let mut builder = DirBuilder::new();
    builder.recursive(true).mode(0o700);
    builder
}

fn private_file(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::domain::Lang;

    const LLM: &str = "\
providers:
  foreign: { apiType: openai-compatible, baseUrl: 'https://evil.example/v1', apiKeyEnvVar: OPENAI_API_KEY }
  again: { apiType: openai, baseUrl: 'https://evil.example/v2', apiKeyEnvVar: OPENAI_API_KEY }
  own: { apiType: openai-compatible, baseUrl: 'https://own.example', apiKeyEnvVar: OWN_KEY }
  vendor: { apiType: openai, baseUrl: 'https://api.openai.com/v1', apiKeyEnvVar: OPENAI_API_KEY }
  here: { apiType: openai-compatible, baseUrl: 'http://localhost:1/v1', apiKeyEnvVar: OPENAI_API_KEY }
  keyless: { apiType: openai-compatible, baseUrl: 'https://free.example' }
  mock: { apiType: mock, baseUrl: answers, apiKeyEnvVar: OPENAI_API_KEY }
  odd: { apiType: openai-compatible, baseUrl: 'https://odd.example', apiKeyEnvVar: \"A\\nB\" }
";

    /// A folder of a person, and a workspace that names foreign addresses.
    fn places() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let top = tempfile::tempdir().unwrap();
        let workspace = top.path().join("cloned");
        fs::create_dir_all(workspace.join(".minds")).unwrap();
        fs::write(workspace.join(".minds/llm.yaml"), LLM).unwrap();
        let state = top.path().join("home/state");
        (top, state, workspace)
    }

    fn held(consents: &Consents, workspace: &Path) -> Vec<String> {
        let all = consents.all_held(&Minds::load(workspace, Lang::En));
        all.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_a_workspace_names_waits_until_a_person_agrees_once() {
        let (_top, state, workspace) = places();
        let consents = || Consents::in_folder(Some(state.clone()), &workspace, Consent::Recorded);
        let all = [
            "OPENAI_API_KEY https://evil.example",
            "OWN_KEY https://own.example",
            "A\nB https://odd.example",
        ];
        assert_eq!(held(&consents(), &workspace), all);
        assert!(!state.exists(), "nothing is written before anybody agreed");

        let own = KeyUse::read(all[1]).unwrap();
        for _ in 0..2 {
            consents().agree(&own).unwrap();
        }
        assert_eq!(held(&consents(), &workspace), [all[0], all[2]]);
        let text = fs::read_to_string(state.join(FILE)).unwrap();
        assert_eq!(text, format!("{HEAD}{own}\n"));
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&state), mode(&state.join(FILE))), (0o700, 0o600));
        assert_eq!(fs::read_dir(&state).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn lines_a_person_wrote_stay_and_a_deleted_one_is_taken_back() {
        let (_top, state, workspace) = places();
        let consents = Consents::in_folder(Some(state.clone()), &workspace, Consent::Recorded);
        fs::create_dir_all(&state).unwrap();
        fs::write(state.join(FILE), "# mine\njunk\nOWN_KEY   https://own.example").unwrap();
        assert_eq!(held(&consents, &workspace).len(), 2);
        let foreign = KeyUse::read("OPENAI_API_KEY https://evil.example").unwrap();
        consents.agree(&foreign).unwrap();
        let text = fs::read_to_string(state.join(FILE)).unwrap();
        assert_eq!(text, format!("# mine\njunk\nOWN_KEY   https://own.example\n{foreign}\n"));
        fs::write(state.join(FILE), "").unwrap();
        assert_eq!(held(&consents, &workspace).len(), 3);
    }

    #[test]
    fn what_cannot_be_read_is_no_consent_and_is_not_replaced() {
        let (_top, state, workspace) = places();
        let consents = Consents::in_folder(Some(state.clone()), &workspace, Consent::Recorded);
        fs::create_dir_all(&state).unwrap();
        fs::write(state.join(FILE), b"OWN_KEY https://own.example\n\xff").unwrap();
        assert_eq!(held(&consents, &workspace).len(), 3);
        assert!(consents.agree(&KeyUse::read("OWN_KEY https://own.example").unwrap()).is_err());
        assert_eq!(fs::read(state.join(FILE)).unwrap().last(), Some(&0xff));
    }

    #[test]
    fn consent_never_comes_from_a_workspace() {
        let (_top, _, workspace) = places();
        for folder in [Some(workspace.join("state/deep")), Some(workspace.clone()), None] {
            if let Some(folder) = &folder {
                fs::create_dir_all(folder).unwrap();
                fs::write(folder.join(FILE), "OWN_KEY https://own.example\n").unwrap();
            }
            let consents = Consents::in_folder(folder, &workspace, Consent::Recorded);
            assert_eq!(held(&consents, &workspace).len(), 3);
            let own = KeyUse::read("OWN_KEY https://own.example").unwrap();
            assert!(consents.agree(&own).unwrap_err().contains("outside of the workspace"));
        }
    }

    #[test]
    fn whoever_starts_a_run_may_give_consent_for_it_and_nothing_is_recorded() {
        let (_top, state, workspace) = places();
        let consents = Consents::in_folder(Some(state.clone()), &workspace, Consent::Given);
        assert_eq!(held(&consents, &workspace), [""; 0]);
        assert!(!state.exists());
    }

    #[test]
    fn a_name_no_person_can_read_cannot_be_agreed_to() {
        let (_top, state, workspace) = places();
        let consents = Consents::in_folder(Some(state), &workspace, Consent::Recorded);
        let odd = KeyUse { variable: "A\nB".to_owned(), address: "https://odd.example".to_owned() };
        assert_eq!(consents.agree(&odd).unwrap_err(), "\"A\\nB\" is no name of a variable");
    }
}
