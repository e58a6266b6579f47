use std::fmt::Write as _;
use std::time::Duration;

use anstyle::{AnsiColor, Style};

use super::{findings, table};
use crate::contract::{RenderStyle, SourceFile};
use crate::printable::printable;
use crate::run::{CaseResult, CaseVerdict, RunResult, SuiteKind, SuiteResult};

/// How to render the text report.
#[derive(Clone, Copy, Default)]
pub struct TextOptions<'a> {
    /// The contract file, to show the place of a finding.
    pub source: Option<&'a SourceFile>,
    /// Colours and box characters.
    pub style: RenderStyle,
    /// Show the reply of every turn, also of those that passed.
    pub verbose: bool,
}

/// The text report: a table for each suite, what failed and why, and one line of totals. Ends with a line break.
pub fn text(result: &RunResult, options: TextOptions<'_>) -> String {
    let mut out = String::new();
    let subject = &result.subject;
    let name = or(&subject.name, "an agent without a name");
    let _ = writeln!(out, "{} {} at {}", printable(name), printable(&subject.version), printable(&subject.url));
    for deviation in &subject.deviations {
        let _ = writeln!(out, "  note on the card: {}", printable(deviation));
    }
    for suite in &result.suites {
        let _ = writeln!(out, "\n{} over {}", printable(&suite.name), suite.binding);
        out.push_str(&table::cases(suite, options.style));
    }
    for suite in &result.suites {
        for case in &suite.cases {
            if case.verdict == CaseVerdict::Failed || options.verbose {
                out.push_str(&block(suite, case, options));
            }
        }
    }
    out.push('\n');
    out.push_str(&totals(result, options.style));
    if options.style.unicode { out } else { ascii(&out) }
}

/// For terminals that show no more than ASCII: our own signs in other spellings, anything else escaped.
fn ascii(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '→' => plain.push_str("->"),
            'µ' => plain.push('u'),
            '…' => plain.push_str("..."),
            '–' => plain.push('-'),
            '§' => plain.push_str("section "),
            _ if character.is_ascii() => plain.push(character),
            _ => plain.extend(character.escape_unicode()),
        }
    }
    plain
}

/// One case in full.
fn block(suite: &SuiteResult, case: &CaseResult, options: TextOptions<'_>) -> String {
    let mut out = String::new();
    let mark = Mark::of(&case.verdict).text(options.style);
    let title = case.about.as_ref().map(|about| format!(": {}", about.title)).unwrap_or_default();
    let section = case.about.as_ref().and_then(|about| about.spec.as_ref()).map(|spec| format!(" ({spec})"));
    let heading = format!("{}{title}{}", case.name, section.unwrap_or_default());
    let _ = writeln!(out, "\n{mark} {}", printable(&heading));
    if let CaseVerdict::Skipped(reason) = &case.verdict {
        let _ = writeln!(out, "  skipped: {}", printable(reason));
    }
    for note in &case.notes {
        let _ = writeln!(out, "  note: {}", printable(note));
    }
    let several = case.trials.len() > 1;
    for trial in &case.trials {
        let failed = !trial.passed();
        if !failed && !options.verbose {
            continue;
        }
        for turn in &trial.turns {
            if turn.findings.is_empty() && !options.verbose {
                continue;
            }
            if suite.kind == SuiteKind::Scenarios {
                let which = if several {
                    format!("trial {}, turn {}", trial.number, turn.number)
                } else {
                    format!("turn {}", turn.number)
                };
                let _ = writeln!(out, "  {which}");
            }
            for placed in &turn.findings {
                out.push_str(&findings::finding(placed, options));
            }
            if let Some(reply) = &turn.reply {
                out.push_str(&findings::reply(reply, options.verbose));
            }
        }
        if let Some(error) = &trial.error {
            let which = if several {
                format!("trial {}, turn {}", trial.number, error.turn)
            } else {
                format!("turn {}", error.turn)
            };
            let _ = writeln!(out, "  {which}");
            out.push_str(&findings::trial_error(error, options));
        }
    }
    out
}

fn totals(result: &RunResult, style: RenderStyle) -> String {
    let counts = result.counts();
    let mut words = Vec::new();
    let paint = |text: String, color: AnsiColor, wanted: bool| {
        if wanted { painted(&text, Style::new().fg_color(Some(color.into())).bold(), style) } else { text }
    };
    words.push(paint(format!("{} passed", counts.passed), AnsiColor::Green, counts.passed > 0 && counts.failed == 0));
    words.push(paint(format!("{} failed", counts.failed), AnsiColor::Red, counts.failed > 0));
    if counts.skipped > 0 {
        words.push(paint(format!("{} skipped", counts.skipped), AnsiColor::Yellow, true));
    }
    let end = match (result.interrupted, counts.passed + counts.failed) {
        (true, _) => " (interrupted; the rest was not run)",
        (false, 0) => " (nothing was judged, which is no pass)",
        (false, _) => "",
    };
    format!("{} in {}{end}\n", words.join(", "), duration(result.elapsed))
}

/// The sign of a verdict.
#[derive(Clone, Copy)]
pub(super) enum Mark {
    Passed,
    Failed,
    Skipped,
}

impl Mark {
    pub(super) fn of(verdict: &CaseVerdict) -> Mark {
        match verdict {
            CaseVerdict::Passed => Mark::Passed,
            CaseVerdict::Failed => Mark::Failed,
            CaseVerdict::Skipped(_) => Mark::Skipped,
        }
    }

    /// Without colour.
    pub(super) fn plain(self, style: RenderStyle) -> &'static str {
        match (self, style.unicode) {
            (Mark::Passed, true) => "✓",
            (Mark::Failed, true) => "✗",
            (Mark::Skipped, true) => "–",
            (Mark::Passed, false) => "ok",
            (Mark::Failed, false) => "FAIL",
            (Mark::Skipped, false) => "skip",
        }
    }

    /// In its colour, where there are colours.
    pub(super) fn text(self, style: RenderStyle) -> String {
        let color = match self {
            Mark::Passed => AnsiColor::Green,
            Mark::Failed => AnsiColor::Red,
            Mark::Skipped => AnsiColor::Yellow,
        };
        painted(self.plain(style), Style::new().fg_color(Some(color.into())), style)
    }
}

pub(super) fn painted(text: &str, paint: Style, style: RenderStyle) -> String {
    if style.color { format!("{paint}{text}{paint:#}") } else { text.to_owned() }
}

/// `850 µs`, `12 ms`, `3.4 s`.
pub(super) fn duration(duration: Duration) -> String {
    let micros = duration.as_micros();
    match micros {
        0..1_000 => format!("{micros} µs"),
        1_000..10_000_000 if micros < 1_000_000 => format!("{} ms", micros / 1_000),
        _ => format!("{:.1} s", duration.as_secs_f64()),
    }
}

fn or<'a>(text: &'a str, other: &'a str) -> &'a str {
    if text.is_empty() { other } else { text }
}
