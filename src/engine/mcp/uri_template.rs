//! Addresses made from the templates of servers, as RFC 6570 says, with texts as values. Pure.

use std::collections::BTreeMap;

/// A part of a template.
enum Part<'a> {
    Literal(&'a str),
    /// Names in braces, after an operator.
    Expression {
        operator: Option<char>,
        names: Vec<&'a str>,
    },
}

/// The names of its variables, each once, in their order.
pub(super) fn variables(template: &str) -> Vec<&str> {
    let mut known = Vec::new();
    for part in parts(template) {
        let Part::Expression { names, .. } = part else { continue };
        for name in names {
            if !known.contains(&name) {
                known.push(name);
            }
        }
    }
    known
}

/// Returns the address. The error is the name of a variable without a value.
pub(super) fn expand(template: &str, values: &BTreeMap<String, String>) -> Result<String, String> {
    filled(template, values, encoded)
}

/// The same with the values as they are: a server may decode them.
pub(super) fn plain(template: &str, values: &BTreeMap<String, String>) -> Result<String, String> {
    filled(template, values, |text, _| text.to_owned())
}

fn filled(
    template: &str,
    values: &BTreeMap<String, String>,
    written: fn(&str, bool) -> String,
) -> Result<String, String> {
    let mut address = String::new();
    for part in parts(template) {
        let (operator, names) = match part {
            Part::Literal(text) => {
                address.push_str(text);
                continue;
            }
            Part::Expression { operator, names } => (operator, names),
        };
        let (first, between) = match operator {
            None | Some('+') => ("", ","),
            Some('#') => ("#", ","),
            Some('.') => (".", "."),
            Some('/') => ("/", "/"),
            Some(';') => (";", ";"),
            Some('?') => ("?", "&"),
            Some(_) => ("&", "&"),
        };
        let keeps_reserved = matches!(operator, Some('+' | '#'));
        let is_named = matches!(operator, Some(';' | '?' | '&'));
        let mut sign = first;
        for name in names {
            let value = values.get(name).filter(|value| !value.is_empty()).ok_or(name)?;
            address.push_str(sign);
            if is_named {
                address.push_str(&format!("{}=", written(name, false)));
            }
            address.push_str(&written(value, keeps_reserved));
            sign = between;
        }
    }
    Ok(address)
}

fn parts(template: &str) -> Vec<Part<'_>> {
    let (mut parts, mut rest) = (Vec::new(), template);
    while let Some((before, after)) = rest.split_once('{') {
        let Some((inside, after)) = after.split_once('}') else { break };
        parts.push(Part::Literal(before));
        let operator = inside.chars().next().filter(|first| "+#./;?&".contains(*first));
        let inside = inside.get(operator.map_or(0, char::len_utf8)..).unwrap_or_default();
        // A limit on the length of a value is not kept, as in Dominds.
        let names = inside.split(',').map(|name| name.split([':', '*']).next());
        let names = names.flatten().map(str::trim).filter(|name| !name.is_empty());
        parts.push(Part::Expression { operator, names: names.collect() });
        rest = after;
    }
    parts.push(Part::Literal(rest));
    parts
}

fn encoded(text: &str, keeps_reserved: bool) -> String {
    let is_kept = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || b"-._~".contains(&byte)
            || (keeps_reserved && b":/?#[]@!$&'()*+,;=".contains(&byte))
    };
    let mut encoded = String::new();
    for byte in text.bytes() {
        if is_kept(byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_made_as_the_operator_of_each_expression_says() {
        let value = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let values = BTreeMap::from([value("a", "x/y z"), value("b", "é")]);
        for (template, expected) in [
            ("f:///p", "f:///p"),
            ("f:///{a}", "f:///x%2Fy%20z"),
            ("f:///{+a}", "f:///x/y%20z"),
            ("f:{a,b}", "f:x%2Fy%20z,%C3%A9"),
            ("f:{#a}", "f:#x/y%20z"),
            ("f{.a,b}", "f.x%2Fy%20z.%C3%A9"),
            ("f:{/a,b}", "f:/x%2Fy%20z/%C3%A9"),
            ("f:{;b}", "f:;b=%C3%A9"),
            ("f:{?a,b}", "f:?a=x%2Fy%20z&b=%C3%A9"),
            ("f:?q{&b}", "f:?q&b=%C3%A9"),
            ("f:{a*}/{b:3}/{ b }", "f:x%2Fy%20z/%C3%A9/%C3%A9"),
            ("f:{}{a", "f:{a"),
        ] {
            assert_eq!(expand(template, &values).as_deref(), Ok(expected), "{template}");
        }
        assert_eq!(plain("f:{a}{?b}", &values).as_deref(), Ok("f:x/y z?b=é"));
        let empty = BTreeMap::from([value("a", "")]);
        assert_eq!(expand("f:{a}", &empty), Err("a".to_owned()));
    }

    #[test]
    fn a_variable_is_named_once() {
        assert_eq!(variables("f:{b}{?a,b}{}"), ["b", "a"]);
        assert!(variables("f:///p").is_empty());
    }
}
