use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use url::Url;

use super::peer::{Peer, Request, Step, answer, card};
use crate::client::{Client, ClientError, ClientOptions};

fn ok(body: &Value) -> Vec<Step> {
    answer("200 OK", "application/json", body.to_string().as_bytes())
}

fn not_found() -> Vec<Step> {
    answer("404 Not Found", "application/json", br#"{"detail":"Not Found"}"#)
}

fn own_card(request: &Request) -> Vec<Step> {
    ok(&card(&format!("http://{}/rpc", request.header("host").unwrap()), &json!({})))
}

async fn refused(script: impl Fn(&Request) -> Vec<Step> + Send + Sync + 'static) -> (String, Vec<String>) {
    let peer = Peer::start(script).await;
    let error = Client::connect(peer.options()).await.unwrap_err();
    let port = peer.port.to_string();
    let paths = peer.all().into_iter().map(|request| request.path).collect();
    (error.to_string().replace(&port, "PORT"), paths)
}

#[tokio::test]
async fn the_card_is_found_and_kept_as_served() {
    let peer = Peer::start(own_card).await;
    let mut options = peer.options();
    options.base_url = peer.url("/agents/a/");
    let client = Client::connect(options).await.unwrap();
    let fetched = client.card_exchange();
    let url = peer.url("/agents/a/.well-known/agent-card.json").to_string();
    assert_eq!(fetched.tried, [(url.clone(), 200)]);
    assert_eq!((fetched.url.as_str(), fetched.value["name"].as_str()), (url.as_str(), Some("peer")));
    assert_eq!(serde_json::from_slice::<Value>(&fetched.raw).unwrap(), fetched.value);
    assert_eq!(fetched.response.header("content-type"), Some("application/json"));
    assert_eq!(client.endpoint().path, "/rpc");
    assert_eq!(client.card().name, "peer");
    assert_eq!(client.card().deviations, []);
    assert_eq!(client.fetch_card().await.unwrap().raw, fetched.raw);
    assert_eq!(peer.all().len(), 2);
    assert_eq!(peer.all()[0].header("accept"), Some("application/json"));
}

#[tokio::test]
async fn the_older_path_is_tried_after_a_404_only() {
    let old = |request: &Request| if request.path.ends_with("/agent.json") { own_card(request) } else { not_found() };
    let peer = Peer::start(old).await;
    let client = Client::connect(peer.options()).await.unwrap();
    let statuses: Vec<u16> = client.card_exchange().tried.iter().map(|tried| tried.1).collect();
    assert_eq!(statuses, [404, 200]);

    let mut options = peer.options();
    options.card_path = Some("/my-card.json".into());
    let error = Client::connect(options).await.unwrap_err().to_string();
    assert!(error.contains("/my-card.json answered HTTP 404 with: {\"detail\":\"Not Found\"}"), "{error}");

    let (error, paths) = refused(|_| answer("500 Oops", "text/plain", b"")).await;
    assert_eq!(paths, ["/.well-known/agent-card.json"]);
    assert_eq!(
        error,
        "no agent card: http://127.0.0.1:PORT/.well-known/agent-card.json answered HTTP 500 with an empty body"
    );
    let (error, paths) = refused(|_| not_found()).await;
    assert_eq!(paths, ["/.well-known/agent-card.json", "/.well-known/agent.json"]);
    assert_eq!(
        error,
        "no agent card: http://127.0.0.1:PORT/.well-known/agent-card.json answered HTTP 404, then \
         http://127.0.0.1:PORT/.well-known/agent.json answered HTTP 404 with: {\"detail\":\"Not Found\"}"
    );
}

#[tokio::test]
async fn redirects_of_the_card_name_their_target() {
    let (error, paths) = refused(|_| {
        vec![Step::Send(b"HTTP/1.1 302 Found\r\nlocation: https://h.test/card\r\ncontent-length: 0\r\n\r\n".to_vec())]
    })
    .await;
    assert_eq!(paths.len(), 1);
    assert_eq!(
        error,
        "http://127.0.0.1:PORT/.well-known/agent-card.json redirects (HTTP 302) to https://h.test/card; redirects are \
         not followed: give the agent's final URL"
    );
}

// C023.
#[tokio::test]
async fn an_agent_of_0_3_is_one_clear_line() {
    let (error, _) = refused(|request| {
        ok(&json!({"protocolVersion": "0.3.0", "name": "old", "description": "d",
            "url": format!("http://{}/", request.header("host").unwrap()), "version": "1", "capabilities": {},
            "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"], "skills": [],
            "preferredTransport": "JSONRPC"}))
    })
    .await;
    assert_eq!(error, "agent speaks A2A 0.3.0 only; this tool tests 1.0");
}

