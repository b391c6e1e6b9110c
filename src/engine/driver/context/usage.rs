//! What uses a model's context, for a user who has to free space. Pure; the numbers are estimates.

use crate::domain::Lang;
use crate::domain::dialogs::latest::StopReason;
use crate::domain::models::context_health::ContextHealth;
use crate::domain::text::{Localized, Text, localized};
use crate::llm::{LlmError, Message, Request};

/// A part of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextPart {
    Taskdoc,
    Reminders,
    /// The member's persona, its team and its skills.
    SystemPrompt,
    Memories,
    Tools,
    /// The messages and calls of this course.
    Course,
}

/// The tokens of each part, the largest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextUsage(Vec<(ContextPart, u64)>);

/// Estimated tokens of `text`: one for four ASCII characters, one for each other character.
#[must_use]
pub fn estimate_tokens(text: &str) -> u64 {
    let (latin, other) = text.chars().fold((0_u64, 0_u64), |(latin, other), c| {
        if c.is_ascii() { (latin + 1, other) } else { (latin, other + 1) }
    });
    latin.div_ceil(4) + other
}

impl ContextUsage {
    /// `known_parts`: the parts contained in the messages of the request; the remaining messages are the
    /// course.
    #[must_use]
    pub fn of(request: &Request, known_parts: &[(ContextPart, u64)]) -> Self {
        let messages: u64 = request.messages.iter().map(message_tokens).sum();
        let known_tokens: u64 = known_parts.iter().map(|(_, tokens)| tokens).sum();
        let tools: u64 = request
            .tools
            .iter()
            .map(|tool| {
                estimate_tokens(&tool.description) + estimate_tokens(&tool.parameters.to_string())
            })
            .sum();
        let mut parts = known_parts.to_vec();
        parts.extend([
            (ContextPart::SystemPrompt, estimate_tokens(&request.system)),
            (ContextPart::Tools, tools),
            (ContextPart::Course, messages.saturating_sub(known_tokens)),
        ]);
        parts.sort_by_key(|(_, tokens)| std::cmp::Reverse(*tokens));
        Self(parts)
    }

    /// The stop reason if the measured context is full.
    #[must_use]
    pub fn full_stop_reason(&self, health: &ContextHealth) -> StopReason {
        self.reason(&match health {
            ContextHealth::Available { prompt_tokens, limits, .. } => {
                let (used, limit) = (prompt_tokens, limits.model_context_limit_tokens);
                localized!(
                    "the context is full again: {used} of {limit} tokens",
                    "上下文又满了：{limit} 个 token 中已用 {used} 个"
                )
            }
            ContextHealth::Unavailable { .. } => {
                Text::new("the context is full again", "上下文又满了").into()
            }
        })
    }

    /// The stop reason if the provider refused the request as too long.
    #[must_use]
    pub fn refused_stop_reason(&self, error: &LlmError) -> StopReason {
        self.reason(error.message())
    }

    fn reason(&self, why: &Localized) -> StopReason {
        let parts = Localized::of(|lang| self.listed(lang));
        StopReason::system(localized!(
            [why, parts] "{why}; a new course would not help. What fills it, about: {parts}. Make room: \
             shorten the Taskdoc, delete reminders, shorten the texts and memories in .minds, or give the \
             member a model that takes more; then say what is to be done, or continue",
            "{why}；新开一程也没有用。占用情况（估计）：{parts}。请腾出空间：缩短任务文档、删除提醒、\
             缩短 .minds 里的文本和记忆，或给该成员换一个上下文更大的模型；然后说明要做什么，或选择继续"
        ))
    }

    fn listed(&self, lang: Lang) -> String {
        let shown = self.0.iter().map(|(part, tokens)| format!("{} {tokens}", part.name(lang)));
        let between = Text::new(", ", "，").in_lang(lang);
        shown.collect::<Vec<_>>().join(between)
    }
}

impl ContextPart {
    fn name(self, lang: Lang) -> &'static str {
        let text = match self {
            Self::Taskdoc => Text::new("Taskdoc", "任务文档"),
            Self::Reminders => Text::new("reminders", "提醒"),
            Self::SystemPrompt => Text::new("minds (system prompt)", "心智（系统提示词）"),
            Self::Memories => Text::new("minds (memories)", "心智（记忆）"),
            Self::Tools => Text::new("tools", "工具"),
            Self::Course => Text::new("this course", "本程对话"),
        };
        text.in_lang(lang)
    }
}

fn message_tokens(message: &Message) -> u64 {
    match message {
        Message::Call { name, arguments, .. } => estimate_tokens(name) + estimate_tokens(arguments),
        Message::Environment(text)
        | Message::Prompt(text)
        | Message::TellaskResult(text)
        | Message::Carryover(text)
        | Message::Guide(text)
        | Message::Saying(text)
        | Message::Thinking { text, .. }
        | Message::Result { content: text, .. } => estimate_tokens(text),
        Message::Images(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::models::context_health::ContextLimits;
    use crate::llm::{ModelParams, ToolSchema};

    fn request() -> Request {
        Request {
            model: "m".to_owned(),
            system: "s".repeat(40),
            messages: vec![
                Message::Environment("t".repeat(400)),
                Message::Environment("r".repeat(8)),
                Message::Prompt("说".repeat(50)),
            ],
            tools: vec![ToolSchema {
                name: "f".to_owned(),
                description: "d".repeat(80),
                parameters: serde_json::Value::Null,
            }],
            streaming: true,
            params: ModelParams::default(),
            output_limit: None,
        }
    }

    #[test]
    fn a_full_context_is_listed_by_part_the_largest_first() {
        let known_parts =
            [(ContextPart::Taskdoc, 100), (ContextPart::Reminders, 2), (ContextPart::Memories, 0)];
        let context_usage = ContextUsage::of(&request(), &known_parts);
        let limits = ContextLimits::new(Some(1_000), None, None);
        let health = ContextHealth::measure(limits, Some((950, 1, 951)));
        let StopReason::SystemStop { detail, i18n_stop_reason: Some(both) } =
            context_usage.full_stop_reason(&health)
        else {
            panic!("a system stop in both languages");
        };
        let parts = "Taskdoc 100, this course 50, tools 21, minds (system prompt) 10, reminders 2, \
                     minds (memories) 0";
        assert!(detail.starts_with("the context is full again: 950 of 1000 tokens; "), "{detail}");
        assert!(detail.contains(parts) && detail.contains("Make room: "), "{detail}");
        assert_eq!(both["en"], detail.as_str());
        let chinese = both["zh"].as_str().expect("a text");
        assert!(chinese.contains("任务文档 100，本程对话 50") && chinese.contains("腾出空间"));
    }
}
