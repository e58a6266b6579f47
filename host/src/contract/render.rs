use std::ops::Range;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::diagnostic::{Diagnostic, Severity};
use super::source::{SourceFile, Span};
use crate::printable::{is_hidden, printable};

/// Columns of a rendered line. Longer lines are cut around the marked place.
const WIDTH: usize = 120;
/// Longest marked stretch in characters; a caret line of more says nothing more.
const MAX_MARKED: usize = 60;
/// Characters of a line that are kept after the marked stretch; the renderer cuts again, to the width.
const AFTER: usize = 200;
/// Longest message, label, help or note in characters; the contract language bounds diagnostics alike.
const MAX_TEXT: usize = 2_000;

/// How to render.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RenderStyle {
    /// ANSI colours.
    pub color: bool,
    /// Lines drawn with box characters; ASCII otherwise.
    pub unicode: bool,
}

impl Diagnostic {
    /// The diagnostic as a person reads it: severity, code and message, `file:line:column`, the line with a caret and the
    /// label, help and notes. Nothing of the file reaches the terminal raw, and credentials in a URL are masked. No line
    /// break at the end.
    pub fn render(&self, source: &SourceFile, style: RenderStyle) -> String {
        let renderer = if style.color { Renderer::styled().hyperlink(false) } else { Renderer::plain() };
        let decor = if style.unicode { DecorStyle::Unicode } else { DecorStyle::Ascii };
        let renderer = renderer.decor_style(decor).term_width(WIDTH);
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let text = |text: &str| {
            let bounded = bounded(text);
            if style.unicode { bounded } else { bounded.replace('…', "...") }
        };
        let path = printable(source.path());
        let message = match self.span {
            Some(_) => text(&self.message),
            None => format!("{path}: {}", text(&self.message)),
        };
        let mut group = Group::with_title(level.primary_title(message).id(self.code.as_ref()));
        let places = self.span.iter().map(|span| (AnnotationKind::Primary, *span, self.label.as_deref()));
        let related = self.related.iter().map(|(span, label)| (AnnotationKind::Context, *span, Some(label.as_str())));
        for (kind, span, label) in places.chain(related) {
            let excerpt = Excerpt::new(source, span, style.unicode);
            let annotation = kind.span(excerpt.marked).label(label.map(text));
            let snippet = Snippet::source(excerpt.line).path(path.as_ref()).line_start(span.line as usize);
            group = group.element(snippet.annotation(annotation));
        }
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(text(help)));
        }
        for note in &self.notes {
            group = group.element(Level::NOTE.message(text(note)));
        }
        renderer.render(&[group])
    }
}

/// The line of a span, safe to show: character for character, so that columns stay what they are in the file.
struct Excerpt {
    line: String,
    marked: Range<usize>,
}

impl Excerpt {
    fn new(source: &SourceFile, span: Span, unicode: bool) -> Self {
        let (line, line_start) = source.line(span.line);
        let secret = credentials(line);
        let start = (span.start as usize).saturating_sub(line_start).min(line.len());
        let end = (span.end as usize).saturating_sub(line_start).clamp(start, line.len());
        let mut shown = String::new();
        let (mut marked, mut marked_chars, mut after) = (0..0, 0, 0);
        for (at, character) in line.char_indices() {
            if at == start {
                marked = shown.len()..shown.len();
            }
            shown.push(match character {
                _ if secret.iter().any(|range| range.contains(&at)) => '*',
                // A tab has no width of its own; as one blank the caret stays below its text.
                '\t' => ' ',
                character if !is_hidden(character) => character,
                _ if unicode => char::REPLACEMENT_CHARACTER,
                _ => '?',
            });
            if (start..end).contains(&at) && marked_chars < MAX_MARKED {
                marked.end = shown.len();
                marked_chars += 1;
            }
            if at > start {
                after += 1;
            }
            if after == AFTER {
                break;
            }
        }
        if start == line.len() {
            marked = shown.len()..shown.len();
        }
        Excerpt { line: shown, marked }
    }
}

/// The user and password parts of every URL in a line.
fn credentials(line: &str) -> Vec<Range<usize>> {
    let in_url = line.match_indices("://").filter_map(|(at, separator)| {
        let start = at + separator.len();
        let rest = &line[start..];
        let authority = &rest[..rest.find(['/', '?', '#', ' ', '"', '\'']).unwrap_or(rest.len())];
        authority.rfind('@').map(|end| start..start + end)
    });
    in_url.collect()
}

/// A text of a diagnostic, cut where it is long. Our own texts may have line breaks; nothing else passes raw.
fn bounded(text: &str) -> String {
    let cut = match text.char_indices().nth(MAX_TEXT) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    };
    cut.split('\n').map(printable).collect::<Vec<_>>().join("\n")
}
