//! What belongs to one instance: its WASI context with nothing granted, its meter, its log, and the part it plays.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use wasmtime::component::ResourceTable;
use wasmtime::{Error, ResourceLimiter, Result};
use wasmtime_wasi::{WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};

use super::limits::{HOST_CALL_BYTES, Limits, MAX_RANDOM_BYTES};
use super::log::{LogPipe, PluginLog};
use super::ports::{AgentPort, EventStreamPort, ReceiverPort, StimuliPort, TaskPort, WebhookPort};
use super::verdict::ObservedTurn;

/// What a pack reaches.
#[derive(Clone)]
pub struct PackPorts {
    /// The agent under test.
    pub agent: Arc<dyn AgentPort>,
    /// What makes it show its behaviours.
    pub stimuli: Arc<dyn StimuliPort>,
    /// Addresses for notifications.
    pub webhook: Arc<dyn WebhookPort>,
}

/// The part that an instance plays in the current call: what its imports answer from.
#[derive(Default)]
pub(crate) enum Role {
    /// Describing itself, or reading a config.
    #[default]
    Idle,
    /// Judging a turn.
    Turn(Arc<ObservedTurn>),
    /// Verifying a contract.
    Pack(PackPorts),
    /// Handling a task; the task itself travels as a resource.
    Task,
}

/// The task resource of `tasks.wit`.
pub struct TaskHandle {
    pub(crate) port: Arc<dyn TaskPort>,
    events: usize,
    bytes: usize,
    events_left: usize,
    bytes_left: usize,
}

impl TaskHandle {
    pub(crate) fn new(port: Arc<dyn TaskPort>, limits: &Limits) -> Self {
        let (events, bytes) = (limits.events, limits.event_bytes);
        TaskHandle { port, events, bytes, events_left: events, bytes_left: bytes }
    }

    /// Counts an event before it is sent.
    ///
    /// # Errors
    /// Ends the call: a handler that floods its task is broken, and the agent keeps what it sends.
    pub(crate) fn count_event(&mut self, bytes: usize) -> Result<()> {
        match (self.events_left.checked_sub(1), self.bytes_left.checked_sub(bytes)) {
            (Some(events), Some(left)) => {
                (self.events_left, self.bytes_left) = (events, left);
                Ok(())
            }
            (None, _) => Err(Error::msg(format!("it sent more than {} events, the limit for one task", self.events))),
            (_, None) => {
                let mebibytes = self.bytes / (1024 * 1024);
                Err(Error::msg(format!("it sent more than {mebibytes} MiB of events, the limit for one task")))
            }
        }
    }
}

/// The stream resource of `agent.wit`.
pub struct OpenStream {
    pub(crate) port: Box<dyn EventStreamPort>,
}

/// The receiver resource of `webhook.wit`.
pub struct OpenReceiver {
    pub(crate) port: Box<dyn ReceiverPort>,
}

/// The data of a store.
pub(crate) struct GuestState {
    wasi: WasiCtx,
    pub(crate) table: ResourceTable,
    pub(crate) meter: Meter,
    pub(crate) log: Arc<Mutex<PluginLog>>,
    pub(crate) limits: Arc<Limits>,
    pub(crate) role: Role,
    pub(crate) born: Instant,
    requests_left: usize,
    traffic_left: usize,
    /// Streams and receivers that are open.
    open: usize,
}

/// WASI's pollables, streams and ours: more than this is a leak.
const MAX_RESOURCES: usize = 1_000;
/// A host call that moves more than this lets others go first; it takes tens of microseconds.
const LARGE_TRANSFER: usize = 64 * 1024;
/// Streams and receivers open at once: each may hold a whole reply.
const MAX_OPEN: usize = 16;

impl GuestState {
    pub(crate) fn new(label: &str, limits: Arc<Limits>) -> Self {
        let log = Arc::new(Mutex::new(PluginLog::new(label, limits.log_lines, limits.text)));
        // Nothing is granted: no arguments, environment, files or sockets. What the guest prints goes to its log.
        let wasi = WasiCtxBuilder::new()
            .stdout(LogPipe::new(log.clone(), "info"))
            .stderr(LogPipe::new(log.clone(), "warn"))
            .allow_tcp(false)
            .allow_udp(false)
            .max_random_size(u64::from(MAX_RANDOM_BYTES))
            .build();
        let mut table = ResourceTable::new();
        table.set_max_capacity(MAX_RESOURCES);
        let meter = Meter {
            memory: 0,
            memory_limit: limits.memory,
            elements: 0,
            elements_limit: limits.table_elements,
            items: limits.items,
            refused: None,
        };
        GuestState {
            wasi,
            table,
            meter,
            log,
            requests_left: limits.requests,
            traffic_left: limits.traffic,
            open: 0,
            limits,
            role: Role::Idle,
            born: Instant::now(),
        }
    }