// C093.
#[tokio::test]
async fn what_is_no_card_is_one_clear_error() {
    for (body, expected) in [
        ("{}", "it names no interface to speak to; required members are missing: /name, /description,"),
        ("[]", "it is a list, expected an object"),
        ("null", "it is null, expected an object"),
        ("\"x\"", "it is a string, expected an object"),
        ("<html>", "it is no JSON (expected value at line 1 column 1): <html>"),
    ] {
        let (error, _) = refused(move |_| answer("200 OK", "application/json", body.as_bytes())).await;
        let prefix = "the agent card at http://127.0.0.1:PORT/.well-known/agent-card.json cannot be read: ";
        assert!(error.starts_with(&format!("{prefix}{expected}")), "{error}");
    }
}

#[tokio::test]
async fn a_card_has_a_limit_and_a_deadline() {
    let peer = Peer::start(own_card).await;
    let length = Client::connect(peer.options()).await.unwrap().card_exchange().raw.len();
    let mut options = peer.options();
    options.limits.card_bytes = length;
    assert!(Client::connect(options.clone()).await.is_ok());
    options.limits.card_bytes = length - 1;
    let error = Client::connect(options).await.unwrap_err().to_string();
    assert!(error.ends_with(&format!("it is longer than {} bytes", length - 1)), "{error}");

    let peer = Peer::start(|_| vec![Step::Hold]).await;
    let mut options = peer.options();
    options.timeout = Duration::from_millis(100);
    assert!(matches!(Client::connect(options).await, Err(ClientError::Timeout { .. })));
}

#[tokio::test]
async fn an_agent_that_is_not_there_is_named_with_its_url() {
    let port = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    let options = ClientOptions::new(Url::parse(&format!("http://127.0.0.1:{port}/")).unwrap());
    let error = Client::connect(options).await.unwrap_err();
    assert!(matches!(error, ClientError::Unreachable { .. }));
    let text = error.to_string();
    assert!(text.starts_with(&format!("cannot reach http://127.0.0.1:{port}/.well-known/agent-card.json: ")), "{text}");
    assert!(text.contains("refused"), "{text}");
}

#[tokio::test]
async fn a_peer_without_tls_is_told_apart() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let _ = socket.read(&mut [0; 16]).await;
            let _ = socket.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
            // Closing with unread bytes would reset the connection before the answer is read.
            let _ = tokio::time::timeout(Duration::from_secs(5), socket.read_to_end(&mut Vec::new())).await;
        }
    });
    let options = ClientOptions::new(Url::parse(&format!("https://127.0.0.1:{port}/")).unwrap());
    let (words, error) = match Client::connect(options).await.unwrap_err() {
        // A machine without any certificate authority gets no further.
        error @ ClientError::Setup { .. } => ("SSL_CERT_FILE", error.to_string()),
        error => ("does not seem to speak TLS", error.to_string()),
    };
    assert!(error.contains(words), "{error}");
}

#[tokio::test]
async fn bad_options_are_refused_before_anything_is_sent() {
    let base = |text: &str| ClientOptions::new(Url::parse(text).unwrap());
    for (options, words) in [
        (base("ftp://h/"), "its scheme is neither http nor https"),
        (base("http://u:geheim@h/"), "it has a user or password"),
        (
            ClientOptions { headers: vec![("a b".into(), "x".into())], ..base("http://h/") },
            "the name is no HTTP header name",
        ),
    ] {
        let error = Client::connect(options).await.unwrap_err().to_string();
        assert!(error.contains(words) && !error.contains("geheim"), "{error}");
    }
}

#[tokio::test]
async fn an_interface_elsewhere_needs_permission() {
    let script = |_: &Request| ok(&card("http://localhost:9/rpc", &json!({})));
    let peer = Peer::start(script).await;
    let error = Client::connect(peer.options()).await.unwrap_err();
    assert!(matches!(error, ClientError::CrossOrigin { .. }), "{error}");
    let mut options = peer.options();
    options.allow_cross_origin_interfaces = true;
    assert_eq!(Client::connect(options).await.unwrap().endpoint().url, "http://localhost:9/rpc");
}
