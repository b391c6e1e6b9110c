//! The HTTP client of a server. What comes back for a request is its answer: if that cannot be read, or does not say
//! what it answers, this request fails, at once, and no other.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::{StreamExt as _, TryStream, stream};
use reqwest::Client;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::transport::common::client_side_sse::BoxedSseResponse;
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};
use serde_json::Value;

use super::message_filter::{MAX_BYTES, messages_for};
use super::reading::unreadable;

type Event = <BoxedSseResponse as TryStream>::Ok;
type Headers = HashMap<HeaderName, HeaderValue>;
type HttpError = StreamableHttpError<reqwest::Error>;

/// A client whose answers can be read.
#[derive(Debug, Clone)]
pub(super) struct AnsweringClient(pub Client);

impl StreamableHttpClient for AnsweringClient {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        authorization: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        self.post_message_with_max_sse_event_size(
            uri,
            message,
            session,
            authorization,
            headers,
            MAX_BYTES,
        )
        .await
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        authorization: Option<String>,
        headers: Headers,
        max_bytes: usize,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        let request = match &message {
            JsonRpcMessage::Request(request) => Some(request.id.clone()),
            JsonRpcMessage::Response(_)
            | JsonRpcMessage::Notification(_)
            | JsonRpcMessage::Error(_) => None,
        };
        let posted = self.0.post_message_with_max_sse_event_size(
            uri,
            message,
            session,
            authorization,
            headers,
            max_bytes,
        );
        Ok(match posted.await? {
            StreamableHttpPostResponse::Json(answer, session) => {
                StreamableHttpPostResponse::Json(named(answer, request), session)
            }
            StreamableHttpPostResponse::Sse(events, session) => {
                StreamableHttpPostResponse::Sse(readable(events, request), session)
            }
            StreamableHttpPostResponse::Accepted => StreamableHttpPostResponse::Accepted,
            other => other,
        })
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        authorization: Option<String>,
        headers: Headers,
    ) -> Result<BoxedSseResponse, HttpError> {
        self.get_stream_with_max_sse_event_size(
            uri,
            session,
            last_event,
            authorization,
            headers,
            MAX_BYTES,
        )
        .await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        authorization: Option<String>,
        headers: Headers,
        max_bytes: usize,
    ) -> Result<BoxedSseResponse, HttpError> {
        let opened = self.0.get_stream_with_max_sse_event_size(
            uri,
            session,
            last_event,
            authorization,
            headers,
            max_bytes,
        );
        Ok(readable(opened.await?, None))
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        authorization: Option<String>,
        headers: Headers,
    ) -> Result<(), HttpError> {
        self.0.delete_session(uri, session, authorization, headers).await
    }
}

/// The answer in the body for a request. Ids of requests are numbers: an answer with another one names none.
fn named(mut answer: ServerJsonRpcMessage, request: Option<RequestId>) -> ServerJsonRpcMessage {
    let Some(request) = request else { return answer };
    match &mut answer {
        JsonRpcMessage::Response(response) if !matches!(response.id, RequestId::Number(_)) => {
            response.id = request;
        }
        JsonRpcMessage::Error(error) if !matches!(error.id, Some(RequestId::Number(_))) => {
            error.id = Some(request);
        }
        JsonRpcMessage::Request(_)
        | JsonRpcMessage::Notification(_)
        | JsonRpcMessage::Response(_)
        | JsonRpcMessage::Error(_) => {}
    }
    answer
}

/// The events of a stream that was opened for a request, or for none.
fn readable(events: BoxedSseResponse, request: Option<RequestId>) -> BoxedSseResponse {
    let asked = request.map_or(Value::Null, RequestId::into_json_value);
    events.flat_map(move |event| stream::iter(parts(event, &asked))).boxed()
}

