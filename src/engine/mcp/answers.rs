//! A transport whose every request gets a readable answer: an error that names no request fails all pending
//! ones, and a malformed result is repaired.
//!
//! Such an error is meant for one of them. Which one is known only if no other waits: any of them may be the one whose
//! answer never comes, and would wait until its timeout. So all are told, also how many they are; the answers of the
//! others are dropped when they come.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ErrorCode, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage, ServerResult,
};
use rmcp::service::RoleClient;
use rmcp::transport::Transport;

use super::input::InputMeter;
use super::reading::repair_result;

#[derive(Debug)]
pub(super) struct Answers<T> {
    inner: T,
    /// Requests that were sent and not answered, and what was written before each, in bytes.
    waiting: HashMap<RequestId, u64>,
    /// The next messages to be received: at most an error for each pending request.
    next: VecDeque<ServerJsonRpcMessage>,
    input: Option<InputMeter>,
    end: Arc<ConnectionEnd>,
}

/// Whether a connection has ended, for those that call over it.
#[derive(Debug, Default)]
pub(super) struct ConnectionEnd {
    /// Set when it has ended: whether the server may have taken a request that it did not answer.
    took_some: OnceLock<bool>,
    /// Nothing can be sent any more.
    is_broken: AtomicBool,
}

impl ConnectionEnd {
    pub fn is_open(&self) -> bool {
        self.took_some.get().is_none() && !self.is_broken.load(Ordering::Relaxed)
    }

    /// True if it has ended, and the server had taken no request that it did not answer.
    pub fn took_none(&self) -> bool {
        self.took_some.get() == Some(&false)
    }

    /// Called when something could not be sent.
    pub fn set_broken(&self) {
        self.is_broken.store(true, Ordering::Relaxed);
    }
}

impl<T> Answers<T> {
    pub fn of(inner: T) -> Self {
        Self {
            inner,
            waiting: HashMap::new(),
            next: VecDeque::new(),
            input: None,
            end: Arc::default(),
        }
    }

    /// For a server whose input is measured.
    pub fn measured(inner: T, input: InputMeter) -> Self {
        Self { input: Some(input), ..Self::of(inner) }
    }

    pub fn end(&self) -> Arc<ConnectionEnd> {
        self.end.clone()
    }

    fn note(&mut self, message: &ClientJsonRpcMessage) {
        match message {
            JsonRpcMessage::Request(request) => {
                let written = self.input.as_ref().map_or(0, InputMeter::written);
                self.waiting.insert(request.id.clone(), written);
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.waiting.remove(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
    }

    /// Called when the server has ended.
    async fn note_end(&mut self) {
        if self.end.took_some.get().is_some() {
            return;
        }
        let read = match &self.input {
            Some(input) if !self.waiting.is_empty() => input.read_in_the_end().await,
            Some(_) | None => u64::MAX,
        };
        let _ = self.end.took_some.set(self.waiting.values().any(|before| *before < read));
    }

    fn take(&mut self, mut message: ServerJsonRpcMessage) {
        match &mut message {
            JsonRpcMessage::Response(response) => {
                self.waiting.remove(&response.id);
                if let ServerResult::CustomResult(custom) = &mut response.result {
                    repair_result(&mut custom.0);
                    if let Ok(result) = serde_json::from_value(custom.0.clone()) {
                        response.result = result;
                    }
                }
            }
            JsonRpcMessage::Error(error) => match &error.id {
                Some(id) => {
                    self.waiting.remove(id);
                }
                // Some servers answer notifications they do not know.
                None if error.error.code == ErrorCode::METHOD_NOT_FOUND => return,
                None => {
                    let waiting = self.waiting.len();
                    let mut error = error.error.clone();
                    if waiting > 1 {
                        let which = "it does not say which of the waiting requests it answers";
                        error.message = format!("{} ({which}: {waiting})", error.message).into();
                    }
                    let lost = |(id, _)| JsonRpcMessage::error(error.clone(), Some(id));
                    self.next.extend(self.waiting.drain().map(lost));
                    return;
                }
            },
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => {}
        }
        self.next.push_back(message);
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Answers<T> {
    type Error = T::Error;

    fn name() -> Cow<'static, str> {
        T::name()
    }

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.note(&message);
        self.inner.send(message)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        while self.next.is_empty() {
            let Some(message) = self.inner.receive().await else {
                self.note_end().await;
                return None;
            };
            self.take(message);
        }
        self.next.pop_front()
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::os::fd::OwnedFd;

    use serde_json::{Value, json};
    use tokio::io::AsyncWriteExt as _;
    use tokio::process::ChildStdin;

    use super::super::input::ServerInput;
    use super::*;

    /// A connection whose other side has ended.
    #[derive(Debug)]
    struct Ended;

    impl Transport<RoleClient> for Ended {
        type Error = std::io::Error;

        fn send(
            &mut self,
            _message: ClientJsonRpcMessage,
        ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
            std::future::ready(Ok(()))
        }

        async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
            None
        }

        async fn close(&mut self) -> Result<(), Self::Error> {
            Ok(())
        }
    }

    fn sent(message: Value) -> ClientJsonRpcMessage {
        serde_json::from_value(message).unwrap()
    }

    fn call(id: i64) -> ClientJsonRpcMessage {
        sent(json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "f"}}))
    }

