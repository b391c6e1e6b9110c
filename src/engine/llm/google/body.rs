//! The body of a request.

use serde::Serialize;
use serde_json::Value;

use super::contents::{Content, Part, Role, contents};
use crate::domain::Thinking;
use crate::llm::request::{ModelParams, Request, ToolSchema};

/// The request body. Unset options are omitted.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GenerateBody<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<Content<'a>>,
    contents: Vec<Content<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    generation_config: GenerationConfig,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
enum Tool<'a> {
    FunctionDeclarations(Vec<Declaration<'a>>),
    GoogleSearch {},
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Declaration<'a> {
    name: &'a str,
    description: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters_json_schema: Option<&'a Value>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct GenerationConfig {
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_mime_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_config: Option<ThinkingConfig>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ThinkingConfig {
    include_thoughts: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_budget: Option<u32>,
}

impl<'a> GenerateBody<'a> {
    pub(super) fn new(request: &'a Request, max_result_chars: usize, vendor: &'a str) -> Self {
        let params = &request.params;
        let system = Some(request.system.as_str()).filter(|text| !text.trim().is_empty());
        let instruction = |text| Content { role: Role::User, parts: vec![Part::Text { text }] };
        let json = params.json_response && request.tools.is_empty();
        let unsigned = unsigned(&request.model);
        Self {
            system_instruction: system.map(instruction),
            contents: contents(&request.messages, max_result_chars, vendor, unsigned),
            tools: tools(request),
            generation_config: GenerationConfig {
                max_output_tokens: params.max_tokens,
                temperature: params.temperature,
                top_p: params.top_p,
                response_mime_type: json.then_some("application/json"),
                thinking_config: thinking(params),
            },
        }
    }
}

/// What the API documents for a call that it did not write itself. From Gemini 3 on, models refuse a call without a
/// signature; the ones before want none.
fn unsigned(model: &str) -> Option<&'static str> {
    let version = model.rsplit('/').next()?.strip_prefix("gemini-")?;
    (!version.starts_with(['1', '2'])).then_some("skip_thought_signature_validator")
}

/// The protocol takes a search, as it takes answers in JSON, only from who offers no tools.
fn tools(request: &Request) -> Vec<Tool<'_>> {
    let declarations: Vec<Declaration> = request.tools.iter().map(Declaration::of).collect();
    if !declarations.is_empty() {
        vec![Tool::FunctionDeclarations(declarations)]
    } else if request.params.google_search {
        vec![Tool::GoogleSearch {}]
    } else {
        Vec::new()
    }
}

impl<'a> Declaration<'a> {
    fn of(tool: &'a ToolSchema) -> Self {
        let schema = Some(&tool.parameters).filter(|schema| schema.is_object());
        Self { name: &tool.name, description: &tool.description, parameters_json_schema: schema }
    }
}

fn thinking(params: &ModelParams) -> Option<ThinkingConfig> {
    let thinking_budget = match (&params.thinking, params.thinking_budget) {
        (Some(Thinking::Off), _) => Some(0),
        (None, None) => return None,
        (_, budget) => budget,
    };
    Some(ThinkingConfig { include_thoughts: thinking_budget != Some(0), thinking_budget })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::llm::canned::request;
    use crate::llm::request::Message;

    fn body(change: impl FnOnce(&mut Request)) -> Value {
        let mut request = request();
        change(&mut request);
        serde_json::to_value(GenerateBody::new(&request, 100, "v")).unwrap()
    }

    fn tool(parameters: Value) -> ToolSchema {
        ToolSchema { name: "t".to_owned(), description: "does".to_owned(), parameters }
    }

    #[test]
    fn what_is_not_set_is_not_sent() {
        let hi = json!([{"role": "user", "parts": [{"text": "hi"}]}]);
        let sent = body(|request| request.system = " ".to_owned());
        assert_eq!(sent, json!({"contents": hi, "generationConfig": {}}));
    }

    #[test]
    fn what_is_set_is_sent() {
        let schema = json!({"type": "object", "additionalProperties": false});
        let sent = body(|request| {
            request.tools = vec![tool(schema.clone()), tool(json!(null))];
            request.params.max_tokens = Some(5);
            request.params.temperature = Some(0.5);
            request.params.top_p = Some(0.25);
        });
        assert_eq!(sent["systemInstruction"]["parts"], json!([{"text": "be kind"}]));
        let with_schema =
            json!({"name": "t", "description": "does", "parametersJsonSchema": schema});
        let without = json!({"name": "t", "description": "does"});
        assert_eq!(sent["tools"], json!([{"functionDeclarations": [with_schema, without]}]));
        let config = json!({"maxOutputTokens": 5, "temperature": 0.5, "topP": 0.25});
        assert_eq!(sent["generationConfig"], config);
    }

    #[test]
    fn a_call_without_a_signature_says_so_to_models_that_refuse_it_otherwise() {
        let skipped = json!("skip_thought_signature_validator");
        for (model, expected) in [
            ("gemini-3.1-pro", &skipped),
            ("models/gemini-flash-latest", &skipped),
            ("gemini-2.5-pro", &Value::Null),
            ("m", &Value::Null),
        ] {
            let sent = body(|request| {
                request.model = model.to_owned();
                let [id, name, arguments] = ["a", "f", "{}"].map(str::to_owned);
                request.messages.push(Message::Call { id, name, arguments });
            });
            assert_eq!(&sent["contents"][1]["parts"][0]["thoughtSignature"], expected, "{model}");
        }
    }

    #[test]
    fn thinking_is_asked_for_with_its_budget_and_its_text() {
        for (thinking, budget, expected) in [
            (None, None, json!(null)),
            (Some(Thinking::On), None, json!({"includeThoughts": true})),
            (None, Some(9), json!({"includeThoughts": true, "thinkingBudget": 9})),
            (Some(Thinking::On), Some(9), json!({"includeThoughts": true, "thinkingBudget": 9})),
            (Some(Thinking::On), Some(0), json!({"includeThoughts": false, "thinkingBudget": 0})),
            (Some(Thinking::Off), Some(9), json!({"includeThoughts": false, "thinkingBudget": 0})),
        ] {
            let sent = body(|request| {
                request.params.thinking.clone_from(&thinking);
                request.params.thinking_budget = budget;
            });
            let found = sent["generationConfig"].get("thinkingConfig").cloned();
            assert_eq!(found.unwrap_or_default(), expected, "{thinking:?} {budget:?}");
        }
    }

    #[test]
    fn a_search_and_an_answer_in_json_are_asked_for_only_where_no_tools_are_offered() {
        for (tools, search, json) in [
            (Vec::new(), json!([{"googleSearch": {}}]), json!("application/json")),
            (
                vec![tool(json!(null))],
                json!([{"functionDeclarations": [{"name": "t", "description": "does"}]}]),
                json!(null),
            ),
        ] {
            let sent = body(|request| {
                request.tools = tools;
                request.params.google_search = true;
                request.params.json_response = true;
            });
            assert_eq!(sent["tools"], search);
            assert_eq!(sent["generationConfig"]["responseMimeType"], json);
        }
    }
}
