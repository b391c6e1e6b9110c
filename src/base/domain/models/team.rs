//! Who is in the team: the parsed and inherited form of `team.yaml`.
//!
//! A [`Member`] holds effective values: its own, else those of `member_defaults`, else built-in ones.
//! Nothing here says whether its provider and model exist.

use serde_json::{Map, Value};

use super::params::{AnthropicParams, ChatParams, GoogleParams};
use crate::domain::ids::AgentId;

/// The member that sets up a team; always there, hidden.
pub const FUXI: &str = "fuxi";
/// The member that does anything; always there, hidden.
pub const PANGU: &str = "pangu";
/// The responder of questions for people; no member may have this id.
pub const HUMAN: &str = "human";

/// All members in the order of the file, the hidden built-in ones last.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Team {
    pub members: Vec<Member>,
    /// As configured, if that member exists.
    pub default_responder: Option<AgentId>,
    /// Members that may run shell commands, hidden ones too.
    pub shell_specialists: Vec<AgentId>,
}

impl Team {
    #[must_use]
    pub fn member(&self, id: &AgentId) -> Option<&Member> {
        self.members.iter().find(|member| member.id == *id)
    }

    /// The members shown in the team directory.
    pub fn visible(&self) -> impl Iterator<Item = &Member> {
        self.members.iter().filter(|member| !member.hidden)
    }

    /// Who answers when nobody is named: the configured member, the first visible one, or the
    /// member that sets up teams.
    #[must_use]
    pub fn default_responder(&self) -> Option<&AgentId> {
        self.default_responder
            .as_ref()
            .or_else(|| self.visible().next().map(|member| &member.id))
            .or_else(|| {
                let fuxi = self.members.iter().find(|m| m.id.as_str() == FUXI);
                fuxi.or(self.members.first()).map(|member| &member.id)
            })
    }
}

/// One member, with inherited values filled in.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    pub id: AgentId,
    pub name: String,
    pub icon: Option<String>,
    /// What to ask this member, one line each.
    pub gofor: Vec<String>,
    /// What not to ask this member, one line each.
    pub nogo: Vec<String>,
    /// Key of a provider; `None` leaves the choice to the provider list.
    pub provider: Option<String>,
    /// Key of a model of that provider.
    pub model: Option<String>,
    /// Names of toolsets, `*` for all, `!name` to leave one out.
    pub toolsets: Vec<String>,
    /// Single tools beyond the toolsets.
    pub tools: Vec<String>,
    pub params: ModelParams,
    /// What applies to fresh-boots reasoning instead: an overlay over `params`, already applied.
    pub fbr_params: ModelParams,
    /// Rounds per phase of fresh-boots reasoning; 0 switches it off.
    pub fbr_effort: u8,
    /// Keep-going prompts per dialog; 0 switches them off.
    pub diligence_push_max: u32,
    pub streaming: bool,
    /// Not in the directory, yet reachable by id.
    pub hidden: bool,
    /// Whether it may run shell commands, if its tools hold any.
    pub shell: ShellRight,
    /// Its tools are not configured: its asker lends it theirs, and it gets no more than that.
    pub lent: bool,
    pub access: AccessLists,
}

/// A member's right to run shell commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ShellRight {
    #[default]
    No,
    /// The team file grants it, and nobody has agreed to that.
    Unagreed,
    Granted,
}

impl ShellRight {
    /// True if the team file grants it, agreed to or not.
    #[must_use]
    pub fn is_named(self) -> bool {
        self != Self::No
    }
}

/// Settings for a model, as sent by the providers of the `OpenAI` family. Unset ones are not sent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModelParams {
    pub max_tokens: Option<u64>,
    pub temperature: Option<f64>,
    pub top_p: Option<f64>,
    pub parallel_tool_calls: Option<bool>,
    pub json_response: Option<bool>,
    pub reasoning_effort: Option<String>,
    pub reasoning_summary: Option<String>,
    pub verbosity: Option<String>,
    pub service_tier: Option<String>,
    /// The form of the answer, in the words of the Responses API.
    pub text_format: Option<Value>,
    pub safety_identifier: Option<String>,
    /// Other settings of the `openai` group, as written.
    pub extra: Map<String, Value>,
    /// The parameters for a login of codex, where set over those above.
    pub codex: Option<Box<Self>>,
    /// The parameters for Chat Completions, instead of those above, where there are some.
    pub chat: Option<ChatParams>,
    /// The parameters with providers of that family, instead of all others here.
    pub anthropic: AnthropicParams,
    /// The parameters with providers that are only compatible with that family, where there are some.
    pub anthropic_compatible: Option<AnthropicParams>,
    /// The parameters with the protocol of Gemini, beside the limit and the form of the answer above.
    pub google: GoogleParams,
}

impl ModelParams {
    /// These settings where set, else those of `base`.
    #[must_use]
    pub fn over(self, base: &Self) -> Self {
        let mut extra = base.extra.clone();
        extra.extend(self.extra);
        Self {
            max_tokens: self.max_tokens.or(base.max_tokens),
            temperature: self.temperature.or(base.temperature),
            top_p: self.top_p.or(base.top_p),
            parallel_tool_calls: self.parallel_tool_calls.or(base.parallel_tool_calls),
            json_response: self.json_response.or(base.json_response),
            reasoning_effort: self.reasoning_effort.or_else(|| base.reasoning_effort.clone()),
            reasoning_summary: self.reasoning_summary.or_else(|| base.reasoning_summary.clone()),
            verbosity: self.verbosity.or_else(|| base.verbosity.clone()),
            service_tier: self.service_tier.or_else(|| base.service_tier.clone()),
            text_format: self.text_format.or_else(|| base.text_format.clone()),
            safety_identifier: self.safety_identifier.or_else(|| base.safety_identifier.clone()),
            extra,
            codex: overlay(self.codex, base.codex.as_ref(), |own, base| Box::new(own.over(base))),
            chat: overlay(self.chat, base.chat.as_ref(), ChatParams::over),
            anthropic: self.anthropic.over(&base.anthropic),
            anthropic_compatible: overlay(
                self.anthropic_compatible,
                base.anthropic_compatible.as_ref(),
                AnthropicParams::over,
            ),
            google: self.google.over(&base.google),
        }
    }
}

/// What there is of both, merged if there are both.
fn overlay<T: Clone>(own: Option<T>, base: Option<&T>, over: fn(T, &T) -> T) -> Option<T> {
    match (own, base) {
        (Some(own), Some(base)) => Some(over(own, base)),
        (own, base) => own.or_else(|| base.cloned()),
    }
}

/// Path patterns and file extensions (without dot) that narrow what file tools may touch. A deny
/// list beats an allow list; an empty allow list allows everything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AccessLists {
    pub read_dirs: Vec<String>,
    pub write_dirs: Vec<String>,
    pub no_read_dirs: Vec<String>,
    pub no_write_dirs: Vec<String>,
    pub read_file_ext_names: Vec<String>,
    pub write_file_ext_names: Vec<String>,
    pub no_read_file_ext_names: Vec<String>,
    pub no_write_file_ext_names: Vec<String>,
}
