//! Tokens of generations as their records have them, and what they cost by the prices of the user.
//!
//! A cost is computed with whole numbers: a price has at most six decimals, so nothing is rounded before it is shown.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::domain::dialogs::record::{Entry, Record};
use crate::domain::models::context_health::{ContextHealth, ContextLimits, HealthLevel};
use crate::domain::number::{Course, Genseq};
use crate::domain::time::Stamp;

/// Decimals of a price.
const DECIMALS: usize = 6;
/// The highest price, in its unit.
const MAX_PRICE: u64 = 1_000_000;
/// 10 to the power of [`DECIMALS`]; also the number of tokens that a price is for.
const MILLION: u128 = 1_000_000;

/// Numbers of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tokens {
    /// All of the prompts, also what came from the provider's cache.
    pub input: u64,
    /// The part of `input` that came from the cache, as far as it is recorded.
    pub cached: u64,
    pub output: u64,
}

impl Tokens {
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            cached: self.cached.saturating_add(other.cached),
            output: self.output.saturating_add(other.output),
        }
    }
}

/// What a generation used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GenerationUsage {
    pub at: Stamp,
    pub course: Course,
    pub genseq: Option<Genseq>,
    /// The model, as its provider named it.
    pub model: Option<String>,
    /// `None` where nothing was counted.
    pub tokens: Option<Tokens>,
    /// What the model may take, if known.
    pub limits: Option<ContextLimits>,
    /// The level of that usage.
    pub level: Option<HealthLevel>,
}

impl GenerationUsage {
    /// Reads the record of the end of a generation; `None` for other records.
    #[must_use]
    pub fn of_record(course: Course, entry: &Entry) -> Option<Self> {
        let Record::GenFinish { context_health, llm_gen_model } = &entry.record else {
            return None;
        };
        let (tokens, limits) = match context_health {
            None => (None, None),
            Some(ContextHealth::Unavailable { limits, .. }) => (None, limits.clone()),
            Some(ContextHealth::Available {
                prompt_tokens,
                completion_tokens,
                cached_tokens,
                limits,
                ..
            }) => {
                let cached = cached_tokens.unwrap_or(0).min(*prompt_tokens);
                let tokens = Tokens { input: *prompt_tokens, cached, output: *completion_tokens };
                (Some(tokens), Some(limits.clone()))
            }
        };
        let level = context_health.as_ref().and_then(ContextHealth::level);
        let (at, genseq, model) = (entry.ts.clone(), entry.genseq, llm_gen_model.clone());
        Some(Self { at, course, genseq, model, tokens, limits, level })
    }

    /// How full the context was, in percent of what the model may take; above 100 counts as 100.
    #[must_use]
    pub fn percent(&self) -> Option<u64> {
        let limit = self.limits.as_ref()?.model_context_limit_tokens.max(1);
        Some((self.tokens?.input.saturating_mul(100) / limit).min(100))
    }
}

/// The tokens of several generations.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct UsageSum {
    pub generations: usize,
    /// Number of generations without counted tokens.
    pub uncounted: usize,
    /// By the model that used them; without a name where the provider gave none.
    pub by_model: BTreeMap<String, Tokens>,
}

impl UsageSum {
    pub fn add(&mut self, usage: &GenerationUsage) {
        self.generations += 1;
        let Some(tokens) = usage.tokens else {
            self.uncounted += 1;
            return;
        };
        let model = usage.model.clone().unwrap_or_default();
        let sum = self.by_model.entry(model).or_default();
        *sum = sum.plus(tokens);
    }

    pub fn add_all(&mut self, other: &Self) {
        self.generations += other.generations;
        self.uncounted += other.uncounted;
        for (model, tokens) in &other.by_model {
            let sum = self.by_model.entry(model.clone()).or_default();
            *sum = sum.plus(*tokens);
        }
    }

    /// The tokens of all models.
    #[must_use]
    pub fn tokens(&self) -> Tokens {
        self.by_model.values().fold(Tokens::default(), |sum, tokens| sum.plus(*tokens))
    }

    /// The cost of the tokens that have a price; `None` if none have one.
    #[must_use]
    pub fn cost(&self, prices: &Prices) -> Option<Cost> {
        let known = self
            .by_model
            .iter()
            .filter_map(|(model, tokens)| prices.of(model).map(|price| price.cost(*tokens)));
        known.reduce(Cost::plus)
    }

    /// The models without a price.
    pub fn without_price<'a>(&'a self, prices: &'a Prices) -> impl Iterator<Item = &'a str> {
        self.by_model.keys().map(String::as_str).filter(|model| prices.of(model).is_none())
    }
}

/// A price for a million tokens, in millionths of its unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate(u64);

impl Rate {
    /// A number from 0 to 1,000,000 with at most six decimals.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
        let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty()
            || decimals.len() > DECIMALS
            || !is_digits(whole)
            || !is_digits(decimals)
        {
            return None;
        }
        let whole: u64 = whole.parse().ok()?;
        let decimals: u64 = format!("{decimals:0<DECIMALS$}").parse().ok()?;
        let rate = whole.checked_mul(1_000_000)?.checked_add(decimals)?;
        (rate <= MAX_PRICE * 1_000_000).then_some(Self(rate))
    }
}

/// The prices of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    pub input: Rate,
    pub output: Rate,
    /// The rate of cached input; as `input` if it is not set.
    pub cached: Option<Rate>,
}

impl Price {
    fn cost(&self, tokens: Tokens) -> Cost {
        let part = |tokens: u64, rate: Rate| u128::from(tokens) * u128::from(rate.0);
        let cached = tokens.cached.min(tokens.input);
        Cost(
            part(tokens.input - cached, self.input)
                + part(cached, self.cached.unwrap_or(self.input))
                + part(tokens.output, self.output),
        )
    }
}

