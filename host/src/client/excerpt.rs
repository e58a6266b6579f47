//! Foreign bytes made fit for a message: bounded, and nothing in them can steer a terminal.

use std::fmt::Write as _;

use crate::printable::{escape, is_hidden};

/// Longest excerpt of a foreign body in a message, in characters of the body.
pub(crate) const EXCERPT_CHARS: usize = 200;

/// The beginning of a body: at most [`EXCERPT_CHARS`] characters, escaped, `…` where more followed.
pub(crate) fn excerpt(bytes: &[u8]) -> String {
    let mut out = String::new();
    let mut taken = 0;
    // A character has at most four bytes; looking further would only cost time.
    let window = &bytes[..bytes.len().min(EXCERPT_CHARS * 4)];
    for chunk in window.utf8_chunks() {
        for character in chunk.valid().chars() {
            if taken == EXCERPT_CHARS {
                out.push('…');
                return out;
            }
            push(&mut out, character);
            taken += 1;
        }
        for byte in chunk.invalid() {
            if taken == EXCERPT_CHARS {
                out.push('…');
                return out;
            }
            // Writing to a String does not fail.
            let _ = write!(out, "\\x{byte:02x}");
            taken += 1;
        }
    }
    if window.len() < bytes.len() {
        out.push('…');
    }
    out
}

/// A foreign text of any length with control and direction characters escaped, cut like [`excerpt`].
pub(crate) fn clean(text: &str) -> String {
    excerpt(text.as_bytes())
}

fn push(out: &mut String, character: char) {
    if is_hidden(character) { escape(character, out) } else { out.push(character) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_steers_a_terminal_comes_through() {
        assert_eq!(excerpt(b"\x1b]0;pwned\x07 a\tb\r\n"), "\\u{1b}]0;pwned\\u{7} a\\tb\\r\\n");
        assert_eq!(clean("\u{202e}evil\u{200b}"), "\\u{202e}evil\\u{200b}");
        assert_eq!(excerpt(b"hi\xff\xfe"), "hi\\xff\\xfe");
        assert_eq!(clean("naïve 日本 🚀"), "naïve 日本 🚀");
    }

    #[test]
    fn the_length_counts_characters() {
        let exact = "é".repeat(EXCERPT_CHARS);
        assert_eq!(clean(&exact), exact);
        assert_eq!(clean(&format!("{exact}é")), format!("{exact}…"));
        let wide = "🚀".repeat(EXCERPT_CHARS);
        assert_eq!(clean(&wide), wide);
        assert_eq!(clean(&format!("{wide}x")), format!("{wide}…"));
    }
}
