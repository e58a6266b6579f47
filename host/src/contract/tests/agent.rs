use snapbox::{IntoData as _, assert_data_eq, str};

use super::{agent, codes, contract, parse, report};
use crate::a2a::Binding;

fn url(url: &str) -> String {
    format!("version: 1\nagent: {{url: \"{url}\"}}\nscenarios: [{{name: s, message: hi}}]\n")
}

#[test]
fn an_agent_with_everything() {
    let agent = contract(&agent(
        "  timeout: 20\n  transport: HTTP+JSON\n  grpc_tls: false\n  allow_cross_origin_interfaces: true\n  card_path: /cards/shop.json\n  \
         headers: {Authorization: \"${TOKEN}\", X-Trace: \"1\"}\n  extensions: [urn:test:orders]\n",
    ))
    .agent;
    assert_eq!(agent.url.value.as_str(), "http://h/");
    assert_eq!(agent.transport.map(|transport| transport.value), Some(Binding::HttpJson));
    assert_eq!((agent.grpc_tls, agent.allow_cross_origin_interfaces), (false, true));
    assert_eq!(agent.card_path.unwrap().value, "/cards/shop.json");
    let headers: Vec<_> = agent.headers.iter().map(|h| (h.name.value.as_str(), h.value.as_str())).collect();
    assert_eq!(headers, [("Authorization", "Bearer canary-7f3a"), ("X-Trace", "1")]);
    assert_eq!(agent.extensions[0].value, "urn:test:orders");
}

#[test]
fn urls_are_normalised() {
    for (text, normal) in [
        ("HTTP://Host.Test:80", "http://host.test/"),
        ("https://h:443/base/?q=1#f", "https://h/base/?q=1#f"),
        ("http://[::1]:9000/a", "http://[::1]:9000/a"),
    ] {
        assert_eq!(contract(&url(text)).agent.url.value.as_str(), normal);
    }
}