    fn read(waiting: &[i64], messages: Value) -> Vec<Value> {
        let mut answers = Answers::of(());
        answers.waiting = waiting.iter().map(|id| (RequestId::Number(*id), 0)).collect();
        let messages: Vec<ServerJsonRpcMessage> = serde_json::from_value(messages).unwrap();
        for message in messages {
            answers.take(message);
        }
        let mut read: Vec<Value> =
            answers.next.iter().map(|message| serde_json::to_value(message).unwrap()).collect();
        read.sort_by_key(|message| message["id"].as_i64());
        read
    }

    #[test]
    fn an_error_that_names_no_request_fails_those_that_wait() {
        let error = |id: Value, code: i32| json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": "m"}});
        let done = json!({"jsonrpc": "2.0", "id": 3, "result": {"content": []}});
        for code in [-32_700, -32_600, -32_000, 1] {
            let found = read(&[3, 4], json!([done, error(json!(null), code)]));
            assert_eq!(found[0]["id"], 3);
            assert!(found[0].get("error").is_none());
            assert_eq!(found[1..], [error(json!(4), code)]);
            assert!(read(&[], json!([error(json!(null), code)])).is_empty());
        }
        assert!(read(&[4], json!([error(json!(null), -32_601)])).is_empty());
        assert_eq!(read(&[4], json!([error(json!(4), -32_601)])).len(), 1);
        let found = read(&[3, 4], json!([error(json!(null), -32_098), done]));
        for (answer, id) in found.iter().filter(|one| one.get("error").is_some()).zip([3, 4]) {
            let text = answer["error"]["message"].as_str().unwrap();
            assert_eq!((&answer["id"], text.starts_with("m (")), (&json!(id), true), "{text}");
            assert!(text.contains("waiting requests") && text.ends_with(": 2)"), "{text}");
        }
        assert_eq!(found.len(), 3, "the answer of one of them is for nobody");
    }

    #[test]
    fn a_request_that_was_cancelled_does_not_wait() {
        let mut answers = Answers::of(());
        for id in [3, 4] {
            answers.note(&call(id));
        }
        let params = json!({"requestId": 3, "reason": "stopped"});
        let method = "notifications/cancelled";
        answers.note(&sent(json!({"jsonrpc": "2.0", "method": method, "params": params})));
        assert_eq!(answers.waiting.into_keys().collect::<Vec<_>>(), [RequestId::Number(4)]);
    }

    #[tokio::test]
    async fn a_server_that_has_ended_took_what_it_began_to_read() {
        for (is_read, took_none) in [(true, false), (false, true)] {
            let (mut reader, writer) = std::io::pipe().unwrap();
            let stdin = std::process::ChildStdin::from(OwnedFd::from(writer));
            let (mut input, meter) = ServerInput::new(ChildStdin::from_std(stdin).unwrap());
            let mut answers = Answers::measured(Ended, meter);
            let end = answers.end();
            input.write_all(b"before").await.unwrap();
            reader.read_exact(&mut [0; 6]).unwrap();
            answers.send(call(1)).await.unwrap();
            input.write_all(b"call").await.unwrap();
            if is_read {
                reader.read_exact(&mut [0; 1]).unwrap();
            }
            drop(reader);
            assert!(end.is_open() && !end.took_none());
            assert!(answers.receive().await.is_none());
            assert_eq!((end.is_open(), end.took_none()), (false, took_none));
        }
    }

    #[tokio::test]
    async fn what_was_sent_where_nothing_is_measured_counts_as_taken() {
        let (mut idle, mut busy) = (Answers::of(Ended), Answers::of(Ended));
        busy.send(call(1)).await.unwrap();
        for (answers, took_none) in [(&mut idle, true), (&mut busy, false)] {
            assert!(answers.receive().await.is_none());
            assert_eq!(answers.end().took_none(), took_none);
        }
    }

    #[test]
    fn a_result_of_a_wrong_form_is_repaired() {
        let odd = json!({"content": [{"type": "hologram"}, {"type": "text", "text": "ok"}]});
        let found = read(&[1], json!([{"jsonrpc": "2.0", "id": 1, "result": odd}]));
        assert_eq!(found[0]["result"]["content"][1]["text"], "ok");
        assert_eq!(found[0]["result"]["content"][0]["type"], "audio");
    }
}
