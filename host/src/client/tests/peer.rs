//! A scripted agent on loopback that writes exact bytes.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

use crate::a2a::Exchange;
use crate::client::{Client, ClientOptions};

/// A request as it arrived.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Request {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// What the peer does with the connection; after the last step it closes it.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Send(Vec<u8>),
    Pause(Duration),
    /// Closes with a TCP reset.
    Reset,
    /// Keeps the connection open for long.
    Hold,
}

pub(super) struct Peer {
    pub(super) port: u16,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Peer {
    pub(super) async fn start(script: impl Fn(&Request) -> Vec<Step> + Send + Sync + 'static) -> Peer {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let script = Arc::new(script);
        let log = requests.clone();
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let (script, log) = (script.clone(), log.clone());
                tokio::spawn(async move {
                    // A client that went away early is part of some tests.
                    let _ = serve(socket, &*script, &log).await;
                });
            }
        });
        Peer { port, requests }
    }

    /// An agent with a streaming card; `script` answers the calls.
    pub(super) async fn agent(script: impl Fn(&Request) -> Vec<Step> + Send + Sync + 'static) -> Peer {
        Peer::agent_with(json!({}), script).await
    }

    /// An agent whose card's interface has these members as well.
    pub(super) async fn agent_with(
        extra: Value,
        script: impl Fn(&Request) -> Vec<Step> + Send + Sync + 'static,
    ) -> Peer {
        Peer::start(move |request| {
            if request.method == "GET" && request.path.starts_with("/.well-known/") {
                let base = format!("http://{}/rpc", request.header("host").unwrap());
                return answer("200 OK", "application/json", card(&base, &extra).to_string().as_bytes());
            }
            script(request)
        })
        .await
    }

    pub(super) fn url(&self, path: &str) -> Url {
        Url::parse(&format!("http://127.0.0.1:{}{path}", self.port)).unwrap()
    }

    pub(super) fn options(&self) -> ClientOptions {
        let mut options = ClientOptions::new(self.url("/"));
        options.timeout = Duration::from_secs(20);
        // Short, so that the tests are; those about the grace itself allow for a slow machine.
        options.limits.close_grace = Duration::from_millis(100);
        options
    }

    pub(super) async fn client(&self) -> Client {
        Client::connect(self.options()).await.unwrap()
    }

    /// The requests so far, those for the card left out.
    pub(super) fn calls(&self) -> Vec<Request> {
        self.all().into_iter().filter(|request| request.method != "GET").collect()
    }

    pub(super) fn all(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

pub(super) fn card(url: &str, extra: &Value) -> Value {
    let mut interface = json!({"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"});
    for (key, value) in extra.as_object().unwrap() {
        interface[key] = value.clone();
    }
    json!({
        "name": "peer", "description": "scripted", "version": "1", "capabilities": {"streaming": true},
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "s", "name": "s", "description": "", "tags": ["t"]}],
        "supportedInterfaces": [interface],
    })
}

async fn serve(
    mut socket: TcpStream,
    script: &(impl Fn(&Request) -> Vec<Step> + Send + Sync),
    log: &Mutex<Vec<Request>>,
) -> std::io::Result<()> {
    socket.set_nodelay(true)?;
    let Some(request) = read(&mut socket).await? else { return Ok(()) };
    log.lock().unwrap().push(request.clone());
    let id = serde_json::from_slice::<Value>(&request.body).map_or(Value::Null, |body| body["id"].clone());
    for step in script(&request) {
        match step {
            Step::Send(bytes) => {
                socket.write_all(&with_id(&bytes, &id.to_string())).await?;
                socket.flush().await?;
            }
            Step::Pause(time) => tokio::time::sleep(time).await,
            Step::Reset => {
                socket.set_zero_linger()?;
                return Ok(());
            }
            Step::Hold => tokio::time::sleep(Duration::from_secs(60)).await,
        }
    }
    Ok(())
}

