//! How full a model's context is: what was measured after a generation, what the model was told about it
//! ([`ContextPressure`]), and whether a new course helps ([`ContextRefusals`]).

mod pressure;
mod refusals;

use serde::{Deserialize, Serialize};

pub use pressure::{AfterLastCall, ContextAction, ContextPressure};
pub use refusals::ContextRefusals;

/// Soft limit where the model states none, in tokens (Dominds 1.19.2).
const DEFAULT_OPTIMAL_TOKENS: u64 = 100_000;
/// Critical limit where the model states none, in tenths of the context (Dominds 1.19.2).
const DEFAULT_CRITICAL_TENTHS: u64 = 9;

/// The snapshot a `gen_finish_record` carries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum ContextHealth {
    Unavailable {
        reason: String,
        #[serde(flatten)]
        limits: Option<ContextLimits>,
    },
    #[serde(rename_all = "camelCase")]
    Available {
        prompt_tokens: u64,
        completion_tokens: u64,
        total_tokens: u64,
        /// The part of the prompt that came from the provider's cache. An addition to the format of Dominds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cached_tokens: Option<u64>,
        #[serde(flatten)]
        limits: ContextLimits,
        hard_util: f64,
        optimal_util: f64,
        level: HealthLevel,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HealthLevel {
    Healthy,
    Caution,
    Critical,
}

impl HealthLevel {
    /// The name on disk and in `--json` output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Healthy => "healthy",
            Self::Caution => "caution",
            Self::Critical => "critical",
        }
    }
}

/// What a model may take, in tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextLimits {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_context_window_text: Option<String>,
    pub model_context_limit_tokens: u64,
    pub effective_optimal_max_tokens: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimal_max_tokens_configured: Option<u64>,
    pub effective_critical_max_tokens: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub critical_max_tokens_configured: Option<u64>,
}

impl ContextLimits {
    /// `None` where neither the context nor the input length is known.
    #[must_use]
    pub fn new(context: Option<u64>, optimal: Option<u64>, critical: Option<u64>) -> Option<Self> {
        let limit = context.filter(|tokens| *tokens > 0)?;
        let optimal = optimal.filter(|tokens| *tokens > 0);
        let critical = critical.filter(|tokens| *tokens > 0);
        Some(Self {
            model_context_window_text: None,
            model_context_limit_tokens: limit,
            effective_optimal_max_tokens: optimal.unwrap_or(DEFAULT_OPTIMAL_TOKENS),
            optimal_max_tokens_configured: optimal,
            effective_critical_max_tokens: critical
                .unwrap_or(limit.saturating_mul(DEFAULT_CRITICAL_TENTHS) / 10),
            critical_max_tokens_configured: critical,
        })
    }
}

impl ContextHealth {
    /// The snapshot after a generation that used `usage` = (prompt, completion, total) tokens.
    #[must_use]
    pub fn measure(limits: Option<ContextLimits>, usage: Option<(u64, u64, u64)>) -> Self {
        let Some(limits) = limits else {
            return Self::Unavailable { reason: "model_limit_unavailable".into(), limits: None };
        };
        let Some((prompt_tokens, completion_tokens, total_tokens)) = usage else {
            return Self::Unavailable { reason: "usage_unavailable".into(), limits: Some(limits) };
        };
        let level = if prompt_tokens > limits.effective_critical_max_tokens {
            HealthLevel::Critical
        } else if prompt_tokens > limits.effective_optimal_max_tokens {
            HealthLevel::Caution
        } else {
            HealthLevel::Healthy
        };
        Self::Available {
            prompt_tokens,
            completion_tokens,
            total_tokens,
            cached_tokens: None,
            hard_util: share(prompt_tokens, limits.model_context_limit_tokens),
            optimal_util: share(prompt_tokens, limits.effective_optimal_max_tokens),
            level,
            limits,
        }
    }

    /// Sets the number of prompt tokens that came from the provider's cache.
    ///
    /// 0 is not written: records without a cache stay as Dominds writes them.
    #[must_use]
    pub fn with_cached(mut self, cached: Option<u64>) -> Self {
        if let Self::Available { cached_tokens, .. } = &mut self {
            *cached_tokens = cached.filter(|tokens| *tokens > 0);
        }
        self
    }

    /// How full it is, if known.
    #[must_use]
    pub fn level(&self) -> Option<HealthLevel> {
        match self {
            Self::Unavailable { .. } => None,
            Self::Available { level, .. } => Some(*level),
        }
    }

    /// Used share of the context in whole percent, if known.
    #[must_use]
    pub fn percent(&self) -> Option<u8> {
        match self {
            Self::Unavailable { .. } => None,
            Self::Available { prompt_tokens, limits, .. } => {
                let limit = limits.model_context_limit_tokens.max(1);
                u8::try_from(prompt_tokens.saturating_mul(100) / limit).ok().or(Some(u8::MAX))
            }
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^52")]
fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_snapshot_has_the_fields_dominds_writes() {
        let health = ContextHealth::measure(
            ContextLimits::new(Some(100_000), None, None),
            Some((1010, 10, 1020)),
        );
        let expected = serde_json::json!({
            "kind": "available", "promptTokens": 1010, "completionTokens": 10, "totalTokens": 1020,
            "modelContextLimitTokens": 100_000, "effectiveOptimalMaxTokens": 100_000,
            "effectiveCriticalMaxTokens": 90_000, "hardUtil": 0.0101, "optimalUtil": 0.0101,
            "level": "healthy",
        });
        assert_eq!(serde_json::to_value(&health).unwrap(), expected);
        assert_eq!(serde_json::from_value::<ContextHealth>(expected).unwrap(), health);
        let unknown = ContextHealth::measure(None, Some((1, 2, 3)));
        assert_eq!(
            serde_json::to_value(&unknown).unwrap(),
            serde_json::json!({"kind": "unavailable", "reason": "model_limit_unavailable"})
        );
        assert_eq!(
            serde_json::from_value::<ContextHealth>(serde_json::to_value(&unknown).unwrap())
                .unwrap(),
            unknown
        );
    }

    #[test]
    fn cached_tokens_are_written_only_if_there_were_any() {
        let limits = ContextLimits::new(Some(100_000), None, None);
        let measured = ContextHealth::measure(limits, Some((1010, 10, 1020)));
        for none in [None, Some(0)] {
            assert_eq!(measured.clone().with_cached(none), measured);
        }
        let cached = serde_json::to_value(measured.with_cached(Some(7))).unwrap();
        assert_eq!(cached.get("cachedTokens"), Some(&serde_json::json!(7)));
    }

    #[test]
    fn the_level_follows_the_prompt() {
        for (prompt, expected) in [
            (100_000, HealthLevel::Healthy),
            (100_001, HealthLevel::Caution),
            (180_001, HealthLevel::Critical),
        ] {
            let limits = ContextLimits::new(Some(200_000), None, None);
            let ContextHealth::Available { level, .. } =
                ContextHealth::measure(limits, Some((prompt, 1, prompt + 1)))
            else {
                panic!("limits are known");
            };
            assert_eq!(level, expected, "{prompt}");
        }
    }
}
