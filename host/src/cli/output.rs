use std::io::{IsTerminal as _, Write as _};

use crate::contract::{Diagnostic, RenderStyle, SourceFile};
use crate::exit::Exit;

/// Where the program speaks: results on stdout, everything else on stderr. A closed pipe is no error: whoever reads has
/// seen enough.
pub(super) struct Output {
    /// How to render on stdout.
    pub(super) stdout: RenderStyle,
    /// How to render on stderr.
    pub(super) stderr: RenderStyle,
    /// Somebody watches stderr.
    pub(super) live: bool,
}

impl Output {
    pub(super) fn new() -> Output {
        let unicode = speaks_utf8();
        let color = |choice| choice != anstream::ColorChoice::Never;
        Output {
            stdout: RenderStyle { color: color(anstream::AutoStream::choice(&std::io::stdout())), unicode },
            stderr: RenderStyle { color: color(anstream::AutoStream::choice(&std::io::stderr())), unicode },
            live: std::io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
        }
    }

    /// Writes a result.
    pub(super) fn result(&self, text: &str) {
        let mut stdout = std::io::stdout().lock();
        let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    }

    /// Writes a remark: each line as it is.
    pub(super) fn remark(&self, text: &str) {
        let _ = std::io::stderr().lock().write_all(format!("{text}\n").as_bytes());
    }

    /// Says why the command could not be executed.
    pub(super) fn error(&self, message: &str) -> Exit {
        let label = if self.stderr.color { "\u{1b}[1;31merror\u{1b}[0m" } else { "error" };
        self.remark(&format!("{label}: {message}"));
        Exit::Unable
    }

    /// Writes diagnostics about a contract file, and a line that counts them. True where none is an error.
    pub(super) fn diagnostics(&self, diagnostics: &[Diagnostic], source: &SourceFile) -> bool {
        for diagnostic in diagnostics {
            self.remark(&diagnostic.render(source, self.stderr));
        }
        let errors = diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).count();
        if errors > 0 {
            let errors = if errors == 1 { "1 error".to_owned() } else { format!("{errors} errors") };
            self.remark(&format!("{}: {errors}; nothing was sent", crate::printable::printable(source.path())));
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
