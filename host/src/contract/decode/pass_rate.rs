use super::Decoder;
use super::fields::Shape;
use crate::contract::diagnostic::Diagnostic;
use crate::contract::limits::MAX_TRIALS;
use crate::contract::pass_rate::PassRate;
use crate::contract::source::{Span, Spanned};
use crate::contract::value::{Kind, SpannedValue};
use crate::printable::quoted;

const PASS_RATE: Shape = Shape { name: "`pass_rate`", keys: &["min", "confidence"], later: &[] };

/// Confidence of a proven pass rate where the contract says nothing; the contract language's default.
const DEFAULT_CONFIDENCE: f64 = 0.95;

impl Decoder<'_> {
    /// `trials`. None where it is wrong.
    pub(super) fn trials(&mut self, value: &SpannedValue) -> Option<u32> {
        self.integer(value, "trials", 1..=MAX_TRIALS)
    }

    /// `pass_rate`: a share, or a rate to prove. None where it is wrong.
    pub(super) fn pass_rate(&mut self, value: &SpannedValue) -> Option<PassRate> {
        if !matches!(value.kind, Kind::Map(_)) {
            let expected = "a number above 0 and up to 1, or `{min: …, confidence: …}`";
            return self
                .number_where(value, "pass_rate", expected, |share| share > 0.0 && share <= 1.0)
                .map(PassRate::Share);
        }
        let fields = self.fields(value, &PASS_RATE)?;
        let min = match fields.value("min") {
            Some(min) => self.number_where(min, "min", "a number between 0 and 1", |min| min > 0.0 && min < 1.0),
            None => {
                self.missing(&fields, &PASS_RATE, "min", "min: 0.9");
                None
            }
        };
        let confidence = match fields.value("confidence") {
            Some(value) => {
                let expected = "a number from 0.5 up to 1, 1 excluded";
                self.number_where(value, "confidence", expected, |confidence| (0.5..1.0).contains(&confidence))
            }
            None => Some(DEFAULT_CONFIDENCE),
        };
        // With a misspelt key the default would stand in for what is meant.
        (!fields.incomplete).then_some(PassRate::Proven { min: min?, confidence: confidence? })
    }

    /// Reports a pass rate that no number of passed trials can prove.
    pub(super) fn provable(&mut self, name: &Spanned<String>, rate: PassRate, trials: u32, place: Span) {
        let PassRate::Proven { min, confidence } = rate else { return };
        if rate.required(trials).is_some() {
            return;
        }
        let message = format!("the pass rate of scenario {} cannot be proven", quoted(&name.value));
        let found = format!("{trials} passed of {trials} trials prove less than {min} at confidence {confidence}");
        let help = match rate.minimum_trials() {
            Some(trials) => format!("use at least {trials} trials: `trials: {trials}`"),
            None => format!("more than {MAX_TRIALS} trials would be needed; lower `min` or `confidence`"),
        };
        let diagnostic = Diagnostic::error("pass-rate", message).at(place).label(found).help(help);
        self.diagnostics.push(match place == name.span {
            true => diagnostic,
            false => diagnostic.related(name.span, "this scenario"),
        });
    }
}
