use std::borrow::Cow;

use super::source::Span;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The contract cannot be used.
    Error,
    /// The contract can be used; something about it may surprise.
    Warning,
}

/// One thing to say about a contract file.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// A stable name for the kind of problem, such as `unknown-key`.
    pub code: Cow<'static, str>,
    /// What is wrong, as a lower-case fragment.
    pub message: String,
    /// The place; none where the whole file is meant.
    pub span: Option<Span>,
    /// What was found or expected at the place; shown behind the caret.
    pub label: Option<String>,
    /// What to do about it.
    pub help: Option<String>,
    /// Further facts, one sentence each.
    pub notes: Vec<String>,
    /// Other places that matter, each with its label.
    pub related: Vec<(Span, String)>,
}

impl Diagnostic {
    /// An error with a code and a message.
    pub fn error(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Diagnostic {
            severity: Severity::Error,
            code: code.into(),
            message: message.into(),
            span: None,
            label: None,
            help: None,
            notes: Vec::new(),
            related: Vec::new(),
        }
    }

    /// A warning with a code and a message.
    pub fn warning(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, message) }
    }

    /// Sets the place.
    pub fn at(mut self, span: Span) -> Self {
        self.span = Some(span);
        self
    }

    /// Sets what stands behind the caret.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Sets what to do about it.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a fact.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Adds another place.
    pub fn related(mut self, span: Span, label: impl Into<String>) -> Self {
        self.related.push((span, label.into()));
        self
    }

    /// True for an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Applies a function to every text that may hold words of the user or of the environment.
    pub(crate) fn map_texts(&mut self, mut change: impl FnMut(&mut String)) {
        change(&mut self.message);
        self.label.iter_mut().for_each(&mut change);
        self.help.iter_mut().for_each(&mut change);
        self.notes.iter_mut().for_each(&mut change);
        self.related.iter_mut().for_each(|(_, label)| change(label));
    }
}

/// Puts diagnostics in the order of the file, those without a place first, and drops repetitions: what stands below an
/// anchor is read once for each alias.
pub(crate) fn sort(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by(|a, b| {
        let place = |d: &Diagnostic| d.span.map(|span| (span.start, span.end));
        place(a).cmp(&place(b)).then(a.severity.cmp(&b.severity)).then_with(|| a.message.cmp(&b.message))
    });
    diagnostics.dedup_by(|b, a| a.span == b.span && a.message == b.message);
}
