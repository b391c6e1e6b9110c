//! Prices of models: `prices`, by the name of the model, for a million tokens.

use serde_json::Value;

use crate::domain::reading::usage::{Price, Prices, Rate};
use crate::domain::text::{Localized, Text, localized};

/// Most models that have a price.
const MAX_MODELS: usize = 1_000;
/// The kinds of tokens that have a price.
const NAMES: [&str; 3] = ["input", "output", "cached"];

/// An invalid price: its keys, the problem, and the fix.
#[derive(Debug)]
pub(super) struct PriceFault {
    pub keys: Vec<String>,
    pub text: Localized,
    pub fix: Localized,
}

impl PriceFault {
    fn new(keys: &[&str], text: impl Into<Localized>, fix: Text) -> Self {
        let keys = ["prices"].iter().chain(keys).map(|key| (*key).to_owned()).collect();
        Self { keys, text: text.into(), fix: fix.into() }
    }
}

/// Returns the prices in a file, and its faults. A model with an invalid price has none.
pub(super) fn read(value: &Value) -> (Prices, Vec<PriceFault>) {
    let (mut prices, mut faults) = (Prices::default(), Vec::new());
    match value.get("prices") {
        None | Some(Value::Null) => {}
        Some(Value::Object(models)) if models.len() <= MAX_MODELS => {
            for (model, given) in models {
                match read_price(model, given) {
                    Ok(price) => prices.set(model.clone(), price),
                    Err(fault) => faults.push(fault),
                }
            }
        }
        Some(_) => {
            let text = Text::new("expected a mapping of models", "应为模型的映射");
            let fix = Text::new(
                "write each model with its prices: my-model: { input: 3, output: 15 }",
                "请为每个模型写上价格：my-model: { input: 3, output: 15 }",
            );
            faults.push(PriceFault::new(&[], text, fix));
        }
    }
    (prices, faults)
}

fn read_price(model: &str, given: &Value) -> Result<Price, PriceFault> {
    let example = Text::new("write { input: 3, output: 15 }", "请写 { input: 3, output: 15 }");
    let Some(entries) = given.as_object() else {
        let text = localized!("{model:?} has no prices", "{model:?} 没有价格");
        return Err(PriceFault::new(&[model], text, example));
    };
    if let Some(key) = entries.keys().find(|key| !NAMES.contains(&key.as_str())) {
        let text = localized!("unknown price {key:?}", "未知的价格 {key:?}");
        let fix = Text::new(
            "remove it; there are input, output, cached",
            "请删除；可用的有 input, output, cached",
        );
        return Err(PriceFault::new(&[model, key], text, fix));
    }
    let read = |name: &str| match entries.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(number) => read_rate(&[model, name], number).map(Some),
    };
    let (input, output, cached) = (read("input")?, read("output")?, read("cached")?);
    let (Some(input), Some(output)) = (input, output) else {
        let text = localized!("{model:?} needs input and output", "{model:?} 需要 input 和 output");
        return Err(PriceFault::new(&[model], text, example));
    };
    Ok(Price { input, output, cached })
}

fn read_rate(keys: &[&str], number: &Value) -> Result<Rate, PriceFault> {
    let rate = number.is_number().then(|| Rate::parse(&number.to_string())).flatten();
    rate.ok_or_else(|| {
        let name = keys.last().copied().unwrap_or_default();
        let text = localized!("`{name}` cannot be {number}", "`{name}` 不能是 {number}");
        let fix = Text::new(
            "write a number from 0 to 1000000 with at most six decimals",
            "请写 0 到 1000000 的数，最多六位小数",
        );
        PriceFault::new(keys, text, fix)
    })
}
