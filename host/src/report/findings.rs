use std::fmt::Write as _;

use super::text::{TextOptions, duration};
use crate::contract::Diagnostic;
use crate::printable::printable;
use crate::run::{PlacedFinding, ReplySummary, TrialError};

/// Longest excerpt of a reply without `--verbose`, in characters: a screenful.
const EXCERPT: usize = 600;

/// A finding: with the line of the contract where there is one, as plain lines otherwise.
pub(super) fn finding(placed: &PlacedFinding, options: TextOptions<'_>) -> String {
    let finding = &placed.finding;
    let mut facts = Vec::new();
    if let Some(path) = &finding.path {
        facts.push(("at", path.clone()));
    }
    if let Some(event) = finding.event {
        facts.push(("in event", event.to_string()));
    }
    if let Some(expected) = &finding.expected {
        facts.push(("expected", expected.clone()));
    }
    if let Some(actual) = &finding.actual {
        facts.push(("found", actual.clone()));
    }
    if let Some(rule) = &finding.rule {
        facts.push(("rule", rule.clone()));
    }
    let more = finding.more.iter().map(|(name, value)| format!("{name}: {value}"));
    let notes = facts.into_iter().map(|(name, value)| format!("{name}: {value}")).chain(more);
    match (placed.span, options.source) {
        (Some(span), Some(source)) => {
            let mut diagnostic =
                Diagnostic::error(printable(&finding.code).into_owned(), finding.message.clone()).at(span);
            diagnostic.notes = notes.collect();
            diagnostic.help.clone_from(&finding.fix);
            indented(&diagnostic.render(source, options.style))
        }
        _ => {
            let mut out = format!("  {} [{}]\n", printable(&finding.message), printable(&finding.code));
            for note in notes.chain(finding.fix.iter().map(|fix| format!("fix: {fix}"))) {
                let _ = writeln!(out, "    {}", printable(&note));
            }
            out
        }
    }
}

/// What came back.
pub(super) fn reply(reply: &ReplySummary, verbose: bool) -> String {
    let mut out = String::new();
    let states = if reply.states.len() > 1 { format!(" ({})", reply.states.join(" → ")) } else { String::new() };
    let first = reply.first_event.map(|first| format!(", the first after {}", duration(first))).unwrap_or_default();
    let events = if reply.events == 1 { "1 event".to_owned() } else { format!("{} events", reply.events) };
    let _ = writeln!(
        out,
        "  reply: {}{}; {events}{first}, {} in all",
        printable(&reply.state),
        printable(&states),
        duration(reply.elapsed)
    );
    let limit = if verbose { usize::MAX } else { EXCERPT };
    let shown: String = reply.text.chars().take(limit).collect();
    for line in shown.lines() {
        let _ = writeln!(out, "    | {}", printable(line));
    }
    if shown.len() < reply.text.len() {
        let _ = writeln!(out, "    | … {} characters in all; --verbose shows them", reply.text.chars().count());
    }
    for part in &reply.parts {
        let shown: String = part.chars().take(limit).collect();
        let _ = writeln!(out, "    + {}", printable(&shown));
    }
    for deviation in &reply.deviations {
        let _ = writeln!(out, "    ! {}", printable(deviation));
    }
    out
}

/// Why a trial came to an end.
pub(super) fn trial_error(error: &TrialError, options: TextOptions<'_>) -> String {
    let mut diagnostic = Diagnostic::error(error.code, error.message.clone());
    diagnostic.span = error.span;
    diagnostic.notes.clone_from(&error.deviations);
    match (error.span, options.source) {
        (Some(_), Some(source)) => indented(&diagnostic.render(source, options.style)),
        _ => {
            let mut out = format!("  {} [{}]\n", printable(&error.message), error.code);
            for deviation in &error.deviations {
                let _ = writeln!(out, "    ! {}", printable(deviation));
            }
            out
        }
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}").trim_end().to_owned() + "\n").collect()
}
