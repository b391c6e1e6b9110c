//! The connection to a provider: concurrent requests, timeouts, trusted certificates, and deviations
//! from the protocol.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::domain::text::{Localized, Text, localized};
use crate::domain::{Dialect, Quirk, Quirks, ThinkingReplay};
use crate::minds::nearest::did_you_mean;
use crate::minds::report::{ProblemReport, clip, value_type};

/// Words of Dominds that change nothing here: what they stand for is done anyway, belongs to a protocol that is
/// not spoken, or would name another program as the sender.
const WITHOUT_EFFECT: [&str; 5] = [
    "same-context-empty-response",
    "volcengine-invalid-parameter-aggressive-retry",
    "codex-anti-early-finalization",
    "kimi-code",
    "kimi-cli-cloak",
];
const DEFAULT_MAX_CONCURRENT: NonZeroUsize = NonZeroUsize::MIN.saturating_add(7);
const MAX_CONCURRENT: usize = 1000;
/// One day.
const MAX_TIMEOUT_MS: u64 = 24 * 60 * 60 * 1000;

/// Effective values.
#[derive(Debug, Clone, PartialEq)]
pub struct Connection {
    /// Maximum number of concurrent requests.
    pub max_concurrent: NonZeroUsize,
    /// Until the connection is established. `None`: the default, as with the next two.
    pub connect_timeout: Option<Duration>,
    /// Until the first byte of an answer.
    pub first_byte_timeout: Option<Duration>,
    /// Between two chunks of an answer.
    pub idle_timeout: Option<Duration>,
    /// Certificates trusted in addition to those of the system.
    pub ca_file: Option<PathBuf>,
    pub dialect: Dialect,
}

impl Default for Connection {
    fn default() -> Self {
        Self {
            max_concurrent: DEFAULT_MAX_CONCURRENT,
            connect_timeout: None,
            first_byte_timeout: None,
            idle_timeout: None,
            ca_file: None,
            dialect: Dialect::default(),
        }
    }
}

/// The keys of one provider, and the report for its problems.
struct ProviderKeys<'a, 'b> {
    provider: &'a str,
    map: &'a Map<String, Value>,
    report: &'a mut ProblemReport<'b>,
}

impl Connection {
    pub(super) fn read(
        provider: &str,
        map: &Map<String, Value>,
        report: &mut ProblemReport,
    ) -> Self {
        let mut keys = ProviderKeys { provider, map, report };
        Self {
            max_concurrent: keys.max_concurrent(),
            connect_timeout: keys.timeout("llm_connect_timeout_ms"),
            first_byte_timeout: keys.timeout("llm_first_byte_timeout_ms"),
            idle_timeout: keys.timeout("llm_idle_timeout_ms"),
            ca_file: keys.ca_file(),
            dialect: Dialect { thinking_replay: keys.thinking_replay(), quirks: keys.quirks() },
        }
    }
}

impl ProviderKeys<'_, '_> {
    /// The value; an empty one counts as not set.
    fn value(&self, key: &str) -> Option<Value> {
        self.map.get(key).filter(|value| !value.is_null()).cloned()
    }

    fn report_wrong(&mut self, key: &str, found: &Value, fix: impl Into<Localized>) {
        let provider = clip(self.provider);
        let shown = match found {
            Value::Number(number) => Localized::same(number.to_string()),
            Value::String(text) => Localized::same(format!("`{}`", clip(text))),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
                value_type(found).into()
            }
        };
        let text = localized!(
            [shown] "`{key}` of provider `{provider}` is {shown}; ignored",
            "模型服务 `{provider}` 的 `{key}` 是 {shown}；已忽略"
        );
        let id = format!("llm/wrong-value/{provider}/{key}");
        self.report.warn(&id, &["providers", self.provider, key], text, fix);
    }

    fn max_concurrent(&mut self) -> NonZeroUsize {
        const KEY: &str = "max_concurrent";
        let Some(value) = self.value(KEY) else { return DEFAULT_MAX_CONCURRENT };
        let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
        let number = number.filter(|number| *number <= MAX_CONCURRENT).and_then(NonZeroUsize::new);
        if number.is_none() {
            self.report_wrong(
                KEY,
                &value,
                localized!(
                    "write a whole number from 1 to {MAX_CONCURRENT}",
                    "请写 1 到 {MAX_CONCURRENT} 的整数"
                ),
            );
        }
        number.unwrap_or(DEFAULT_MAX_CONCURRENT)
    }

    fn timeout(&mut self, key: &str) -> Option<Duration> {
        let value = self.value(key)?;
        let millis = value.as_u64().filter(|millis| (1..=MAX_TIMEOUT_MS).contains(millis));
        if millis.is_none() {
            let fix = localized!(
                "write milliseconds, a whole number from 1 to {MAX_TIMEOUT_MS}",
                "请写毫秒数，1 到 {MAX_TIMEOUT_MS} 的整数"
            );
            self.report_wrong(key, &value, fix);
        }
        millis.map(Duration::from_millis)
    }

    /// An absolute path: certificates in the workspace are not trusted.
    fn ca_file(&mut self) -> Option<PathBuf> {
        const KEY: &str = "caFile";
        let value = self.value(KEY)?;
        let path = value.as_str().map(|text| PathBuf::from(text.trim()));
        let path = path.filter(|path| path.is_absolute());
        if path.is_none() {
            let fix = Text::new(
                "write the absolute path of a PEM file outside of the workspace",
                "请写工作区之外的 PEM 文件的绝对路径",
            );
            self.report_wrong(KEY, &value, fix);
        }
        path
    }

    fn thinking_replay(&mut self) -> ThinkingReplay {
        const KEY: &str = "thinking_replay";
        let Some(value) = self.value(KEY) else { return ThinkingReplay::default() };
        let matches = |one: &ThinkingReplay| value.as_str() == Some(one.name());
        if let Some(one) = ThinkingReplay::ALL.into_iter().find(matches) {
            return one;
        }
        let names: Vec<&str> = ThinkingReplay::ALL.into_iter().map(ThinkingReplay::name).collect();
        let hint = did_you_mean(value.as_str().unwrap_or_default(), names.iter().copied());
        let names = names.join(", ");
        self.report_wrong(
            KEY,
            &value,
            localized!("write one of {names}", "请写其一：{names}").and(hint),
        );
        ThinkingReplay::default()
    }

    fn quirks(&mut self) -> Quirks {
        const KEY: &str = "apiQuirks";
        let words = match self.value(KEY) {
            None => return Quirks::NONE,
            Some(Value::Array(words)) => words,
            Some(one) => vec![one],
        };
        words.iter().filter_map(|word| self.quirk(KEY, word)).collect()
    }

    fn quirk(&mut self, key: &str, word: &Value) -> Option<Quirk> {
        let text = word.as_str().map(str::trim).unwrap_or_default();
        let known = Quirk::ALL.into_iter().find(|quirk| quirk.name() == text);
        if known.is_none() && !WITHOUT_EFFECT.contains(&text) {
            let names: Vec<&str> = Quirk::ALL.into_iter().map(Quirk::name).collect();
            let hint = did_you_mean(text, names.iter().copied());
            let names = names.join(", ");
            let fix = localized!("write some of {names}", "请从中选写：{names}").and(hint);
            self.report_wrong(key, word, fix);
        }
        known
    }
}