#[test]
fn urls_are_http_without_credentials() {
    for text in
        ["ftp://h", "h", "/path", "http://", "http:// h", "http://u@h", "http://u:p@h", "http://:p@h", "mailto:a@b"]
    {
        assert_eq!(codes(&url(text)), ["url 2:14"], "{text}");
    }
    assert_eq!(codes(&url("")), ["length 2:14"]);
    assert_data_eq!(
        report(&url("localhost:9000")),
        str![[r#"
error[url]: `url` takes an http or https URL without credentials
 --> contract.yaml:2:14
  |
2 | agent: {url: "localhost:9000"}
  |              ^^^^^^^^^^^^^^^^ neither http nor https
  |
  = help: write it as `https://host/path`
"#]]
    );
}

#[test]
fn credentials_in_a_url_are_never_shown() {
    let text = url("https://user:hunter2@h/x?to=https://me:pass3@h2");
    assert_data_eq!(
        report(&text),
        str![[r#"
error[url]: `url` takes an http or https URL without credentials
 --> contract.yaml:2:14
  |
2 | agent: {url: "https://************@h/x?to=https://********@h2"}
  |              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ has a user or password
  |
  = help: send credentials in a header: `headers: {Authorization: ...}`
"#]]
    );
    assert!(!report(&text).contains("hunter2"));
    let text = url("${URL}");
    assert_eq!(codes(&text), ["url 2:14"]);
    assert!(!report(&text).contains("canary"));
}

#[test]
fn header_names_are_tokens() {
    let with = |name: &str| codes(&agent(&format!("  headers: {{\"{name}\": v}}\n")));
    for name in ["X-Trace", "!#$%&'*+.^_`|~-", "a", "0"] {
        assert_eq!(with(name), [""; 0], "{name}");
    }
    for name in ["", "Bad Header", "a:b", "ä", "a(b)", "x\\ty"] {
        assert_eq!(with(name), ["header-name 4:13"], "{name}");
    }
    assert_data_eq!(
        report(&agent("  headers: {Bad Header: v}\n")),
        str![[r#"
error[header-name]: `Bad Header` cannot be the name of a header
 --> contract.yaml:4:13
  |
4 |   headers: {Bad Header: v}
  |             ^^^^^^^^^^ not a header name
  |
  = help: a name has letters, digits and the characters ``!#$%&'*+.^_`|~-``
"#]]
    );
    // Names that differ in case are both kept.
    assert_eq!(contract(&agent("  headers: {a: x, A: y}\n")).agent.headers.len(), 2);
}

#[test]
fn header_values_are_strings_on_one_line() {
    assert_data_eq!(
        report(&agent("  headers: {X: \"a\\nb\"}\n")),
        str![[r#"
error[header-value]: the value of the header `X` has a line break or another control character
 --> contract.yaml:4:16
  |
4 |   headers: {X: "a\nb"}
  |                ^^^^^^ cannot be sent
  |
  = help: a block text (`|`) ends with a line break; `|-` does not
"#]]
        .raw()
    );
    for value in ["\"a\\rb\"", "\"a\\0b\"", "\"${LINES}\""] {
        assert_eq!(codes(&agent(&format!("  headers: {{X: {value}}}\n"))), ["header-value 4:16"], "{value}");
    }
    assert!(!report(&agent("  headers: {X: \"${LINES}\"}\n")).contains("9999"));
    assert_eq!(codes(&agent("  headers: {X: 5}\n")), ["wrong-type 4:16"]);
    for value in ["\"a\\tb\"", "\"ä\"", "\"\"", "\"${EMPTY}\""] {
        assert_eq!(codes(&agent(&format!("  headers: {{X: {value}}}\n"))), [""; 0], "{value}");
    }
}

#[test]
fn secrets_are_the_variables_of_headers() {
    let parsed =
        parse(&agent("  headers: {A: \"${TOKEN}\", B: \"x ${THREE} y ${SHORT}\"}\n  card_path: \"/${EMPTY}x\"\n"));
    assert_eq!(parsed.secrets.names().collect::<Vec<_>>(), ["TOKEN", "THREE", "SHORT"]);
    assert!(!format!("{parsed:?}").contains("canary-7f3a"));
    assert_data_eq!(
        report(&agent("  headers: {B: \"${SHORT}\"}\n")),
        str![[r#"
warning[short-secret]: the value of `SHORT` has fewer than four characters and is not masked in any output
 --> contract.yaml:4:3
  |
4 |   headers: {B: "${SHORT}"}
  |   ^^^^^^^ used in these headers
  |
  = help: use a longer value
"#]]
    );
}

#[test]
fn a_secret_in_a_message_is_masked() {
    let text = "version: 1\nagent: {url: http://h, headers: {A: \"${TOKEN}\"}}\nscenarios: [{name: \"${TOKEN}\", message: a}, {name: \
                \"${TOKEN}\", message: a}]\n";
    assert_eq!(parse(text).diagnostics[0].message, "two scenarios have the name `[REDACTED]`");
}

#[test]
fn transports_are_spelled_as_in_cards() {
    let transport = |name: &str| contract(&agent(&format!("  transport: {name}\n"))).agent.transport.map(|t| t.value);
    assert_eq!(transport("auto"), None);
    assert_eq!(transport("GRPC"), Some(Binding::Grpc));
    assert_eq!(transport("JSONRPC"), Some(Binding::JsonRpc));
    assert_data_eq!(
        report(&agent("  transport: grpc\n")),
        str![[r#"
error[transport]: `transport` takes `auto`, `JSONRPC`, `HTTP+JSON` or `GRPC`
 --> contract.yaml:4:14
  |
4 |   transport: grpc
  |              ^^^^ not one of them
  |
  = help: did you mean `GRPC`?
"#]]
    );
    assert_data_eq!(
        report(&agent("  transport: rest\n")),
        str![[r#"
error[transport]: `transport` takes `auto`, `JSONRPC`, `HTTP+JSON` or `GRPC`
 --> contract.yaml:4:14
  |
4 |   transport: rest
  |              ^^^^ not one of them
  |
  = help: did you mean `HTTP+JSON`?
"#]]
    );
    assert_eq!(codes(&agent("  transport: carrier-pigeon\n")), ["transport 4:14"]);
    assert_eq!(codes(&agent("  transport: ~\n")), ["wrong-type 4:14"]);
}

#[test]
fn extensions_are_absolute_uris() {
    let with = |list: &str| codes(&agent(&format!("  extensions: {list}\n")));
    assert_eq!(with("[urn:a, \"mailto:x@y\", https://e.test/v1]"), [""; 0]);
    for uri in ["a", "\"urn:a b\"", "\"urn:a,b\"", "\"urn:ä\"", "/x"] {
        assert_eq!(with(&format!("[{uri}]")), ["extension-uri 4:16"], "{uri}");
    }
    assert_eq!(with("[urn:a, urn:a]"), ["duplicate-extension 4:23"]);
    assert_eq!(with("urn:a"), ["wrong-type 4:15"]);
    assert_eq!(with("['']"), ["length 4:16"]);
}

#[test]
fn the_older_header_adds_extensions() {
    let agent =
        contract(&agent("  extensions: [urn:b]\n  headers: {a2a-Extensions: \"urn:a, urn:b,urn:c\", X: y}\n")).agent;
    let uris: Vec<_> = agent.extensions.iter().map(|uri| uri.value.as_str()).collect();
    assert_eq!(uris, ["urn:b", "urn:a", "urn:c"]);
    assert_eq!(agent.headers.len(), 1);
    let with = |list: &str| codes(&super::agent(&format!("  headers: {{A2A-Extensions: \"{list}\"}}\n")));
    assert_eq!(with("urn:a,,urn:b"), ["extension-uri 4:29"]);
    assert_eq!(with(""), ["extension-uri 4:29"]);
    assert_eq!(with("nothing"), ["extension-uri 4:29"]);
}
