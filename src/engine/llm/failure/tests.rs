//! Tables of provider errors and their classes.

use super::*;

fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        headers.insert(*name, value.parse().unwrap());
    }
    headers
}

fn answered(status: u16, body: &str) -> LlmError {
    from_response(StatusCode::from_u16(status).unwrap(), &HeaderMap::new(), body)
}

#[test]
fn the_status_decides_the_error_class() {
    for (status, class) in [
        (301, ErrorClass::Rejected),
        (400, ErrorClass::Rejected),
        (401, ErrorClass::Rejected),
        (402, ErrorClass::Rejected),
        (403, ErrorClass::Rejected),
        (404, ErrorClass::Rejected),
        (405, ErrorClass::Rejected),
        (413, ErrorClass::Rejected),
        (422, ErrorClass::Rejected),
        (408, ErrorClass::Server),
        (409, ErrorClass::Server),
        (425, ErrorClass::Server),
        (429, ErrorClass::RateLimited),
        (499, ErrorClass::Server),
        (500, ErrorClass::Server),
        (502, ErrorClass::Server),
        (503, ErrorClass::Server),
        (529, ErrorClass::RateLimited),
    ] {
        let error = answered(status, "");
        assert_eq!(error.class(), class, "{status}");
        assert_eq!(error.status(), Some(status));
    }
}

