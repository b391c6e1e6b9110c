//! A transport whose every request gets a readable answer: an error that names no request fails all pending
//! ones, since it can only be meant for them, and a malformed result is repaired.

use std::borrow::Cow;
use std::collections::{HashSet, VecDeque};

use rmcp::model::{
    ClientJsonRpcMessage, ErrorCode, JsonRpcMessage, RequestId, ServerJsonRpcMessage, ServerResult,
};
use rmcp::service::RoleClient;
use rmcp::transport::Transport;

use super::reading::repair_result;

#[derive(Debug)]
pub(super) struct Answers<T> {
    inner: T,
    /// Requests that were sent and not answered.
    waiting: HashSet<RequestId>,
    /// The next messages to be received: at most an error for each pending request.
    next: VecDeque<ServerJsonRpcMessage>,
}

impl<T> Answers<T> {
    pub fn of(inner: T) -> Self {
        Self { inner, waiting: HashSet::new(), next: VecDeque::new() }
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
                    let lost = |id| JsonRpcMessage::error(error.error.clone(), Some(id));
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
        if let JsonRpcMessage::Request(request) = &message {
            self.waiting.insert(request.id.clone());
        }
        self.inner.send(message)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        while self.next.is_empty() {
            let message = self.inner.receive().await?;
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
    use serde_json::{Value, json};

    use super::*;

    fn read(waiting: &[i64], messages: Value) -> Vec<Value> {
        let mut answers = Answers::of(());
        answers.waiting = waiting.iter().map(|id| RequestId::Number(*id)).collect();
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
    }

    #[test]
    fn a_result_of_a_wrong_form_is_repaired() {
        let odd = json!({"content": [{"type": "hologram"}, {"type": "text", "text": "ok"}]});
        let found = read(&[1], json!([{"jsonrpc": "2.0", "id": 1, "result": odd}]));
        assert_eq!(found[0]["result"]["content"][1]["text"], "ok");
        assert_eq!(found[0]["result"]["content"][0]["type"], "audio");
    }
}
