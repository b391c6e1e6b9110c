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
        (vec![("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")], "", None),
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
