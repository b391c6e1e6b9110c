//! The questions of `init` about the first model, without a terminal: what to ask next, and what follows from an answer,
//! a list of models or a trial. Every question can be the last; only what was tried, or what the person wants untried,
//! is to be written. What is typed is never repeated where it may be a key.

use super::choices::{Provider, address_fault, is_model_name, is_variable_name, providers};
use crate::cli::setup::probe::ProbeResult;
use crate::minds::{Env, FirstModel};

/// Ends the questions.
const QUIT: &str = "q";
/// Names of a list that are shown.
const MAX_SHOWN: usize = 30;

/// What has to happen next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// The person answers this question.
    Ask(String),
    /// The server is asked which models it has.
    List(FirstModel),
    /// The model is sent a short request.
    Try(FirstModel),
    /// The files are written with this model; `answered`: it did.
    Write { first: FirstModel, answered: bool },
    /// Nothing is written.
    End,
}

/// What is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Provider,
    Address,
    Variable,
    /// The variable is not set.
    Unset,
    Listing,
    Model,
    Trying,
    /// The trial failed.
    Failed,
    Written {
        answered: bool,
    },
    Ended,
}

/// The state of the questions.
#[derive(Debug)]
pub struct Wizard {
    offered: Vec<Provider>,
    stage: Stage,
    first: FirstModel,
    /// The models to choose from.
    models: Vec<String>,
    /// The variable is not set, and the person wants the files all the same.
    untried: bool,
    /// What the person is told before the next question.
    told: Vec<String>,
}

impl Wizard {
    pub fn new() -> Self {
        let (offered, first) = providers();
        let (models, told) = (Vec::new(), Vec::new());
        Self { offered, stage: Stage::Provider, first, models, untried: false, told }
    }

    /// What has to happen next.
    pub fn step(&self) -> Next {
        let first = self.first.clone();
        match self.stage {
            Stage::Provider => Next::Ask(self.ask_provider()),
            Stage::Address => Next::Ask(self.ask_address()),
            Stage::Variable => Next::Ask(self.ask_variable()),
            Stage::Unset => Next::Ask(self.ask_unset()),
            Stage::Model => Next::Ask(self.ask_model()),
            Stage::Failed => Next::Ask(ASK_FAILED.to_owned()),
            Stage::Listing => Next::List(first),
            Stage::Trying => Next::Try(first),
            Stage::Written { answered } => Next::Write { first, answered },
            Stage::Ended => Next::End,
        }
    }

    /// What the person is told before the next question.
    pub fn take_told(&mut self) -> Vec<String> {
        std::mem::take(&mut self.told)
    }

    /// Takes an answer; `None` is the end of the input.
    pub fn answer(&mut self, line: Option<&str>, env: Env<'_>) {
        let Some(line) = line.map(str::trim).filter(|line| *line != QUIT) else {
            self.stage = Stage::Ended;
            return;
        };
        match self.stage {
            Stage::Provider => self.take_provider(line),
            Stage::Address => self.take_address(line),
            Stage::Variable => self.take_variable(line, env),
            Stage::Unset => self.take_unset(line),
            Stage::Model => self.take_model(line),
            Stage::Failed => self.take_failed(line),
            Stage::Listing | Stage::Trying | Stage::Written { .. } | Stage::Ended => {}
        }
    }

    /// Takes the models that the server lists, or why it does not.
    pub fn listed(&mut self, listed: Result<Vec<String>, ProbeResult>) {
        let address = &self.first.address;
        let names = match listed {
            Ok(names) => names,
            Err(ProbeResult::Failed { text, fix }) => {
                self.told.push(format!("asked {address} which models it has: {text} ({fix})"));
                Vec::new()
            }
            Err(ProbeResult::Answered(_)) => Vec::new(),
        };
        let names: Vec<String> = names.into_iter().filter(|name| is_model_name(name)).collect();
        if !names.is_empty() {
            self.models = names;
        }
        self.stage = Stage::Model;
    }

    /// Takes the result of a trial.
    pub fn tried(&mut self, result: ProbeResult) {
        let FirstModel { model, address, .. } = &self.first;
        self.stage = match result {
            ProbeResult::Answered(time) => {
                self.told.push(format!("{model} answers ({} ms)", time.as_millis()));
                Stage::Written { answered: true }
            }
            ProbeResult::Failed { text, fix } => {
                self.told.push(format!("tried {model} at {address}: {text} ({fix})"));
                Stage::Failed
            }
        };
    }

    fn refuse(&mut self, why: &str) {
        self.told.push(why.to_owned());
    }

    fn ask_provider(&self) -> String {
        let names = self.offered.iter().map(|one| one.name.chars().count());
        let width = names.max().unwrap_or_default();
        let rows = (1..).zip(&self.offered);
        let rows = rows.map(|(at, one)| format!("{at:>4}  {:<width$}  {}\n", one.name, one.about));
        let rows = rows.collect::<Vec<_>>().concat();
        format!(
            "Which provider answers? `{QUIT}` ends here, as at every question; until the last one nothing is written.\n\
             {rows}number or name [1]:"
        )
    }

