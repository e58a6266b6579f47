//! Foreign text made safe to show: what would steer a terminal or hide is escaped.

use std::borrow::Cow;
use std::fmt::Write;

/// The longest excerpt of a user's own words inside a message, in characters: enough to recognise it on one line.
const MAX_QUOTED: usize = 60;

/// True for characters that do something to a terminal or hide: controls, bidirectional overrides and isolates,
/// zero-width characters, line and paragraph separators, tags, and the byte-order mark.
pub(crate) fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Text that is safe to print: every character that a terminal would obey, or that would hide, is written as `\u{…}`.
/// Line breaks and tabs are escaped too.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if is_hidden(character) { escape(character, &mut safe) } else { safe.push(character) }
    }
    Cow::Owned(safe)
}

/// Writes a character in its escaped form.
pub(crate) fn escape(character: char, into: &mut String) {
    match character {
        '\n' => into.push_str("\\n"),
        '\r' => into.push_str("\\r"),
        '\t' => into.push_str("\\t"),
        other => {
            let _ = write!(into, "\\u{{{:x}}}", other as u32);
        }
    }
}

/// A user's own words inside a message: in backticks, printable, and cut where they are long.
pub(crate) fn quoted(text: &str) -> String {
    let mut characters = text.chars();
    let head: String = characters.by_ref().take(MAX_QUOTED).collect();
    let cut = if characters.next().is_some() { "…" } else { "" };
    format!("`{}{cut}`", printable(&head))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_escaped() {
        assert_eq!(printable("plain é 日本 🚀"), "plain é 日本 🚀");
        assert_eq!(printable("\u{1b}]0;x\u{7}"), "\\u{1b}]0;x\\u{7}");
        assert_eq!(printable("a\u{202e}b\u{2066}c\u{200b}d\u{9b}"), "a\\u{202e}b\\u{2066}c\\u{200b}d\\u{9b}");
        assert_eq!(printable("a\r\n\tb"), "a\\r\\n\\tb");
    }

    #[test]
    fn long_words_are_cut() {
        assert_eq!(quoted(&"x".repeat(60)), format!("`{}`", "x".repeat(60)));
        assert_eq!(quoted(&"x".repeat(61)), format!("`{}…`", "x".repeat(60)));
    }
}
