//! What a guest may ask of the host: time, randomness, a log. Outside wasm these are a real clock, a counter and stderr,
//! so that plugin code runs under `cargo test`.

/// How urgent a log line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the usual words")]
pub enum Level {
    Debug,
    Info,
    Warn,
    Error,
}

impl Level {
    fn word(self) -> &'static str {
        match self {
            Level::Debug => "debug",
            Level::Info => "info",
            Level::Warn => "warn",
            Level::Error => "error",
        }
    }
}

/// Writes a line to the plugin's log, which a2a-host shows with `--verbose` and beside a failure of the plugin.
pub fn log(level: Level, message: &str) {
    imp::log(level, message);
}

/// The time as RFC 3339 in UTC with microseconds and `Z`. Outside wasm always `1970-01-01T00:00:00.000000Z`, so that
/// tests are repeatable.
pub fn now() -> String {
    imp::now()
}

/// Microseconds of a clock that never goes back.
pub fn monotonic_us() -> u64 {
    imp::monotonic_us()
}

/// Random bytes, at most 64 KiB at once. Outside wasm a repeatable sequence.
pub fn random(count: u32) -> Vec<u8> {
    imp::random(count)
}

/// A random UUID, version 4.
pub fn uuid() -> String {
    let mut bytes = random(16);
    bytes.resize(16, 0);
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

/// Sends panic messages to the host's log. The registration macros call it before each exported function; without it a
/// panic is a bare `unreachable` trap (panics abort on this target).
#[doc(hidden)]
pub fn install_panic_hook() {
    #[cfg(target_arch = "wasm32")]
    {
        static ONCE: std::sync::Once = std::sync::Once::new();
        ONCE.call_once(|| {
            std::panic::set_hook(Box::new(|info| log(Level::Error, &info.to_string())));
        });
    }
}

#[cfg(target_arch = "wasm32")]
mod imp {
    use super::Level;
    use crate::bindings::shared::a2a_host::plugin::host;

    pub fn log(level: Level, message: &str) {
        host::log(level.word(), message);
    }
    pub fn now() -> String {
        host::now()
    }
    pub fn monotonic_us() -> u64 {
        host::monotonic_us()
    }
    pub fn random(count: u32) -> Vec<u8> {
        host::random(count)
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod imp {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Instant;

    use super::Level;

    #[allow(clippy::print_stderr, reason = "the log of a native test is its stderr")]
    pub fn log(level: Level, message: &str) {
        eprintln!("[{}] {message}", level.word());
    }
    pub fn now() -> String {
        "1970-01-01T00:00:00.000000Z".into()
    }
    pub fn monotonic_us() -> u64 {
        static START: OnceLock<Instant> = OnceLock::new();
        u64::try_from(START.get_or_init(Instant::now).elapsed().as_micros()).unwrap_or(u64::MAX)
    }
    pub fn random(count: u32) -> Vec<u8> {
        static SEED: AtomicU64 = AtomicU64::new(0);
        (0..count)
            .map(|_| {
                // SplitMix64: repeatable, and spread well enough for ids in tests.
                let mut mixed =
                    SEED.fetch_add(1, Ordering::Relaxed).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                mixed.to_be_bytes()[0]
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uuids_are_version_4_and_differ() {
        let (one, two) = (uuid(), uuid());
        assert_ne!(one, two);
        assert_eq!(one.len(), 36);
        assert_eq!(&one[14..15], "4");
        assert!(matches!(&one[19..20], "8" | "9" | "a" | "b"));
    }
}