async fn read(socket: &mut TcpStream) -> std::io::Result<Option<Request>> {
    let mut raw = Vec::new();
    let end = loop {
        if let Some(end) = raw.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        if socket.read_buf(&mut raw).await? == 0 {
            return Ok(None);
        }
    };
    let head = String::from_utf8(raw[..end].to_vec()).unwrap();
    let mut lines = head.lines();
    let mut first = lines.next().unwrap().split(' ');
    let (method, path) = (first.next().unwrap().to_owned(), first.next().unwrap().to_owned());
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let mut request = Request { method, path, headers, body: raw.split_off(end + 4) };
    let length: usize = request.header("content-length").map_or(0, |length| length.parse().unwrap());
    while request.body.len() < length {
        socket.read_buf(&mut request.body).await?;
    }
    Ok(Some(request))
}

/// `$ID` stands for the id of the request. An answer with one has no fixed length.
fn with_id(bytes: &[u8], id: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = bytes;
    while let Some(at) = rest.windows(3).position(|window| window == b"$ID") {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(id.as_bytes());
        rest = &rest[at + 3..];
    }
    out.extend_from_slice(rest);
    out
}

/// A plain answer; its end is the end of the connection, so that `$ID` may change its length.
pub(super) fn answer(status: &str, content_type: &str, body: &[u8]) -> Vec<Step> {
    let head = format!("HTTP/1.1 {status}\r\ncontent-type: {content_type}\r\nconnection: close\r\n\r\n");
    vec![Step::Send([head.as_bytes(), body].concat())]
}

/// A plain JSON-RPC answer.
pub(super) fn result(result: &Value) -> Vec<Step> {
    let body = format!("{{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{result}}}");
    answer("200 OK", "application/json", body.as_bytes())
}

/// The head of an event stream whose end is the end of the connection.
pub(super) fn stream_head() -> Step {
    Step::Send(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n".to_vec())
}

/// The head of a chunked event stream.
pub(super) fn chunked_head() -> Step {
    Step::Send(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n".to_vec())
}

/// One chunk of a chunked body; the text holds no `$ID`.
pub(super) fn chunk(text: &str) -> Step {
    Step::Send(format!("{:x}\r\n{text}\r\n", text.len()).into_bytes())
}

/// One event with a result.
pub(super) fn event(result: &Value) -> String {
    format!("data: {{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{result}}}\n\n")
}

/// A stream of events that is closed at its end.
pub(super) fn events(results: &[Value]) -> Vec<Step> {
    bytes(results.iter().map(event).collect::<String>())
}

/// A stream of these very bytes.
pub(super) fn bytes(text: impl AsRef<[u8]>) -> Vec<Step> {
    vec![stream_head(), Step::Send(text.as_ref().to_vec())]
}

pub(super) fn task(state: &str) -> Value {
    json!({"task": {"id": "t1", "contextId": "c1", "status": {"state": state}}})
}

pub(super) fn update(state: &str) -> Value {
    json!({"statusUpdate": {"taskId": "t1", "contextId": "c1", "status": {"state": state}}})
}

pub(super) fn says(text: &str) -> Value {
    json!({"statusUpdate": {"taskId": "t1", "contextId": "c1", "status": {"state": "TASK_STATE_COMPLETED",
        "message": {"messageId": "m1", "role": "ROLE_AGENT", "parts": [{"text": text}]}}}})
}

pub(super) fn hello() -> Value {
    json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "hello"}]}})
}

/// Sends a streaming message to an agent that answers with these steps.
pub(super) async fn stream(steps: Vec<Step>) -> Exchange {
    let peer = Peer::agent(move |_| steps.clone()).await;
    let client = peer.client().await;
    client.call("SendStreamingMessage", hello(), &client.call_options()).await
}

/// Sends a message to an agent that answers with these steps.
pub(super) async fn send(steps: Vec<Step>) -> Exchange {
    let peer = Peer::agent(move |_| steps.clone()).await;
    let client = peer.client().await;
    client.call("SendMessage", hello(), &client.call_options()).await
}

/// Codes of deviations with the index of their event.
pub(super) fn codes(exchange: &Exchange) -> Vec<(&'static str, Option<usize>)> {
    exchange.deviations.iter().map(|deviation| (deviation.code, deviation.event)).collect()
}
