//! Numbers and booleans, with the coercions of the contract language (each one that may surprise is warned of).

use std::ops::RangeInclusive;

use super::Decoder;
use crate::contract::diagnostic::Diagnostic;
use crate::contract::limits::MAX_SECONDS;
use crate::contract::scalar;
use crate::contract::value::{Kind, Origin, SpannedValue};

impl Decoder<'_> {
    /// An integer in a range. `"3"`, `3.0` and booleans are taken too.
    pub(super) fn integer(&mut self, value: &SpannedValue, key: &str, range: RangeInclusive<u32>) -> Option<u32> {
        let expected = format!("an integer from {} to {}", range.start(), range.end());
        let found = match &value.kind {
            Kind::Number(number) => match (scalar::exact(number), number.as_f64()) {
                (Some(exact), _) => Some(exact),
                (None, Some(float)) if float.fract() == 0.0 => {
                    // A cast of a whole double saturates, and what saturates is out of range anyhow.
                    let whole = float as i128;
                    self.coerced(value, key, &whole.to_string());
                    Some(whole)
                }
                _ => None,
            },
            Kind::Bool(truth) => {
                self.coerced(value, key, &i128::from(*truth).to_string());
                Some(i128::from(*truth))
            }
            Kind::String(text) => {
                if self.refuse_old_meaning(value) {
                    return None;
                }
                let parsed = whole_number(text);
                if let Some(number) = parsed {
                    self.coerced(value, key, &number.to_string());
                }
                parsed
            }
            Kind::Broken => return None,
            Kind::Unrepresentable | Kind::Null | Kind::List(_) | Kind::Map(_) => None,
        };
        let Some(found) = found else {
            self.wrong_type(value, key, &expected);
            return None;
        };
        match u32::try_from(found).ok().filter(|found| range.contains(found)) {
            Some(found) => Some(found),
            None => {
                let label = if found < i128::from(*range.start()) { "too small" } else { "too large" };
                self.report(value, Diagnostic::error("range", format!("`{key}` takes {expected}")).label(label));
                None
            }
        }
    }

    /// A finite number. Numeric strings and booleans are taken too. The caller checks the range.
    pub(super) fn number(&mut self, value: &SpannedValue, key: &str, expected: &str) -> Option<f64> {
        let found = match &value.kind {
            Kind::Number(number) => number.as_f64(),
            Kind::Bool(truth) => {
                let number = f64::from(u8::from(*truth));
                self.coerced(value, key, &number.to_string());
                Some(number)
            }
            Kind::String(text) => {
                if self.refuse_old_meaning(value) {
                    return None;
                }
                let parsed = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
                if let Some(number) = parsed {
                    self.coerced(value, key, &number.to_string());
                }
                parsed
            }
            Kind::Broken => return None,
            Kind::Unrepresentable | Kind::Null | Kind::List(_) | Kind::Map(_) => None,
        };
        if found.is_none() {
            self.wrong_type(value, key, expected);
        }
        found
    }

    /// A number that passes a test.
    pub(super) fn number_where(
        &mut self,
        value: &SpannedValue,
        key: &str,
        expected: &str,
        test: impl Fn(f64) -> bool,
    ) -> Option<f64> {
        let number = self.number(value, key, expected)?;
        if test(number) {
            return Some(number);
        }
        self.report(value, Diagnostic::error("range", format!("`{key}` takes {expected}")).label("out of range"));
        None
    }

    /// A number of seconds, above 0.
    pub(super) fn seconds(&mut self, value: &SpannedValue, key: &str) -> Option<f64> {
        let expected = format!("a number of seconds above 0 and up to {MAX_SECONDS}");
        self.number_where(value, key, &expected, |seconds| seconds > 0.0 && seconds <= MAX_SECONDS)
    }

    /// A boolean. 0 and 1, and the words for yes and no that YAML 1.1 knows, are taken too.
    pub(super) fn boolean(&mut self, value: &SpannedValue, key: &str) -> Option<bool> {
        let found = match &value.kind {
            Kind::Bool(truth) => return Some(*truth),
            Kind::Broken => return None,
            Kind::Number(number) => match number.as_f64() {
                Some(0.0) => Some(false),
                Some(1.0) => Some(true),
                _ => None,
            },
            Kind::String(text) => match text.to_ascii_lowercase().as_str() {
                "yes" | "on" | "true" | "1" => Some(true),
                "no" | "off" | "false" | "0" => Some(false),
                _ => None,
            },
            Kind::Unrepresentable | Kind::Null | Kind::List(_) | Kind::Map(_) => None,
        };
        match found {
            Some(truth) => self.coerced(value, key, &truth.to_string()),
            None => self.wrong_type(value, key, "`true` or `false`"),
        }
        found
    }

    /// Warns that a value of another type was taken. What the environment brings is always a string, so it is no surprise.
    pub(super) fn coerced(&mut self, value: &SpannedValue, key: &str, taken: &str) {
        if value.origin != Origin::Environment {
            let message = format!("`{key}` is {} here and is taken as {taken}", value.noun());
            let diagnostic = Diagnostic::warning("coercion", message).label(format!("taken as {taken}"));
            self.report(value, diagnostic.help(format!("write `{taken}`")));
        }
    }
}

/// `3`, `+3` and `3.0`, with blanks around them.
fn whole_number(text: &str) -> Option<i128> {
    let text = text.trim();
    let whole = match text.split_once('.') {
        Some((whole, fraction)) if !fraction.is_empty() && fraction.bytes().all(|digit| digit == b'0') => whole,
        Some(_) => return None,
        None => text,
    };
    whole.parse().ok()
}
