use std::ops::RangeInclusive;

use super::Decoder;
use super::old_yaml::double_quoted;
use crate::contract::diagnostic::Diagnostic;
use crate::contract::source::Spanned;
use crate::contract::value::{Kind, SpannedValue};

impl Decoder<'_> {
    /// A string of any length.
    pub(super) fn text(&mut self, value: &SpannedValue, key: &str) -> Option<Spanned<String>> {
        match &value.kind {
            Kind::String(text) => {
                self.warn_old_text(value);
                Some(Spanned::new(text.clone(), value.span))
            }
            Kind::Bool(_) | Kind::Number(_) | Kind::Unrepresentable => {
                let written = self.source.slice(value.span).to_owned();
                let diagnostic = Diagnostic::error("wrong-type", format!("`{key}` takes a string"));
                let diagnostic = diagnostic.label(format!("found {}", value.noun()));
                self.report(value, diagnostic.help(format!("put it in quotes: {}", double_quoted(&written))));
                None
            }
            Kind::Null => {
                let diagnostic =
                    Diagnostic::error("wrong-type", format!("`{key}` takes a string")).label("found nothing");
                let written = self.source.slice(value.span);
                let help = matches!(written, "~" | "null" | "Null" | "NULL")
                    .then(|| format!("put it in quotes if it is meant as a text: {}", double_quoted(written)));
                self.report(value, Diagnostic { help, ..diagnostic });
                None
            }
            Kind::List(_) | Kind::Map(_) => {
                self.wrong_type(value, key, "a string");
                None
            }
            Kind::Broken => None,
        }
    }

    /// A string whose length in characters is bounded.
    pub(super) fn bounded(
        &mut self,
        value: &SpannedValue,
        key: &str,
        chars: RangeInclusive<usize>,
    ) -> Option<Spanned<String>> {
        let text = self.text(value, key)?;
        let count = text.value.chars().count();
        if chars.contains(&count) {
            return Some(text);
        }
        let message = format!("`{key}` takes a string of {} to {} characters", chars.start(), chars.end());
        let diagnostic = Diagnostic::error("length", message);
        self.report(value, diagnostic.label(if count == 0 { "empty".to_owned() } else { format!("has {count}") }));
        None
    }

    /// A list whose number of items is bounded. The items are decoded by the caller.
    pub(super) fn items<'v>(
        &mut self,
        value: &'v SpannedValue,
        key: &str,
        count: RangeInclusive<usize>,
    ) -> Option<&'v [SpannedValue]> {
        let items = match &value.kind {
            Kind::List(items) => items,
            Kind::Broken => return None,
            _ => {
                self.wrong_type(value, key, "a list");
                return None;
            }
        };
        self.count(value, key, items.len(), count).then_some(items)
    }

    /// Reports a list that has too few or too many items.
    pub(super) fn count(
        &mut self,
        value: &SpannedValue,
        key: &str,
        found: usize,
        allowed: RangeInclusive<usize>,
    ) -> bool {
        if allowed.contains(&found) {
            return true;
        }
        let message = match allowed.start() {
            0 => format!("`{key}` takes at most {} items", allowed.end()),
            least => format!("`{key}` takes {least} to {} items", allowed.end()),
        };
        self.report(value, Diagnostic::error("length", message).label(format!("has {found}")));
        false
    }

    /// A string or a list of strings. Items that are no strings are reported and left out.
    pub(super) fn text_list(
        &mut self,
        value: &SpannedValue,
        key: &str,
        count: RangeInclusive<usize>,
        chars: RangeInclusive<usize>,
    ) -> Vec<Spanned<String>> {
        match &value.kind {
            Kind::List(items) if self.count(value, key, items.len(), count) => {
                items.iter().filter_map(|item| self.bounded(item, key, chars.clone())).collect()
            }
            Kind::List(_) | Kind::Broken => Vec::new(),
            Kind::Map(_) => {
                self.wrong_type(value, key, "a string or a list of strings");
                Vec::new()
            }
            _ => self.bounded(value, key, chars).into_iter().collect(),
        }
    }
}
