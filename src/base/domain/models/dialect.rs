//! How a provider differs from the usual, as the configuration says: what is done with earlier
//! thinking, and the quirks of its answers and requests.

/// What is done with earlier thinking when the context is sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ThinkingReplay {
    /// It is left out: saves context and is never imitated.
    #[default]
    None,
    /// It goes into `reasoning_content` of the assistant message it led to.
    ReasoningContent,
    /// It is sent as assistant text.
    Text,
}

impl ThinkingReplay {
    pub const ALL: [Self; 3] = [Self::None, Self::ReasoningContent, Self::Text];

    /// The word in the configuration.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::ReasoningContent => "reasoning_content",
            Self::Text => "text",
        }
    }
}

/// One way in which a provider differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quirk {
    /// Every piece of a call's arguments repeats all that came before it.
    CumulativeArguments,
    /// Thinking stands between `<think>` and `</think>` at the beginning of the answer's text.
    InlineThink,
    /// The output limit is called `max_completion_tokens`.
    MaxCompletionTokens,
    /// Thoughts apart from words are asked for with `reasoning_split`, unless a member says otherwise.
    MinimaxReasoningDetails,
    /// Thinking is switched on as `adaptive`.
    MinimaxThinkingType,
    /// `stream_options` is refused; so the token count of a stream is unknown.
    NoStreamOptions,
    /// Messages with the role `system` are refused; their text is sent in the first user message.
    NoSystemRole,
    /// `tool_choice` is refused; tools are offered without it.
    NoToolChoice,
    /// Empty answers are asked for again four times instead of twice.
    XcodeBest,
}

impl Quirk {
    pub const ALL: [Self; 9] = [
        Self::CumulativeArguments,
        Self::InlineThink,
        Self::MaxCompletionTokens,
        Self::MinimaxReasoningDetails,
        Self::MinimaxThinkingType,
        Self::NoStreamOptions,
        Self::NoSystemRole,
        Self::NoToolChoice,
        Self::XcodeBest,
    ];

    /// The word in the configuration.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::CumulativeArguments => "cumulative_arguments",
            Self::InlineThink => "inline_think",
            Self::MaxCompletionTokens => "max_completion_tokens",
            Self::MinimaxReasoningDetails => "minimax-reasoning-details",
            Self::MinimaxThinkingType => "minimax-thinking-type",
            Self::NoStreamOptions => "no_stream_options",
            Self::NoSystemRole => "no_system_role",
            Self::NoToolChoice => "no_tool_choice",
            Self::XcodeBest => "xcode.best",
        }
    }

    const fn bit(self) -> u16 {
        match self {
            Self::CumulativeArguments => 1,
            Self::InlineThink => 2,
            Self::MaxCompletionTokens => 4,
            Self::NoStreamOptions => 8,
            Self::XcodeBest => 16,
            Self::NoSystemRole => 32,
            Self::NoToolChoice => 64,
            Self::MinimaxReasoningDetails => 128,
            Self::MinimaxThinkingType => 256,
        }
    }
}

/// Some of the quirks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Quirks(u16);

impl Quirks {
    pub const NONE: Self = Self(0);

    /// These and one more.
    #[must_use]
    pub const fn with(self, quirk: Quirk) -> Self {
        Self(self.0 | quirk.bit())
    }

    #[must_use]
    pub const fn has(self, quirk: Quirk) -> bool {
        self.0 & quirk.bit() != 0
    }
}

impl FromIterator<Quirk> for Quirks {
    fn from_iter<I: IntoIterator<Item = Quirk>>(quirks: I) -> Self {
        quirks.into_iter().fold(Self::default(), Self::with)
    }
}

/// All differences of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Dialect {
    pub thinking_replay: ThinkingReplay,
    pub quirks: Quirks,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_quirk_is_its_own() {
        for quirk in Quirk::ALL {
            let one: Quirks = [quirk].into_iter().collect();
            let all = Quirk::ALL.into_iter().filter(|other| one.has(*other));
            assert_eq!(all.collect::<Vec<_>>(), [quirk]);
        }
    }
}