    fn take_provider(&mut self, line: &str) {
        let line = if line.is_empty() { "1" } else { line };
        let Some(found) = picked(line, &self.offered)
            .or_else(|| self.offered.iter().find(|one| one.name == line))
        else {
            return self.refuse("the list has no such provider: type a number or a name of it");
        };
        (self.first, self.models) = (found.first.clone(), found.models.clone());
        self.untried = false;
        self.stage = Stage::Address;
    }

    fn ask_address(&self) -> String {
        match self.first.address.as_str() {
            "" => "Address, as https://api.example.com/v1:".to_owned(),
            address => format!("Address [{address}]:"),
        }
    }

    fn take_address(&mut self, line: &str) {
        let address = if line.is_empty() { self.first.address.as_str() } else { line };
        if let Some(fault) = address_fault(address) {
            return self.refuse(fault);
        }
        self.first.address = address.to_owned();
        self.stage = Stage::Variable;
    }

    fn ask_variable(&self) -> String {
        let FirstModel { address, variable, .. } = &self.first;
        let default = variable.as_deref().unwrap_or("-");
        format!(
            "Environment variable that holds the key for {address}, `-` for none. Type its name, never the key: the \
             name is written, and the key is sent to that address, as dialogs will be [{default}]:"
        )
    }

    fn take_variable(&mut self, line: &str, env: Env<'_>) {
        let name = match line {
            "" => self.first.variable.clone(),
            "-" => None,
            name => Some(name.to_owned()),
        };
        let is_set = |name: &str| env(name).is_some_and(|value| !value.trim().is_empty());
        self.stage = match &name {
            None => Stage::Listing,
            Some(name) if !is_variable_name(name, is_set(name)) => {
                return self.refuse(NO_VARIABLE);
            }
            Some(name) if is_set(name) => Stage::Listing,
            Some(_) => Stage::Unset,
        };
        (self.first.variable, self.untried) = (name, false);
    }

    fn ask_unset(&self) -> String {
        let name = self.first.variable.as_deref().unwrap_or_default();
        format!(
            "{name} is not set, so nothing can be tried. Set it where you start the program, and run `dominds-tui init` \
             again:\n    read -rs {name}; export {name}\n`v` names another variable, `w` writes the files untried, \
             `{QUIT}` ends and writes nothing [{QUIT}]:"
        )
    }

    fn take_unset(&mut self, line: &str) {
        match line {
            "" => self.stage = Stage::Ended,
            "v" => self.stage = Stage::Variable,
            "w" => (self.untried, self.stage) = (true, Stage::Model),
            _ => self.refuse("type one of these letters"),
        }
    }

    fn ask_model(&self) -> String {
        if self.models.is_empty() {
            return "Model, by the name that the server knows it by:".to_owned();
        }
        let rows = (1..).zip(self.models.iter().take(MAX_SHOWN));
        let rows = rows.map(|(at, name)| format!("{at:>4}  {name}\n"));
        let rows = rows.collect::<Vec<_>>().concat();
        let more = self.models.len().saturating_sub(MAX_SHOWN);
        let more = if more > 0 { format!("      and {more} more\n") } else { String::new() };
        format!("Which model?\n{rows}{more}number or name [1]:")
    }

    fn take_model(&mut self, line: &str) {
        let line = if line.is_empty() && !self.models.is_empty() { "1" } else { line };
        let shown = self.models.get(..MAX_SHOWN).unwrap_or(&self.models);
        let name = picked(line, shown).map_or(line, String::as_str);
        if !is_model_name(name) {
            return self
                .refuse("that is no name of a model: it has no blanks, and no foreign letters");
        }
        self.first.model = name.to_owned();
        self.stage = if self.untried { Stage::Written { answered: false } } else { Stage::Trying };
    }

    fn take_failed(&mut self, line: &str) {
        match line {
            "" | "a" => self.stage = Stage::Address,
            "k" => self.stage = Stage::Variable,
            "m" => self.stage = Stage::Model,
            "p" => self.stage = Stage::Provider,
            "r" => self.stage = Stage::Trying,
            "w" => self.stage = Stage::Written { answered: false },
            _ => self.refuse("type one of these letters"),
        }
    }
}

const ASK_FAILED: &str = "\
It did not work. `a` another address, `k` another variable of the key, `m` another model, `p` another provider,
`r` tries it again, `w` writes the files as they are, `q` ends and writes nothing [a]:";

const NO_VARIABLE: &str = "that is no variable that is set, nor the usual form of a name, as EXAMPLE_API_KEY; it is not \
                           used, since it may be a key";

/// The entry with this number; the first one is 1.
fn picked<'a, T>(line: &str, entries: &'a [T]) -> Option<&'a T> {
    entries.get(line.parse::<usize>().ok()?.checked_sub(1)?)
}
