//! Character classes: flat here, nested and with set operations in the engine.

use super::{Reader, Refusal};

impl Reader {
    pub(super) fn class(&mut self) -> Result<(), Refusal> {
        let start = self.at;
        self.push('[');
        self.at += 1;
        if self.peek(0) == Some('^') {
            self.push('^');
            self.at += 1;
        }
        if self.peek(0) == Some(']') {
            self.push_str(r"\]");
            self.at += 1;
        }
        loop {
            match (self.peek(0), self.peek(1)) {
                (None, _) => {
                    self.at = start;
                    return self.refuse("a class `[` is not closed", "close it with `]`, or write `\\[`");
                }
                (Some(']'), _) => {
                    self.push(']');
                    self.at += 1;
                    return Ok(());
                }
                (Some('\\'), Some(escaped @ ('N' | 'h' | 'H'))) => return self.odd_escape(escaped),
                (Some('\\'), Some(escaped)) => {
                    self.push('\\');
                    self.push(escaped);
                    self.at += 2;
                }
                (Some(one), Some(two)) if one == two && matches!(one, '&' | '-' | '~') => {
                    let what = format!("`{one}{one}` in a class means different things in different tools");
                    return self.refuse(&what, &format!("write `\\{one}` for the character"));
                }
                (Some('['), Some(':')) => self.posix_class()?,
                // No class can stand in a class here, but in the engine it can.
                (Some('['), _) => {
                    self.push_str(r"\[");
                    self.at += 1;
                }
                // Blanks count in a class, verbose or not.
                (Some(char), _) if self.scope.1 && (char == '#' || char.is_ascii_whitespace() || char == '\u{b}') => {
                    self.push_str(&format!("\\x{:02x}", u32::from(char)));
                    self.at += 1;
                }
                (Some(char), _) => {
                    self.push(char);
                    self.at += 1;
                }
            }
        }
    }

    /// `[:alpha:]` in a class, which knows more than ASCII here.
    fn posix_class(&mut self) -> Result<(), Refusal> {
        let name: String = self.chars[self.at + 2..].iter().take_while(|char| char.is_ascii_lowercase()).collect();
        let after = self.at + 2 + name.len();
        if name.is_empty() || self.chars.get(after..after + 2) != Some(&[':', ']']) {
            self.push_str(r"\[");
            self.at += 1;
            return Ok(());
        }
        let same = match name.as_str() {
            "alpha" => r"\p{Alphabetic}",
            "digit" => r"\p{Nd}",
            "alnum" => r"\p{Alphabetic}\p{Nd}",
            "upper" => r"\p{Uppercase}",
            "lower" => r"\p{Lowercase}",
            "space" => r"\s",
            "blank" => r"\p{Zs}\t",
            "cntrl" => r"\p{Cc}",
            "word" => r"\w",
            "xdigit" => "0-9A-Fa-f",
            _ => return self.refuse(&format!("`[:{name}:]` is not supported"), "write the characters, or a `\\p{…}`"),
        };
        self.push_str(same);
        self.at = after + 2;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::translate;

    #[test]
    fn classes_are_flat() {
        for (pattern, plain) in [
            ("[[a]", r"[\[a]"),
            ("[]a]", r"[\]a]"),
            ("[^]a]", r"[^\]a]"),
            ("[[:alpha:]_]", r"[\p{Alphabetic}_]"),
            ("[[:alp]", r"[\[:alp]"),
            (r"[a\]b]", r"[a\]b]"),
            ("(?x)[ #]", r"[\x20\x23]"),
            ("[a-z&~-]", "[a-z&~-]"),
        ] {
            assert_eq!(translate(pattern).unwrap().plain, plain, "{pattern}");
        }
    }
}