/// The prices of the user, by model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prices(BTreeMap<String, Price>);

impl Prices {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn set(&mut self, model: String, price: Price) {
        self.0.insert(model, price);
    }

    fn of(&self, model: &str) -> Option<&Price> {
        self.0.get(model)
    }
}

/// An amount in the unit of the prices; shown with two decimals, or four below 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cost(u128);

impl Cost {
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = MILLION * MILLION;
        let (decimals, parts) = if self.0 < unit { (4, 10_000) } else { (2, 100) };
        let rounded = (self.0.saturating_mul(parts) + unit / 2) / unit;
        write!(f, "{}.{:0decimals$}", rounded / parts, rounded % parts)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn price(input: &str, output: &str, cached: Option<&str>) -> Price {
        let rate = |text| Rate::parse(text).expect("a price");
        Price { input: rate(input), output: rate(output), cached: cached.map(rate) }
    }

    fn finish(health: &str) -> GenerationUsage {
        let line = format!(
            r#"{{"ts":"2026-11-21 12:00:00","type":"gen_finish_record","genseq":3,"llmGenModel":"m"{health}}}"#
        );
        let entry = Entry::parse(&line).expect("a record");
        GenerationUsage::of_record(Course(2), &entry).expect("an end")
    }

    fn available(prompt: u64, cached: &str) -> String {
        format!(
            r#","contextHealth":{{"kind":"available","promptTokens":{prompt},"completionTokens":20,"totalTokens":9{cached},"modelContextLimitTokens":1000,"effectiveOptimalMaxTokens":1,"effectiveCriticalMaxTokens":1,"hardUtil":0.1,"optimalUtil":0.1,"level":"healthy"}}"#
        )
    }

    #[test]
    fn the_end_of_a_generation_says_what_it_used_as_far_as_it_was_counted() {
        let counted = finish(&available(400, r#","cachedTokens":300"#));
        assert_eq!(counted.tokens, Some(Tokens { input: 400, cached: 300, output: 20 }));
        assert_eq!((counted.percent(), counted.model.as_deref()), (Some(40), Some("m")));
        let more_cached_than_there_is = finish(&available(400, r#","cachedTokens":900"#));
        assert_eq!(more_cached_than_there_is.tokens.map(|tokens| tokens.cached), Some(400));
        assert_eq!(finish(&available(5_000, "")).percent(), Some(100));
        let stopped = finish("");
        assert_eq!((stopped.tokens, stopped.percent()), (None, None));
        let mut sum = UsageSum::default();
        sum.add(&counted);
        sum.add(&stopped);
        assert_eq!((sum.generations, sum.uncounted, sum.tokens().input), (2, 1, 400));
    }

    #[test]
    fn a_cost_is_the_sum_of_what_each_kind_of_token_costs() {
        let tokens = Tokens { input: 1_000_000, cached: 600_000, output: 200_000 };
        for (price, expected) in [
            (price("3", "15", Some("0.3")), "4.38"),
            (price("3", "15", None), "6.00"),
            (price("0", "0.000001", None), "0.0000"),
            (price("0.1", "0", Some("0")), "0.0400"),
        ] {
            assert_eq!(price.cost(tokens).to_string(), expected, "{price:?}");
        }
    }

    #[test]
    fn what_has_no_price_is_named_and_not_invented() {
        let mut sum = UsageSum::default();
        let tokens = Tokens { input: 1_000_000, cached: 0, output: 0 };
        for model in ["a", "b"] {
            sum.by_model.insert(model.to_owned(), tokens);
        }
        let mut prices = Prices::default();
        assert_eq!(sum.cost(&prices), None);
        prices.set("a".to_owned(), price("2", "1", None));
        assert_eq!(sum.cost(&prices).map(|cost| cost.to_string()).as_deref(), Some("2.00"));
        assert_eq!(sum.without_price(&prices).collect::<Vec<_>>(), ["b"]);
    }

    #[test]
    fn a_price_is_a_plain_number() {
        for (text, expected) in [
            ("3", Some(3_000_000)),
            ("0.075", Some(75_000)),
            ("1000000", Some(1_000_000_000_000)),
            ("1000000.1", None),
            ("0.0000001", None),
            ("-1", None),
            ("1e3", None),
            (".5", None),
            ("", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(Rate::parse(text), expected.map(Rate), "{text}");
        }
    }

    proptest! {
        #[test]
        fn sums_do_not_depend_on_how_generations_are_grouped(
            all in proptest::collection::vec((0u8..3, 0u64..1_000_000, 0u64..1_000_000), 0..30),
            cut in 0usize..30,
        ) {
            let mut prices = Prices::default();
            prices.set("m0".to_owned(), price("3", "15", Some("0.3")));
            prices.set("m1".to_owned(), price("0.25", "1", None));
            let (mut whole, mut first, mut second) =
                (UsageSum::default(), UsageSum::default(), UsageSum::default());
            for (n, (model, input, output)) in all.iter().enumerate() {
                let tokens = Some(Tokens { input: *input, cached: input / 2, output: *output });
                let usage = GenerationUsage {
                    tokens,
                    model: Some(format!("m{model}")),
                    ..finish("")
                };
                whole.add(&usage);
                if n < cut { first.add(&usage) } else { second.add(&usage) }
            }
            first.add_all(&second);
            prop_assert_eq!(first.cost(&prices), whole.cost(&prices));
            prop_assert_eq!(first, whole);
        }
    }
}