/// The messages of an event, each in an event of its own.
fn parts(event: Result<Event, SseError>, asked: &Value) -> Vec<Result<Event, SseError>> {
    let event = match event {
        Ok(event) => event,
        // A connection that broke may be resumed. One that brings what cannot be read would bring it again.
        Err(error) if asked.is_null() || matches!(error, SseError::Body(_)) => {
            return vec![Err(error)];
        }
        Err(error) => {
            let answer = unreadable(asked, &error.to_string());
            return vec![Ok(Event::default().data(answer.to_string()))];
        }
    };
    let is_message = matches!(event.event.as_deref(), None | Some("" | "message"));
    let messages = match &event.data {
        Some(data) if is_message && !data.trim().is_empty() => messages_for(asked, data),
        Some(_) | None => return vec![Ok(event)],
    };
    if messages.is_empty() {
        // Its id counts also if it says nothing.
        let mut silent = event;
        silent.data = None;
        return vec![Ok(silent)];
    }
    messages.into_iter().map(|message| Ok(event.clone().data(message))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn data(part: &Result<Event, SseError>) -> Option<Value> {
        let data = part.as_ref().unwrap().data.as_ref();
        data.map(|text| serde_json::from_str(text).unwrap())
    }

    #[test]
    fn an_event_that_cannot_be_read_is_the_answer_to_the_request_of_its_stream() {
        for text in [
            r#"{"jsonrpc":"2.0","result":{"content":[{"ty"#,
            r#"{"jsonrpc":"2.0","id":3,"result":{"a":NaN}}"#,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}"#,
            r#"{"jsonrpc":"2.0","id":3,"error":null}"#,
        ] {
            let read = parts(Ok(Event::default().id("9").data(text)), &json!(3));
            assert_eq!(read.len(), 1);
            let answer = data(&read[0]).unwrap();
            assert_eq!((&answer["id"], answer.get("error").is_some()), (&json!(3), true), "{text}");
            assert_eq!(read[0].as_ref().unwrap().id.as_deref(), Some("9"));
        }
        let lost = parts(Ok(Event::default().data(r#"{"jsonrpc":"2.0","resu"#)), &Value::Null);
        assert_eq!(data(&lost[0]).unwrap()["id"], json!(null));
        let broken = parts(Err(SseError::InvalidLine), &json!(3));
        assert_eq!(data(&broken[0]).unwrap()["id"], 3);
    }

    #[test]
    fn what_is_no_answer_and_a_broken_connection_fail_no_request() {
        for (event, text) in [
            ("message", "keepalive"),
            ("message", r#"{"jsonrpc":"2.0","method":"notifications/message","params":NaN}"#),
            ("message", "[]"),
        ] {
            let read = parts(Ok(Event::default().event(event).id("9").data(text)), &json!(3));
            let [Ok(silent)] = read.as_slice() else { panic!("{text}") };
            assert_eq!((silent.data.as_deref(), silent.id.as_deref()), (None, Some("9")), "{text}");
        }
        let ping = parts(Ok(Event::default().event("ping").data("{")), &json!(3));
        assert_eq!(ping[0].as_ref().unwrap().data.as_deref(), Some("{"));
        for (error, asked) in
            [(SseError::Body("reset".into()), json!(3)), (SseError::InvalidLine, json!(null))]
        {
            assert!(parts(Err(error), &asked)[0].is_err());
        }
    }

    #[test]
    fn the_parts_of_a_batch_are_events_of_their_own() {
        let batch = r#"[{"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","id":3,"result":{}}]"#;
        let read = parts(Ok(Event::default().data(batch)), &json!(3));
        assert_eq!(read.len(), 2);
        assert_eq!(data(&read[1]).unwrap(), json!({"jsonrpc": "2.0", "id": 3, "result": {}}));
    }

    #[test]
    fn an_answer_that_names_no_request_answers_the_one_it_came_for() {
        let error = json!({"code": -32600, "message": "m"});
        for (id, expected) in [
            (json!(null), json!(3)),
            (json!("server-error"), json!(3)),
            (json!("3"), json!(3)),
            (json!(4), json!(4)),
        ] {
            let answer = json!({"jsonrpc": "2.0", "id": id, "error": error});
            let answer = named(serde_json::from_value(answer).unwrap(), Some(RequestId::Number(3)));
            assert_eq!(serde_json::to_value(answer).unwrap()["id"], expected);
        }
        let error = json!({"jsonrpc": "2.0", "id": null, "error": error});
        let to_none = named(serde_json::from_value(error).unwrap(), None);
        assert!(matches!(to_none, JsonRpcMessage::Error(error) if error.id.is_none()));
    }
}
