//! What a guest says: its log lines and what it prints, bounded, passed on to `tracing` under the target `plugin`.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use tokio::io::AsyncWrite;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};

use crate::printable::{escape, is_hidden};

/// The log of one instance.
pub(crate) struct PluginLog {
    label: String,
    left: usize,
    text: usize,
    last_error: Option<String>,
}

impl PluginLog {
    pub(crate) fn new(label: &str, lines: usize, text: usize) -> Self {
        PluginLog { label: label.to_owned(), left: lines, text, last_error: None }
    }

    /// Takes a line. Past the limit it is dropped; that lines were dropped is said once.
    pub(crate) fn line(&mut self, level: &str, message: &str) {
        // An error is remembered even when its line is dropped: it explains a trap.
        if self.left == 0 && level != "error" {
            return;
        }
        // One line stays one line: a guest must not write lines that look like somebody else's.
        let message = cut(message, self.text).replace('\n', "\\n");
        if level == "error" {
            self.last_error = Some(message.clone());
        }
        let Some(left) = self.left.checked_sub(1) else { return };
        self.left = left;
        let plugin = self.label.as_str();
        match level {
            "debug" => tracing::debug!(target: "plugin", plugin, "{message}"),
            "warn" => tracing::warn!(target: "plugin", plugin, "{message}"),
            // A panic or an error ends in a failure that carries this text; the log has it for `--verbose`.
            "error" => tracing::info!(target: "plugin", plugin, "error: {message}"),
            _ => tracing::info!(target: "plugin", plugin, "{message}"),
        }
        if left == 0 {
            tracing::info!(target: "plugin", plugin, "further log lines of this instance are dropped");
        }
    }

    /// Forgets the error of an earlier call.
    pub(crate) fn forget_error(&mut self) {
        self.last_error = None;
    }

    pub(crate) fn last_error(&self) -> Option<&str> {
        self.last_error.as_deref()
    }
}

/// At most `limit` characters, with `…` where something was cut. What could rewrite a terminal becomes a visible escape;
/// line breaks and tabs stay.
pub(crate) fn cut(text: &str, limit: usize) -> String {
    let mut kept = String::with_capacity(text.len().min(limit));
    let mut length = 0;
    for character in text.chars() {
        let before = kept.len();
        match character {
            '\n' | '\t' => kept.push(character),
            _ if is_hidden(character) => escape(character, &mut kept),
            _ => kept.push(character),
        }
        length += kept[before..].chars().count();
        if length > limit {
            kept.truncate(before);
            kept.push('…');
            break;
        }
    }
    kept
}

/// Standard output or error of a guest: every write is a line of its log.
#[derive(Clone)]
pub(crate) struct LogPipe {
    log: Arc<Mutex<PluginLog>>,
    level: &'static str,
}

impl LogPipe {
    pub(crate) fn new(log: Arc<Mutex<PluginLog>>, level: &'static str) -> Self {
        LogPipe { log, level }
    }
}

impl IsTerminal for LogPipe {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for LogPipe {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(self.clone())
    }
}

impl AsyncWrite for LogPipe {
    fn poll_write(self: Pin<&mut Self>, _context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let text = String::from_utf8_lossy(bytes);
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            log.line(self.level, line);
        }
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_at_the_limit_and_not_before() {
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("abcd", 3), "abc…");
    }

    #[test]
    fn what_could_rewrite_a_terminal_is_escaped() {
        assert_eq!(cut("a\u{1b}[2Jb\u{202e}c", 100), "a\\u{1b}[2Jb\\u{202e}c");
    }

    #[test]
    fn the_panic_message_is_remembered_even_when_lines_are_dropped() {
        let mut log = PluginLog::new("p", 1, 100);
        log.line("info", "one");
        log.line("error", "panicked");
        assert_eq!(log.last_error(), Some("panicked"));
    }
}
