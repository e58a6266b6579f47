use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::serve::ListenerExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::binding::{App, router};
use super::card::Card;
use super::command::CommandTable;
use super::engine::{Engine, Limits};
use super::error::StartError;
use super::fault::{Fault, Faults};
use super::plugins::Extensions;
use super::service::Service;
use crate::a2a::WELL_KNOWN_CARD_PATH;
use crate::sandbox::ExtensionHandler;

/// How long a shutdown waits for connections to end. Streams and waiting calls are ended at once, so this is for clients
/// that do not read what is on its way to them.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(5);

/// The dummy agent.
pub struct Agent;

impl Agent {
    /// An agent on 127.0.0.1 and a free port, with the native commands.
    pub fn builder() -> AgentBuilder {
        AgentBuilder {
            host: Ipv4Addr::LOCALHOST.to_string(),
            port: 0,
            public_url: None,
            limits: Limits::default(),
            enforce_required: false,
            plugins: Vec::new(),
            faults: Vec::new(),
            #[cfg(test)]
            commands: Vec::new(),
        }
    }
}

/// What an agent is to be like.
pub struct AgentBuilder {
    host: String,
    port: u16,
    public_url: Option<String>,
    limits: Limits,
    enforce_required: bool,
    plugins: Vec<Arc<dyn ExtensionHandler>>,
    faults: Vec<Arc<dyn Fault>>,
    #[cfg(test)]
    commands: Vec<Arc<dyn super::command::Command>>,
}

impl AgentBuilder {
    /// Name or address to listen on.
    #[must_use]
    pub fn host(mut self, host: impl Into<String>) -> Self {
        self.host = host.into();
        self
    }

    /// Port to listen on; 0 takes a free one.
    #[must_use]
    pub fn port(mut self, port: u16) -> Self {
        self.port = port;
        self
    }

    /// The URL of the card's interface, where clients reach the agent by another one than that it listens on.
    #[must_use]
    pub fn public_url(mut self, url: impl Into<String>) -> Self {
        self.public_url = Some(url.into());
        self
    }

    /// Tasks to remember, at least 1; by default 10,000. A new task takes the place of the oldest finished one.
    #[must_use]
    pub fn max_tasks(mut self, max_tasks: usize) -> Self {
        self.limits.max_tasks = max_tasks;
        self
    }

    /// Refuse messages whose `A2A-Extensions` does not name every required extension (§3.3.4). By default the card declares
    /// them as required and nothing is refused, so that plain clients can be tested with the same plugins.
    #[must_use]
    pub fn enforce_required_extensions(mut self, enforce: bool) -> Self {
        self.enforce_required = enforce;
        self
    }

    /// Adds an extension plugin; its extensions, skills and commands come behind those of earlier ones.
    #[must_use]
    pub fn plugin(mut self, plugin: Arc<dyn ExtensionHandler>) -> Self {
        self.plugins.push(plugin);
        self
    }

    /// Adds a fault, behind earlier ones.
    #[must_use]
    pub fn fault(mut self, fault: Arc<dyn Fault>) -> Self {
        self.faults.push(fault);
        self
    }

    /// Adds a native command that only tests need.
    #[cfg(test)]
    pub(super) fn command(mut self, command: Arc<dyn super::command::Command>) -> Self {
        self.commands.push(command);
        self
    }

    /// Starts to listen. The agent serves until it is shut down or dropped.
    ///
    /// # Errors
    ///
    /// When the plugins do not go together, an option is out of range, or the address is not to be had.
    pub async fn start(self) -> Result<RunningAgent, StartError> {
        if self.limits.max_tasks == 0 {
            return Err(StartError::NoTasks);
        }
        let extensions = Arc::new(Extensions::load(&self.plugins)?);
        let mut commands = CommandTable::native(&extensions);
        let warnings = extensions.add_commands(&mut commands)?;
        #[cfg(test)]
        for command in self.commands {
            commands.insert(command);
        }
        if let Some(url) = &self.public_url {
            check_url(url)?;
        }
        let failed = |source| StartError::Listen { host: self.host.clone(), port: self.port, source };
        let listener = TcpListener::bind((self.host.as_str(), self.port)).await.map_err(failed)?;
        let addr = listener.local_addr().map_err(failed)?;
        let url = self.public_url.unwrap_or_else(|| reachable_url(&self.host, addr));

        let shutdown = CancellationToken::new();
        let card = Card::new(&url, &commands.skills(), extensions.infos());
        let service = Service {
            engine: Engine::new(self.limits, shutdown.clone()),
            commands,
            extensions,
            enforce_required: self.enforce_required,
            shutdown: shutdown.clone(),
        };
        let app = router(Arc::new(App { service, card, faults: Faults(self.faults) }));
        let server =
            axum::serve(listener.tap_io(set_up), app).with_graceful_shutdown(shutdown.clone().cancelled_owned());
        let server = tokio::spawn(async move {
            if let Err(error) = server.await {
                tracing::error!(%error, "the listener failed");
            }
        });
        Ok(RunningAgent { url, addr, warnings, server, shutdown: shutdown.drop_guard() })
    }
}