    /// A new call begins: what it may move is whole again, and what an earlier one was refused or said is past.
    pub(crate) fn begin_call(&mut self, role: Role) {
        self.role = role;
        self.traffic_left = self.limits.traffic;
        self.meter.refused = None;
        self.log.lock().unwrap_or_else(PoisonError::into_inner).forget_error();
    }

    /// Begins a host call that moves these bytes, arguments and answer together: counts it, and lets other work of the
    /// runtime go on, so that a guest that calls the host without end neither holds a thread nor outlives its deadline.
    ///
    /// # Errors
    /// Ends the call: what the host does for a guest costs time that no fuel counts.
    pub(crate) async fn host_call(&mut self, bytes: usize) -> Result<()> {
        let Some(left) = self.traffic_left.checked_sub(bytes.saturating_add(HOST_CALL_BYTES)) else {
            let mebibytes = self.limits.traffic / (1024 * 1024);
            return Err(Error::msg(format!(
                "it called the host too often or with too much: more than {mebibytes} MiB in one call, counting 1 KiB for each"
            )));
        };
        self.traffic_left = left;
        if bytes > LARGE_TRANSFER {
            tokio::task::yield_now().await
        } else {
            tokio::task::consume_budget().await
        }
        Ok(())
    }

    /// Counts a stream or receiver that opens.
    ///
    /// # Errors
    /// Ends the call: too many are open already.
    pub(crate) fn count_open(&mut self) -> Result<()> {
        if self.open >= MAX_OPEN {
            return Err(Error::msg(format!("it holds {MAX_OPEN} streams and receivers open, the limit at once")));
        }
        self.open += 1;
        Ok(())
    }

    /// A stream or receiver closed.
    pub(crate) fn count_close(&mut self) {
        self.open = self.open.saturating_sub(1);
    }

    /// Counts a request, stream or receiver before it is made.
    ///
    /// # Errors
    /// Ends the call: a contract that floods the agent is broken.
    pub(crate) fn count_request(&mut self) -> Result<()> {
        let Some(left) = self.requests_left.checked_sub(1) else {
            return Err(Error::msg(format!(
                "it made more than {} requests, the limit for one contract",
                self.limits.requests
            )));
        };
        self.requests_left = left;
        Ok(())
    }

    /// The last line that the guest logged as an error: its panic message, as a rule.
    pub(crate) fn last_error(&self) -> Option<String> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).last_error().map(str::to_owned)
    }
}

impl WasiView for GuestState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

/// What a guest was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// Bytes of memory it asked for in all.
    Memory(usize),
    /// Table elements it asked for in all.
    Elements(usize),
}

/// Counts memory and tables of an instance, and remembers what it refused: a guest that is refused memory usually traps
/// with something unrelated afterwards.
pub(crate) struct Meter {
    memory: usize,
    pub(crate) memory_limit: usize,
    elements: usize,
    pub(crate) elements_limit: usize,
    items: usize,
    pub(crate) refused: Option<Refused>,
}

impl ResourceLimiter for Meter {
    fn memory_growing(&mut self, current: usize, desired: usize, _maximum: Option<usize>) -> Result<bool> {
        let wanted = self.memory.saturating_add(desired.saturating_sub(current));
        if wanted > self.memory_limit {
            self.refused = Some(Refused::Memory(wanted));
            return Ok(false);
        }
        self.memory = wanted;
        Ok(true)
    }

    fn table_growing(&mut self, current: usize, desired: usize, _maximum: Option<usize>) -> Result<bool> {
        let wanted = self.elements.saturating_add(desired.saturating_sub(current));
        if wanted > self.elements_limit {
            self.refused = Some(Refused::Elements(wanted));
            return Ok(false);
        }
        self.elements = wanted;
        Ok(true)
    }

    fn instances(&self) -> usize {
        self.items
    }

    fn tables(&self) -> usize {
        self.items
    }

    fn memories(&self) -> usize {
        self.items
    }
}
