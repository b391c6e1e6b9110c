//! Prices of models: `prices`, by the name of the model, for a million tokens.

use serde_json::Value;

use super::{ANY_MODEL, ConfigReport, names_in, remove_unknown};
use crate::domain::text::{Text, localized};
use crate::domain::usage::{Price, Prices, Rate};

/// Most models that have a price.
const MAX_MODELS: usize = 1_000;

/// A model whose prices are invalid has none.
pub(super) fn read(value: &Value, report: &mut ConfigReport<'_>) -> Prices {
    let mut prices = Prices::default();
    let models = match value.get("prices") {
        None | Some(Value::Null) => return prices,
        Some(Value::Object(models)) if models.len() <= MAX_MODELS => models,
        Some(_) => {
            let text = Text::new("expected a mapping of models", "应为模型的映射");
            let fix = Text::new(
                "write each model with its prices: my-model: { input: 3, output: 15 }",
                "请为每个模型写上价格：my-model: { input: 3, output: 15 }",
            );
            report.add(&["prices"], text, fix);
            return prices;
        }
    };
    for (model, given) in models {
        if let Some(price) = read_price(model, given, report) {
            prices.set(model.clone(), price);
        }
    }
    prices
}

fn read_price(model: &str, given: &Value, report: &mut ConfigReport<'_>) -> Option<Price> {
    let names = names_in(&["prices", ANY_MODEL]);
    let Some(entries) = given.as_object() else {
        let text = localized!("{model:?} has no prices", "{model:?} 没有价格");
        let fix = Text::new("write { input: 3, output: 15 }", "请写 { input: 3, output: 15 }");
        report.add(&["prices", model], text, fix);
        return None;
    };
    if let Some(key) = entries.keys().find(|key| !names.contains(&key.as_str())) {
        let text = localized!("unknown price {key:?}", "未知的价格 {key:?}");
        report.add(&["prices", model, key], text, remove_unknown(&names));
        return None;
    }
    let mut read = |name: &str| match entries.get(name) {
        None | Some(Value::Null) => Some(None),
        Some(number) => read_rate(&["prices", model, name], number, report).map(Some),
    };
    let [input, output, cached] = ["input", "output", "cached"].map(&mut read);
    let (input, output, cached) = (input?, output?, cached?);
    let (Some(input), Some(output)) = (input, output) else {
        let text = localized!("{model:?} needs input and output", "{model:?} 需要 input 和 output");
        let fix = Text::new("write { input: 3, output: 15 }", "请写 { input: 3, output: 15 }");
        report.add(&["prices", model], text, fix);
        return None;
    };
    Some(Price { input, output, cached })
}

fn read_rate(path: &[&str], number: &Value, report: &mut ConfigReport<'_>) -> Option<Rate> {
    let rate = number.is_number().then(|| Rate::parse(&number.to_string())).flatten();
    if rate.is_none() {
        let name = path.last().copied().unwrap_or_default();
        let text = localized!("`{name}` cannot be {number}", "`{name}` 不能是 {number}");
        let fix = Text::new(
            "write a number from 0 to 1000000 with at most six decimals",
            "请写 0 到 1000000 的数，最多六位小数",
        );
        report.add(path, text, fix);
    }
    rate
}