/// An agent that listens. Dropping it ends it too, without waiting.
pub struct RunningAgent {
    url: String,
    addr: SocketAddr,
    warnings: Vec<String>,
    server: JoinHandle<()>,
    shutdown: DropGuard,
}

impl RunningAgent {
    /// The URL of the card's interface, without a trailing slash unless `public_url` has one.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Where the card is.
    pub fn card_url(&self) -> String {
        format!("{}{WELL_KNOWN_CARD_PATH}", self.url.trim_end_matches('/'))
    }

    /// The address that is listened on.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// What was found odd about the plugins, one sentence each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Stops listening, ends every stream, waiting call and command, and waits until the connections are closed, at most
    /// five seconds.
    pub async fn shutdown(self) {
        self.shutdown_within(SHUTDOWN_LIMIT).await;
    }

    async fn shutdown_within(self, limit: Duration) {
        drop(self.shutdown);
        if tokio::time::timeout(limit, self.server).await.is_err() {
            tracing::warn!("some clients did not read what they were sent; their connections are left to themselves");
        }
    }
}

/// Options of an accepted connection. Without TCP_NODELAY each small event of a stream waits for the client's
/// acknowledgement of the one before, some 40 ms.
fn set_up(stream: &mut TcpStream) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::warn!(%error, "cannot set TCP_NODELAY");
    }
}

/// The URL at which a client on this machine reaches the agent: a wildcard address is no place to connect to.
fn reachable_url(host: &str, addr: SocketAddr) -> String {
    let host = match host.trim_matches(['[', ']']).parse::<IpAddr>() {
        Ok(IpAddr::V4(ip)) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.to_string(),
        Ok(IpAddr::V6(ip)) if ip.is_unspecified() => format!("[{}]", Ipv6Addr::LOCALHOST),
        Ok(IpAddr::V6(ip)) => format!("[{ip}]"),
        Ok(IpAddr::V4(ip)) => ip.to_string(),
        Err(_) => host.to_owned(),
    };
    format!("http://{host}:{}", addr.port())
}

fn check_url(value: &str) -> Result<(), StartError> {
    let wrong = |why: String| StartError::PublicUrl { value: value.to_owned(), why };
    let url = url::Url::parse(value).map_err(|why| wrong(why.to_string()))?;
    match url.scheme() {
        "http" | "https" => Ok(()),
        other => Err(wrong(format!("the scheme is {other}"))),
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[test]
    fn a_wildcard_host_is_written_as_loopback() {
        for (host, bound, url) in [
            ("127.0.0.1", "127.0.0.1:9000", "http://127.0.0.1:9000"),
            ("0.0.0.0", "0.0.0.0:9000", "http://127.0.0.1:9000"),
            ("::", "[::]:9000", "http://[::1]:9000"),
            ("::1", "[::1]:9000", "http://[::1]:9000"),
            ("localhost", "127.0.0.1:9000", "http://localhost:9000"),
        ] {
            assert_eq!(reachable_url(host, bound.parse().unwrap()), url);
        }
    }

    #[tokio::test]
    async fn accepted_connections_do_not_collect_small_writes() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (accepted, _client) = tokio::join!(listener.accept(), TcpStream::connect(listener.local_addr().unwrap()));
        let (mut accepted, _) = accepted.unwrap();
        assert!(!accepted.nodelay().unwrap(), "else this test shows nothing");
        set_up(&mut accepted);
        assert!(accepted.nodelay().unwrap());
    }

    #[tokio::test]
    async fn a_client_that_stalls_does_not_hold_up_the_shutdown_for_ever() {
        let agent = Agent::builder().start().await.unwrap();
        let mut client = TcpStream::connect(agent.addr()).await.unwrap();
        client
            .write_all(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n")
            .await
            .unwrap();
        // Once the agent asks for the body it waits for it.
        client.read_u8().await.unwrap();
        agent.shutdown_within(Duration::from_millis(50)).await;
    }
}
