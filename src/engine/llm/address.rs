//! Parses the address of a provider in one place, so that the address the user sees and the one that gets
//! the key cannot differ.

use reqwest::Url;

/// Where requests go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    /// Scheme, host and port; no default port.
    pub address: String,
    /// The host is loopback, whatever the resolver says.
    pub this_machine: bool,
}

/// The destination of requests to this base; `None` if it is no HTTP URL, or its host is not written in ASCII.
#[must_use]
pub fn destination(base: &str) -> Option<Destination> {
    let url = url(base, "")?;
    let this_machine = match url.host_str()?.trim_matches(['[', ']']).parse() {
        Ok(ip) => std::net::IpAddr::to_canonical(&ip).is_loopback(),
        Err(_) => url.host_str() == Some("localhost"),
    };
    Some(Destination { address: url.origin().ascii_serialization(), this_machine })
}

/// The URL of `path`, which may end with one setting of a query, below a base; `None` if that is no HTTP URL. Host and
/// port come from the base only.
pub(super) fn url(base: &str, path: &str) -> Option<Url> {
    let mut url = Url::parse(base.trim()).ok()?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return None;
    }
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let path = format!("{}/{path}", url.path().trim_end_matches('/'));
    url.set_path(&path);
    if let Some((key, value)) = query.split_once('=') {
        url.query_pairs_mut().append_pair(key, value);
    }
    Some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_destination_is_where_the_request_goes() {
        for (base, address, this_machine) in [
            ("https://api.example.com/v1", "https://api.example.com", false),
            ("https://api.example.com:443/", "https://api.example.com", false),
            ("https://api.example.com:8443", "https://api.example.com:8443", false),
            ("HTTP://API.Example.com", "http://api.example.com", false),
            ("https://api.example.com@evil.example/v1", "https://evil.example", false),
            ("https://evil.example\\@api.example.com", "https://evil.example", false),
            ("https://evil.example#@api.example.com", "https://evil.example", false),
            ("https://evil.example?https://api.example.com/", "https://evil.example", false),
            ("https://xn--pi-6kc.example.com", "https://xn--pi-6kc.example.com", false),
            ("http://localhost:11434/v1", "http://localhost:11434", true),
            ("http://127.0.0.1:1", "http://127.0.0.1:1", true),
            ("http://127.8.9.1", "http://127.8.9.1", true),
            ("http://2130706433", "http://127.0.0.1", true),
            ("http://[::1]:80/v1", "http://[::1]", true),
            ("http://[::ffff:127.0.0.1]", "http://[::ffff:7f00:1]", true),
            ("http://box.localhost", "http://box.localhost", false),
            ("http://localhost.example.com", "http://localhost.example.com", false),
            ("http://0.0.0.0:80", "http://0.0.0.0", false),
            ("http://192.168.0.1", "http://192.168.0.1", false),
        ] {
            let expected = Destination { address: address.to_owned(), this_machine };
            assert_eq!(destination(base), Some(expected), "{base}");
            let sent = url(base, "responses").unwrap();
            assert_eq!(sent.origin().ascii_serialization(), address, "{base}");
            assert!(sent.path().ends_with("/responses"), "{sent}");
        }
        // A name that only looks like another one is none.
        let lookalike = "https://аpi.example.com";
        let none = ["", "answers", "ftp://a.example", "http://", "http:", "file:///etc", "data:x"];
        for base in none.into_iter().chain([lookalike]) {
            assert_eq!(destination(base), None, "{base}");
        }
    }

    #[test]
    fn the_path_is_added_and_a_query_of_the_base_is_kept() {
        for (base, whole) in [
            (" http://a.example/v1/ ", "http://a.example/v1/responses"),
            ("http://a.example", "http://a.example/responses"),
            ("http://a.example/v1?api-version=1", "http://a.example/v1/responses?api-version=1"),
        ] {
            assert_eq!(url(base, "responses").unwrap().as_str(), whole);
        }
        for (base, whole) in [
            ("http://a.example", "http://a.example/m?alt=sse"),
            ("http://a.example/v1?x=%2F", "http://a.example/v1/m?x=%2F&alt=sse"),
        ] {
            assert_eq!(url(base, "m?alt=sse").unwrap().as_str(), whole);
        }
    }
}
