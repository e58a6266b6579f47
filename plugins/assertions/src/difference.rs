//! Where two texts part, told so that one look suffices, also where the difference is invisible.

use unicase::UniCase;

/// Characters shown before and after the place.
const BEFORE: usize = 12;
const AFTER: usize = 24;

/// The text with full Unicode case folding, so that `STRASSE` and `straße` are one.
pub(crate) fn fold(text: &str) -> String {
    UniCase::unicode(text).to_folded_case()
}

/// Every character with its number, and what it folds to where case does not matter.
fn units(text: &str, case_sensitive: bool) -> impl Iterator<Item = (char, usize)> + '_ {
    text.chars().enumerate().flat_map(move |(index, char)| {
        let folded = if case_sensitive { char.to_string() } else { fold(char.encode_utf8(&mut [0; 4])) };
        folded.chars().map(move |char| (char, index)).collect::<Vec<_>>()
    })
}

/// Says where the texts part; none where they are equal.
pub(crate) fn describe(expected: &str, actual: &str, case_sensitive: bool) -> Option<String> {
    let (mut wanted, mut found) = (units(expected, case_sensitive), units(actual, case_sensitive));
    loop {
        let ends = (actual.chars().count(), expected.chars().count());
        return Some(match (wanted.next(), found.next()) {
            (None, None) => return None,
            (Some((one, _)), Some((two, _))) if one == two => continue,
            (Some((_, in_expected)), None) => {
                format!(
                    "the text ends {}, where {} is expected",
                    position(actual, ends.0),
                    quote(expected, in_expected)
                )
            }
            (None, Some((_, in_actual))) => {
                format!("the text goes on {} with {}", position(actual, in_actual), quote(actual, in_actual))
            }
            (Some((_, in_expected)), Some((_, in_actual))) => {
                let told = format!(
                    "the text differs {}: expected {}, found {}",
                    position(actual, in_actual),
                    around(expected, in_expected),
                    around(actual, in_actual)
                );
                match (expected.chars().nth(in_expected), actual.chars().nth(in_actual)) {
                    (Some(one), Some(two)) if !(one.is_ascii_graphic() && two.is_ascii_graphic()) => {
                        format!("{told} ({} in place of {})", code_point(two), code_point(one))
                    }
                    _ => told,
                }
            }
        });
    }
}

fn position(text: &str, index: usize) -> String {
    let mut line = 1;
    let mut column = 1;
    for char in text.chars().take(index) {
        if char == '\n' {
            (line, column) = (line + 1, 1);
        } else {
            column += 1;
        }
    }
    if line == 1 { format!("at character {column}") } else { format!("at line {line}, character {column}") }
}

fn around(text: &str, index: usize) -> String {
    let start = index.saturating_sub(BEFORE);
    let before = if start > 0 { "…" } else { "" };
    format!("{before}{}", quote(text, start))
}

/// The text from there on, in quotes, with whatever cannot be seen escaped.
fn quote(text: &str, start: usize) -> String {
    let mut rest = text.chars().skip(start);
    let shown: String = rest.by_ref().take(BEFORE + AFTER).flat_map(visible).collect();
    let after = if rest.next().is_some() { "…" } else { "" };
    format!("\"{shown}\"{after}")
}

fn visible(char: char) -> Vec<char> {
    if char == '\'' || char == '"' { vec![char] } else { char.escape_debug().collect() }
}

fn code_point(char: char) -> String {
    let name = match char {
        '\t' => " tab",
        '\n' => " line feed",
        '\r' => " carriage return",
        ' ' => " space",
        '\u{a0}' => " no-break space",
        '\u{ad}' => " soft hyphen",
        '\u{300}'..='\u{36f}' => " combining mark",
        '\u{200b}' => " zero width space",
        '\u{200c}' => " zero width non-joiner",
        '\u{200d}' => " zero width joiner",
        '\u{200e}' | '\u{200f}' => " direction mark",
        '\u{2028}' => " line separator",
        '\u{202f}' => " narrow no-break space",
        '\u{3000}' => " ideographic space",
        '\u{feff}' => " byte order mark",
        '\u{fffd}' => " replacement character: bytes were lost",
        _ => "",
    };
    format!("U+{:04X}{name}", u32::from(char))
}

/// Whether the texts are alike but for white space and what has no width.
pub(crate) fn squeezed(text: &str) -> String {
    let zero_width = |char: &char| matches!(char, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}');
    let seen: String = text.chars().filter(|char| !zero_width(char)).collect();
    seen.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_do_not_differ() {
        assert_eq!(describe("a", "a", true), None);
        assert_eq!(describe("die straße", "DIE STRASSE", false), None);
        assert_eq!(describe("", "", true), None);
    }

    #[test]
    fn invisible_differences_are_spelled_out() {
        assert_eq!(
            describe("Hello World", "Hello \u{a0}World", true).unwrap(),
            "the text differs at character 7: expected \"Hello World\", found \"Hello \\u{a0}World\" (U+00A0 no-break space \
             in place of U+0057)"
        );
        // Composed and decomposed: normalisation is not applied.
        let told = describe("é", "e\u{301}", true).unwrap();
        assert!(told.ends_with("(U+0065 in place of U+00E9)"), "{told}");
        let told = describe("naïve 日本", "na\u{fffd}\u{fffd}ve 日本", true).unwrap();
        assert!(told.contains("U+FFFD replacement character: bytes were lost"), "{told}");
        assert!(!describe("abc", "abd", true).unwrap().contains("U+"));
    }

    #[test]
    fn one_text_may_end_early() {
        assert_eq!(describe("ab\n", "ab", true).unwrap(), "the text ends at character 3, where \"\\n\" is expected");
        assert_eq!(describe("ab", "ab!", true).unwrap(), "the text goes on at character 3 with \"!\"");
        assert_eq!(describe("x", "", true).unwrap(), "the text ends at character 1, where \"x\" is expected");
    }

    #[test]
    fn long_texts_are_cut_and_lines_counted() {
        let (one, two) = (format!("first\n{}a", "x".repeat(90)), format!("first\n{}b", "x".repeat(90)));
        let told = describe(&one, &format!("{two}{}", "y".repeat(90)), true).unwrap();
        assert!(
            told.starts_with("the text differs at line 2, character 91: expected …\"xxxxxxxxxxxxa\", found …\""),
            "{told}"
        );
        assert!(told.chars().count() < 150, "{told}");
    }

    #[test]
    fn folding_keeps_the_place() {
        let told = describe("STRASSE 1", "straße 2", false).unwrap();
        assert!(told.starts_with("the text differs at character 8"), "{told}");
    }

    #[test]
    fn squeezing_forgets_white_space() {
        assert_eq!(squeezed(" a\u{a0}\n b\u{200b}c "), "a bc");
    }
}
