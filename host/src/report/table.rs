use comfy_table::{Cell, CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};

use super::text::Mark;
use crate::contract::RenderStyle;
use crate::printable::printable;
use crate::run::{CaseResult, CaseVerdict, SuiteKind, SuiteResult};

/// Widest table; longer cells wrap. A report reads the same in a pipe and on a wide terminal.
const WIDTH: u16 = 110;

/// The cases of a suite, one row each.
pub(super) fn cases(suite: &SuiteResult, style: RenderStyle) -> String {
    let mut table = Table::new();
    table
        .load_style(rule(if style.unicode { '─' } else { '-' }))
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(WIDTH);
    match suite.kind {
        SuiteKind::Scenarios => table.set_header(["", "scenario", "trials", "time"]),
        SuiteKind::Pack => table.set_header(["", "contract", "level", "time", ""]),
    };
    for case in &suite.cases {
        table.add_row(row(suite.kind, case, style));
    }
    // The time stands in the fourth column of both tables.
    if let Some(column) = table.column_mut(3) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    // The library pads every line to the same width; nobody wants the blanks. Marks are coloured here, because colours in
    // a cell would count as width.
    table.lines().map(|line| paint_mark(line.trim_end(), style) + "\n").collect()
}

/// Three lines, drawn with this character: above, below the header, and at the end.
fn rule(character: char) -> TableStyle {
    let line = LineStyle::none().fill(character).junction(character);
    TableStyle::new().top_border(line).header_separator(line).bottom_border(line)
}

fn paint_mark(line: &str, style: RenderStyle) -> String {
    for mark in [Mark::Passed, Mark::Failed, Mark::Skipped] {
        // A mark stands in the first column; a cell that goes on in a further line does not.
        let rest = line.strip_prefix(' ').and_then(|line| line.strip_prefix(mark.plain(style)));
        if let Some(rest) = rest.filter(|rest| rest.starts_with(' ')) {
            return format!(" {}{rest}", mark.text(style));
        }
    }
    line.to_owned()
}

fn row(kind: SuiteKind, case: &CaseResult, style: RenderStyle) -> Vec<Cell> {
    let mark = Cell::new(Mark::of(&case.verdict).plain(style));
    let time = Cell::new(time(case));
    match (kind, &case.about) {
        (SuiteKind::Pack, Some(about)) => {
            let remark = match &case.verdict {
                CaseVerdict::Skipped(reason) => format!("skipped: {reason}"),
                CaseVerdict::Passed => case.notes.join("; "),
                CaseVerdict::Failed => case
                    .trials
                    .iter()
                    .flat_map(|trial| &trial.turns)
                    .flat_map(|turn| &turn.findings)
                    .next()
                    .map(|placed| placed.finding.message.clone())
                    .unwrap_or_default(),
            };
            vec![mark, shown(&case.name), shown(&about.level), time, shown(&remark)]
        }
        _ => vec![mark, shown(&case.name), shown(&trials(case)), time],
    }
}

/// A cell with foreign text, which must not steer a terminal.
fn shown(text: &str) -> Cell {
    Cell::new(printable(text))
}

fn trials(case: &CaseResult) -> String {
    if let CaseVerdict::Skipped(reason) = &case.verdict {
        return format!("skipped: {reason}");
    }
    let needed = case.required;
    let counted = format!("{}/{}", case.passes(), needed.trials);
    let errors = case.trials.iter().filter(|trial| trial.error.is_some()).count();
    let errors = if errors > 0 && needed.trials > 1 { format!(", {errors} in error") } else { String::new() };
    let counted = counted + &errors;
    match needed.bound {
        Some((bound, min, confidence)) => {
            format!("{counted}, {} needed; rate at least {bound:.4} of {min} at {confidence}", needed.passes)
        }
        None if needed.passes < needed.trials => format!("{counted}, {} needed", needed.passes),
        None => counted,
    }
}

fn time(case: &CaseResult) -> String {
    match case.verdict {
        CaseVerdict::Skipped(_) => String::new(),
        _ => super::text::duration(case.elapsed),
    }
}
