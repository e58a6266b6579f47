use std::io::{IsTerminal as _, Write as _};
use std::sync::OnceLock;

use crate::contract::{Diagnostic, RenderStyle, SourceFile};
use crate::exit::Exit;
use crate::printable::printable;

/// Where the program speaks: results on stdout, everything else on stderr. A closed pipe is no error: whoever reads has
/// seen enough.
pub(super) struct Output {
    /// How to render on stdout.
    pub(super) stdout: RenderStyle,
    /// How to render on stderr.
    pub(super) stderr: RenderStyle,
    /// Somebody watches stderr.
    pub(super) live: bool,
    /// Why a result could not be written.
    failure: OnceLock<String>,
}

/// Diagnostics that are shown of one file: more than anybody reads at once.
const MAX_SHOWN: usize = 100;

impl Output {
    pub(super) fn new() -> Output {
        let unicode = speaks_utf8();
        let color = |choice| choice != anstream::ColorChoice::Never;
        Output {
            stdout: RenderStyle { color: color(anstream::AutoStream::choice(&std::io::stdout())), unicode },
            stderr: RenderStyle { color: color(anstream::AutoStream::choice(&std::io::stderr())), unicode },
            live: std::io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
            failure: OnceLock::new(),
        }
    }

    /// Writes a result. What goes wrong is kept for the end of the program.
    pub(super) fn result(&self, text: &str) {
        let mut stdout = std::io::stdout().lock();
        match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                let _ = self.failure.set(error.to_string());
            }
            _ => {}
        }
    }

    /// How the program ends, if the command ended with `exit`: a result that nobody can read is none.
    pub(super) fn end(&self, exit: Exit) -> Exit {
        match self.failure.get() {
            Some(why) => self.error(&format!("the result cannot be written to stdout: {why}")),
            None => exit,
        }
    }

    /// Writes a remark: each line as it is.
    pub(super) fn remark(&self, text: &str) {
        let _ = std::io::stderr().lock().write_all(format!("{text}\n").as_bytes());
    }

    /// Says why the command could not be executed.
    pub(super) fn error(&self, message: &str) -> Exit {
        let label = if self.stderr.color { "\u{1b}[1;31merror\u{1b}[0m" } else { "error" };
        // Our own messages have lines; foreign text in them must not steer the terminal.
        let message: Vec<_> = message.lines().map(printable).collect();
        self.remark(&format!("{label}: {}", message.join("\n")));
        Exit::Unable
    }

    /// Writes diagnostics about a contract file, and a line that counts them. True where none is an error.
    pub(super) fn diagnostics(&self, diagnostics: &[Diagnostic], source: &SourceFile) -> bool {
        for diagnostic in diagnostics.iter().take(MAX_SHOWN) {
            self.remark(&diagnostic.render(source, self.stderr));
        }
        if let Some(more) = diagnostics.len().checked_sub(MAX_SHOWN).filter(|more| *more > 0) {
            self.remark(&format!("{more} more problems are not shown"));
        }
        let errors = diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).count();
        if errors > 0 {
            let errors = if errors == 1 { "1 error".to_owned() } else { format!("{errors} errors") };
            self.remark(&format!("{}: {errors}; nothing was sent", printable(source.path())));
        }
        errors == 0
    }
}

/// Whether the locale says that the terminal shows UTF-8; ASCII is drawn otherwise. The first of the three that is set
/// decides, as POSIX has it.
fn speaks_utf8() -> bool {
    if cfg!(windows) {
        return true;
    }
    let locale =
        ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| std::env::var(name).ok().filter(|v| !v.is_empty()));
    locale.is_some_and(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}
