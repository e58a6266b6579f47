use std::time::Duration;

/// What a guest may use. Every number is a bound on one call or one instance, so that what a guest does costs at most
/// that one check, contract or task.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// CPU budget of one call, in wasmtime's fuel; about seven million units are a millisecond on a current machine. The
    /// count is the same in every run, so the verdict does not depend on the load of the machine.
    pub fuel: u64,
    /// CPU budget of making an instance: its start functions.
    pub start_fuel: u64,
    /// Linear memory of an instance, all memories together, in bytes.
    pub memory: usize,
    /// Elements of all tables of an instance together.
    pub table_elements: usize,
    /// Core instances, memories and tables that a component may make; a component holds several core modules.
    pub items: usize,
    /// Bytes that a guest may hand over in one call or answer.
    pub transfer: usize,
    /// Bytes that one call may move between guest and host, both ways together, each host call counting as
    /// [`HOST_CALL_BYTES`] more: what the host does for a guest costs time that no fuel counts.
    pub traffic: usize,
    /// Wall-clock time of making an instance and of a call, waiting included. A contract and a handled task have deadlines of
    /// their own. It is far above what the fuel allows, so only waiting meets it.
    pub deadline: Duration,
    /// Log lines of one instance; the rest is dropped, which is said once.
    pub log_lines: usize,
    /// Findings of one answer; the rest is dropped and counted.
    pub findings: usize,
    /// Characters of one text in a finding, a log line or an error; the rest is cut.
    pub text: usize,
    /// Events that a handler may send for one task.
    pub events: usize,
    /// Bytes that a handler may send for one task, all events together: the dummy agent keeps them.
    pub event_bytes: usize,
    /// Requests, streams and receivers that one contract may open.
    pub requests: usize,
}

/// A component larger than this is refused before it is compiled: a JavaScript guest is 12 MB, a Python guest 18 MB, and
/// compiling costs about two CPU seconds per megabyte.
pub const MAX_COMPONENT_BYTES: u64 = 64 * MIB as u64;

/// Components over this size carry an interpreter (JavaScript, Python) and need other limits; the largest Rust guest known
/// is under 4 MB.
pub const LARGE_COMPONENT_BYTES: usize = 5 * MIB;

/// Random bytes of one call, as `wit/host.wit` promises.
pub const MAX_RANDOM_BYTES: u32 = 64 * 1024;

/// What a host call counts besides its bytes: it takes about a microsecond, in which a kilobyte is copied many times.
pub const HOST_CALL_BYTES: usize = 1024;

const MIB: usize = 1024 * 1024;

impl Limits {
    /// The defaults for a component of that size.
    pub fn for_component(bytes: usize) -> Limits {
        if bytes > LARGE_COMPONENT_BYTES { Limits::large() } else { Limits::small() }
    }

    /// Compiled guests (Rust, C): 64 MiB hold the largest reply the client accepts several times over, two billion fuel
    /// are about 0.3 s of CPU.
    fn small() -> Limits {
        Limits {
            fuel: 2_000_000_000,
            start_fuel: 200_000_000,
            memory: 64 * MIB,
            table_elements: 20_000,
            items: 50,
            transfer: 16 * MIB,
            // A check that reads the largest reply four times over, or some 260,000 calls.
            traffic: 256 * MIB,
            deadline: Duration::from_secs(120),
            log_lines: 200,
            findings: 100,
            text: 4_000,
            events: 10_000,
            event_bytes: 32 * MIB,
            requests: 1_000,
        }
    }

    /// Guests with an interpreter inside: they start with tens of megabytes and run some thirty times slower.
    fn large() -> Limits {
        Limits {
            fuel: 30_000_000_000,
            start_fuel: 5_000_000_000,
            memory: 512 * MIB,
            table_elements: 200_000,
            items: 200,
            ..Limits::small()
        }
    }
}