#[test]
fn a_context_that_is_too_long_is_its_own_class() {
    for (status, body) in [
        (400, r#"{"error":{"message":"too big","code":"context_length_exceeded"}}"#),
        (400, r#"{"error":{"message":"This model's maximum context length is 8192 tokens"}}"#),
        (400, r#"{"error":{"type":"exceed_context_size_error","message":"no"}}"#),
        (500, r#"{"error":"the request exceeds the available context size"}"#),
        (413, r#"{"error":{"message":"prompt is too long: 210000 tokens"}}"#),
        (
            400,
            r#"{"error":{"message":"input length and `max_tokens` exceed context limit: 9 > 8"}}"#,
        ),
        (400, r#"{"error":{"message":"The input token count (9) exceeds the limit"}}"#),
        (400, r#"{"error":"maximum prompt length is 131072 but the request contains 9"}"#),
        (400, r#"{"error":{"code":"1261","message":"Prompt exceeds max length"}}"#),
        (400, r#"{"message":"9 tokens: longer than the maximum model length of 8"}"#),
        (400, r#"{"error":{"code":"context_window_exceeded","message":"no"}}"#),
    ] {
        assert_eq!(answered(status, body).class(), ErrorClass::ContextOverflow, "{body}");
    }
}

#[test]
fn other_errors_with_numbers_are_no_context_overflow() {
    for body in [
        r#"{"error":{"message":"max_tokens is too large: 9. The model supports at most 8"}}"#,
        r#"{"error":{"message":"unknown field `prompt`"}}"#,
        r#"{"error":{"message":"temperature must be at most 2"}}"#,
    ] {
        assert_eq!(answered(400, body).class(), ErrorClass::Rejected, "{body}");
    }
}

#[test]
fn the_message_is_found_in_every_usual_shape() {
    for (body, message) in [
        (r#"{"error":{"message":"bad key","type":"x"}}"#, "HTTP 401: bad key"),
        (r#"{"error":"bad key"}"#, "HTTP 401: bad key"),
        (r#"{"message":"bad key"}"#, "HTTP 401: bad key"),
        (r#"{"detail":"bad key"}"#, "HTTP 401: bad key"),
        (r#"{"detail":[{"msg":"bad key","loc":[]}]}"#, "HTTP 401: bad key"),
        (r#"[{"error":{"code":400,"message":"bad key"}}]"#, "HTTP 401: bad key"),
        (
            "<html><head><style>p{}</style><title>No</title></head><body><p>bad\n key</body>",
            "HTTP 401: No bad key",
        ),
        ("bad\u{7} key", "HTTP 401: bad key"),
        ("", "HTTP 401 (Unauthorized)"),
        ("{}", "HTTP 401 (Unauthorized)"),
        ("<", "HTTP 401 (Unauthorized)"),
    ] {
        assert_eq!(answered(401, body).to_string(), message, "{body}");
    }
}

#[test]
fn a_request_id_is_kept() {
    let error =
        from_response(StatusCode::BAD_GATEWAY, &headers(&[("x-request-id", "r-1")]), "down");
    assert_eq!(error.to_string(), "HTTP 502: down [request r-1]");
}

#[test]
fn the_wait_is_read_from_headers_and_body() {
    let date = ("date", "Sun, 06 Nov 1994 08:49:00 GMT");
    for (pairs, body, wait) in [
        (vec![("retry-after", "7")], "", Some(7_000)),
        (vec![("retry-after", "1.5")], "", Some(1_500)),
        (vec![("retry-after-ms", "250"), ("retry-after", "7")], "", Some(250)),
        (vec![("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT"), date], "", Some(37_000)),
        (vec![("retry-after", "Sun, 06 Nov 1994 08:48:00 GMT"), date], "", Some(0)),
        (vec![("retry-after", "Sunday, 06-Nov-94 08:49:37 GMT"), date], "", Some(37_000)),
        (vec![("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")], "", Some(0)),
        (vec![("retry-after", "Thu, 06 Nov 2994 08:49:37 GMT")], "", Some(86_400_000)),
        (vec![], r#"{"error":{"message":"x","retry_after":"3"}}"#, Some(3_000)),
        (
            vec![],
            r#"[{"error":{"message":"x","details":[{"@type":"h"},{"retryDelay":"2.5s"}]}}]"#,
            Some(2_500),
        ),
        (vec![], r#"{"error":{"message":"Please try again in 1.8s. Visit us"}}"#, Some(1_800)),
        (vec![], r#"{"error":{"message":"Try again in 6m0.5s."}}"#, Some(360_500)),
        (vec![], r#"{"error":{"message":"try again in 350ms"}}"#, Some(350)),
        (vec![], r#"{"message":"Please retry after 20 seconds."}"#, Some(20_000)),
        (vec![], r#"{"message":"retry in 1 hour 2 minutes"}"#, Some(3_720_000)),
        (vec![], r#"{"message":"try again in a while"}"#, None),
        (vec![], r#"{"message":"try again in 9 lives"}"#, None),
        (vec![("retry-after", "7")], r#"{"message":"try again in 1.8s"}"#, Some(7_000)),
        (vec![("retry-after", "2s")], "", Some(2_000)),
        (vec![("retry-after", "1m 30 Seconds")], "", Some(90_000)),
        (vec![("retry-after", "Sun, 06 Nov 1994 08:49:37 +0000"), date], "", Some(37_000)),
        (vec![("retry-after", "Sun, 06 Nov 1994 08:49:37 UTC"), date], "", Some(37_000)),
        (vec![("retry-after", "1994-11-06T08:49:37Z"), date], "", Some(37_000)),
        (vec![("retry-after", "1994-11-06T10:49:37+02:00"), date], "", Some(37_000)),
        (vec![("retry-after", "Sun, 06 Nov 1994 08:49:37 +0200"), date], "", None),
        (vec![("retry-after", "1994-11-06T08:49:37"), date], "", None),
        (vec![("x-ratelimit-reset-after", "350ms")], "", Some(350)),
        (vec![("x-ratelimit-reset-tokens", "6m0s")], "", None),
        (vec![], r#"{"error":{"message":"x","retry_after":"2s"}}"#, Some(2_000)),
        (vec![], r#"{"error":{"message":"x","retry_after_seconds":"1.5"}}"#, Some(1_500)),
        (vec![], r#"{"error":{"message":"x","retry_after":true}}"#, None),
        (vec![("retry-after", "Sun, 06 Foo 1994 08:49:37 GMT"), date], "", None),
        (vec![("retry-after", "Sun, 00 Nov 1994 99:49:37 GMT"), date], "", None),
        (vec![("retry-after", "Sun, 06 Nov 99999999999 08:49:37 GMT"), date], "", None),
        (vec![("x-ratelimit-reset-after", "2s")], "", Some(2_000)),
        (vec![], r#"{"error":{"message":"x","retry_after":3}}"#, Some(3_000)),
        (vec![], r#"{"retry_after_ms":40}"#, Some(40)),
        (vec![("retry-after", "-1")], "", None),
        (vec![("retry-after", "nan")], "", None),
        (vec![("retry-after", "1e300")], "", None),
        (vec![("retry-after", "99999999")], "", Some(86_400_000)),
        (vec![("retry-after", "soon")], "", None),
    ] {
        let error = from_response(StatusCode::TOO_MANY_REQUESTS, &headers(&pairs), body);
        assert_eq!(error.retry_after(), wait.map(Duration::from_millis), "{pairs:?} {body}");
    }
}

#[test]
fn an_error_inside_a_stream_is_classified_like_a_status() {
    for (json, class) in [
        (r#"{"message":"x","type":"server_error"}"#, ErrorClass::Server),
        (r#"{"message":"x","code":429}"#, ErrorClass::RateLimited),
        (r#"{"message":"x","code":"503"}"#, ErrorClass::Server),
        (r#"{"message":"x","code":401}"#, ErrorClass::Rejected),
        (r#"{"message":"x","type":"overloaded_error"}"#, ErrorClass::RateLimited),
        (r#"{"message":"x","code":"rate_limit_exceeded"}"#, ErrorClass::RateLimited),
        (r#"{"message":"x","type":"invalid_request_error"}"#, ErrorClass::Rejected),
        (r#"{"message":"the context length is 4096"}"#, ErrorClass::ContextOverflow),
        (r#"{"message":"upstream timed out"}"#, ErrorClass::Transport),
        (r#""plain words""#, ErrorClass::Server),
        ("17", ErrorClass::Server),
    ] {
        assert_eq!(from_object(json).class(), class, "{json}");
    }
}

#[test]
fn what_only_a_payment_helps_is_not_retried() {
    for body in [
        r#"{"error":{"message":"x","type":"insufficient_quota","code":"insufficient_quota"}}"#,
        r#"{"error":{"message":"x","code":"billing_hard_limit_reached"}}"#,
        r#"{"error":{"message":"x","code":"insufficient_user_quota","type":"new_api_error"}}"#,
        r#"{"error":{"message":"x","type":"exceeded_current_quota_error"}}"#,
    ] {
        assert_eq!(answered(429, body).class(), ErrorClass::Rejected, "{body}");
    }
    let busy = r#"{"error":{"message":"Quota exceeded. Please retry in 2s"}}"#;
    assert_eq!(answered(429, busy).class(), ErrorClass::RateLimited);
    assert_eq!(answered(402, "").class(), ErrorClass::Rejected);
}

#[test]
fn a_refusal_that_says_that_there_are_too_many_requests_is_retried() {
    let wait = [("retry-after", "7")];
    for (status, pairs, body, is_retried) in [
        (403, vec![], r#"{"message":"You have exceeded a secondary rate limit."}"#, true),
        (403, vec![], r#"{"error":{"code":"rate_limit_exceeded","message":"x"}}"#, true),
        (403, wait.to_vec(), r#"{"message":"no"}"#, true),
        (400, vec![], r#"{"error":{"code":"rate_limit_exceeded","message":"x"}}"#, true),
        (400, wait.to_vec(), "", true),
        (400, vec![], r#"{"error":{"message":"not valid: 'what is a rate limit?'"}}"#, false),
        (400, wait.to_vec(), r#"{"error":{"type":"invalid_request_error"}}"#, false),
        (400, vec![("retry-after", "0")], "", false),
        (403, wait.to_vec(), r#"{"error":{"code":"insufficient_user_quota"}}"#, false),
        (403, wait.to_vec(), r#"{"error":{"type":"permission_error"}}"#, false),
        (401, wait.to_vec(), r#"{"message":"rate limit"}"#, false),
    ] {
        let status = StatusCode::from_u16(status).unwrap();
        let found = from_response(status, &headers(&pairs), body).class();
        let expected = if is_retried { ErrorClass::RateLimited } else { ErrorClass::Rejected };
        assert_eq!(found, expected, "{status} {pairs:?} {body}");
    }
}

#[test]
fn an_error_instead_of_a_part_of_an_answer_is_told_in_the_words_of_the_provider() {
    for (json, expected) in [
        (r#"{"error":{"message":"bad"}}"#, Some(("bad", ErrorClass::Server))),
        (r#"{"error":"bad"}"#, Some(("bad", ErrorClass::Server))),
        (r#"{"code":429,"message":"slow"}"#, Some(("slow", ErrorClass::RateLimited))),
        (
            r#"{"code":"1302","message":"rate limit"}"#,
            Some(("rate limit", ErrorClass::RateLimited)),
        ),
        (r#"{"object":"error","message":"bad","code":400}"#, Some(("bad", ErrorClass::Rejected))),
        (r#"{"detail":"bad"}"#, Some(("bad", ErrorClass::Server))),
        (r#"{"detail":[{"msg":"bad"}]}"#, Some(("bad", ErrorClass::Server))),
        (
            r#"{"choices":null,"base_resp":{"status_code":1002,"status_msg":"slow"}}"#,
            Some(("slow", ErrorClass::RateLimited)),
        ),
        (
            r#"{"base_resp":{"status_code":1008,"status_msg":"no balance"}}"#,
            Some(("no balance", ErrorClass::Rejected)),
        ),
        (
            r#"{"error":{"code":"request_timeout","message":"cut","type":"invalid_request_error"}}"#,
            Some(("cut", ErrorClass::Transport)),
        ),
        (r#"{"error":{"message":"a \ud83d"}}"#, Some(("a \u{fffd}", ErrorClass::Server))),
        (r#"{"base_resp":{"status_code":0,"status_msg":""}}"#, None),
        (r#"{"error":null,"detail":null,"choices":[]}"#, None),
        (r#"{"error":""}"#, None),
        (r#"{"message":"hello"}"#, None),
        ("{}", None),
        ("17", None),
        ("{", None),
    ] {
        let found = check(json).err().map(|error| (error.to_string(), error.class()));
        let expected = expected.map(|(text, class)| (text.to_owned(), class));
        assert_eq!(found, expected, "{json}");
    }
}
