//! Thoughts as they are kept. A vendor takes a thought back only as it gave it, with its own signature.
//! The text stands in the summary, where others read it; what only this protocol understands stands
//! below a key of its own, so that nobody else sends it anywhere.

use serde_json::{Value, json};

/// The key below which this protocol keeps its part.
pub(crate) const KEY: &str = "anthropic";

/// A thought as it is sent back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Thought<'a> {
    Signed {
        text: &'a str,
        signature: &'a str,
    },
    /// One that only the provider can read.
    Redacted {
        data: &'a str,
    },
}

/// What is kept of a thought; `None` if there is nothing to keep.
pub(super) fn keep(thought: Thought<'_>, vendor: &str) -> Option<Value> {
    let (summary, own) = match thought {
        Thought::Signed { text: "", signature: "" } | Thought::Redacted { data: "" } => {
            return None;
        }
        Thought::Signed { text, signature } => {
            let summary = json!([{ "type": "summary_text", "text": text }]);
            let summary = if text.is_empty() { json!([]) } else { summary };
            (summary, json!({ "vendor": vendor, "signature": signature }))
        }
        Thought::Redacted { data } => (json!([]), json!({ "vendor": vendor, "redacted": data })),
    };
    Some(json!({ "summary": summary, KEY: own }))
}

impl<'a> Thought<'a> {
    /// What was kept; `None` where another protocol kept it, or another vendor gave it.
    pub(super) fn of(payload: &'a Value, vendor: &str) -> Option<Self> {
        let own = payload.get(KEY)?;
        let text = |value: &'a Value, key: &str| value.get(key).and_then(Value::as_str);
        if text(own, "vendor") != Some(vendor) {
            return None;
        }
        if let Some(data) = text(own, "redacted") {
            return Some(Self::Redacted { data });
        }
        let signature = text(own, "signature")?;
        let summary = payload.get("summary").and_then(|summary| summary.get(0));
        let text = summary.and_then(|part| text(part, "text")).unwrap_or_default();
        Some(Self::Signed { text, signature })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_what_is_sent_back() {
        for thought in [
            Thought::Signed { text: "hm", signature: "s" },
            Thought::Signed { text: "", signature: "s" },
            Thought::Signed { text: " \nhm ", signature: "" },
            Thought::Redacted { data: "x" },
        ] {
            let kept = keep(thought, "v").unwrap();
            assert!(kept["summary"].is_array(), "{kept}");
            assert_eq!(Thought::of(&kept, "v"), Some(thought));
            assert_eq!(Thought::of(&kept, "w"), None, "of another vendor");
        }
        assert_eq!(keep(Thought::Signed { text: "", signature: "" }, "v"), None);
        for foreign in [json!({"summary": []}), json!("x"), json!({"anthropic": {}}), json!(null)] {
            assert_eq!(Thought::of(&foreign, "v"), None, "{foreign}");
        }
    }
}
