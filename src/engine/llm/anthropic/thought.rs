//! The stored form of thoughts. A vendor accepts a thought only unchanged and with its own signature. The
//! text is stored in the summary, which all protocols read; the data of this protocol is stored below a
//! key of its own, so that no other protocol sends it.

use serde_json::{Value, json};

/// The key for the data of this protocol.
pub(crate) const KEY: &str = "anthropic";

/// A thought as it is sent back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum VendorThought<'a> {
    Signed {
        text: &'a str,
        signature: &'a str,
    },
    /// An encrypted thought.
    Redacted {
        data: &'a str,
    },
}

/// The payload of a thought; `None` if it is empty.
pub(super) fn payload_of(thought: VendorThought<'_>, vendor: &str) -> Option<Value> {
    let (summary, vendor_data) = match thought {
        VendorThought::Signed { text: "", signature: "" }
        | VendorThought::Redacted { data: "" } => {
            return None;
        }
        VendorThought::Signed { text, signature } => {
            let summary = json!([{ "type": "summary_text", "text": text }]);
            let summary = if text.is_empty() { json!([]) } else { summary };
            (summary, json!({ "vendor": vendor, "signature": signature }))
        }
        VendorThought::Redacted { data } => {
            (json!([]), json!({ "vendor": vendor, "redacted": data }))
        }
    };
    Some(json!({ "summary": summary, KEY: vendor_data }))
}

impl<'a> VendorThought<'a> {
    /// Reads a payload; `None` if it is of another protocol or vendor.
    pub(super) fn of(payload: &'a Value, vendor: &str) -> Option<Self> {
        let vendor_data = payload.get(KEY)?;
        let text = |value: &'a Value, key: &str| value.get(key).and_then(Value::as_str);
        if text(vendor_data, "vendor") != Some(vendor) {
            return None;
        }
        if let Some(data) = text(vendor_data, "redacted") {
            return Some(Self::Redacted { data });
        }
        let signature = text(vendor_data, "signature")?;
        let summary = payload.get("summary").and_then(|summary| summary.get(0));
        let text = summary.and_then(|part| text(part, "text")).unwrap_or_default();
        Some(Self::Signed { text, signature })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_thought_is_sent_back_unchanged() {
        for thought in [
            VendorThought::Signed { text: "hm", signature: "s" },
            VendorThought::Signed { text: "", signature: "s" },
            VendorThought::Signed { text: " \nhm ", signature: "" },
            VendorThought::Redacted { data: "x" },
        ] {
            let payload = payload_of(thought, "v").unwrap();
            assert!(payload["summary"].is_array(), "{payload}");
            assert_eq!(VendorThought::of(&payload, "v"), Some(thought));
            assert_eq!(VendorThought::of(&payload, "w"), None, "of another vendor");
        }
        assert_eq!(payload_of(VendorThought::Signed { text: "", signature: "" }, "v"), None);
        for other in [json!({"summary": []}), json!("x"), json!({"anthropic": {}}), json!(null)] {
            assert_eq!(VendorThought::of(&other, "v"), None, "{other}");
        }
    }
}
