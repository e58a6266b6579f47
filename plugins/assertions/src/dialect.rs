//! The regular expressions of contract files, put into the words of the engine.
//!
//! Contracts speak the dialect of Python's `regex` module (version 0, Unicode), the engine another that is close to it.
//! What the engine spells otherwise is translated, what it would silently take for something else is refused, and what it
//! does not know it refuses itself.

mod class;

/// A pattern in the engine's dialect.
#[derive(Debug, PartialEq)]
pub(crate) struct Translated {
    pub(crate) flags: Flags,
    /// For texts that do not end with a line feed.
    pub(crate) plain: String,
    /// For texts that do, where `$` matches in two places. None where the pattern has no such `$`.
    pub(crate) before_line_feed: Option<String>,
}

/// Flags of the whole pattern. Wherever `(?i)` stands, it holds from the start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Flags {
    pub(crate) ignore_case: bool,
    pub(crate) multi_line: bool,
    pub(crate) dot_all: bool,
    pub(crate) verbose: bool,
}

/// Why a pattern is not taken, and what to write in its place.
#[derive(Debug, PartialEq)]
pub(crate) struct Refusal {
    pub(crate) message: String,
    pub(crate) help: String,
}

/// Translates a pattern.
pub(crate) fn translate(pattern: &str) -> Result<Translated, Refusal> {
    let mut flags = Flags::default();
    // A flag that stands late may change how the beginning is read, so reading starts anew until no flag is news. There
    // are four flags.
    loop {
        let mut reader = Reader::new(pattern, flags);
        reader.read()?;
        if reader.found == flags {
            let before_line_feed = reader.ends.then_some(reader.before_line_feed);
            return Ok(Translated { flags, plain: reader.plain, before_line_feed });
        }
        flags = reader.found;
    }
}

struct Reader {
    chars: Vec<char>,
    at: usize,
    /// Flags of the whole pattern that were seen.
    found: Flags,
    /// Multi-line and verbose, as they hold here.
    scope: (bool, bool),
    /// What held outside of each open group.
    outer: Vec<(bool, bool)>,
    plain: String,
    before_line_feed: String,
    ends: bool,
}

impl Reader {
    fn new(pattern: &str, flags: Flags) -> Reader {
        Reader {
            chars: pattern.chars().collect(),
            at: 0,
            found: flags,
            scope: (flags.multi_line, flags.verbose),
            outer: Vec::new(),
            plain: String::new(),
            before_line_feed: String::new(),
            ends: false,
        }
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn push(&mut self, char: char) {
        self.plain.push(char);
        self.before_line_feed.push(char);
    }

    fn push_str(&mut self, text: &str) {
        self.plain.push_str(text);
        self.before_line_feed.push_str(text);
    }

    fn refuse<T>(&self, what: &str, help: &str) -> Result<T, Refusal> {
        Err(Refusal { message: format!("{what}, at character {}", self.at + 1), help: help.into() })
    }

    fn read(&mut self) -> Result<(), Refusal> {
        while let Some(char) = self.peek(0) {
            match char {
                '\\' => self.escape()?,
                '[' => self.class()?,
                '(' => self.group()?,
                ')' => {
                    self.scope = self.outer.pop().unwrap_or(self.scope);
                    self.push(char);
                    self.at += 1;
                }
                '{' => self.brace()?,
                '$' if !self.scope.0 => {
                    // Before a final line feed as well; the engine knows only the very end.
                    self.plain.push_str(r"\z");
                    self.before_line_feed.push_str(r"(?:\z|(?=\n\z))");
                    self.ends = true;
                    self.at += 1;
                }
                '#' if self.scope.1 => {
                    while self.peek(0).is_some_and(|char| char != '\n') {
                        self.at += 1;
                    }
                }
                // The engine skips fewer of them.
                '\u{b}' | '\u{c}' if self.scope.1 => {
                    self.push(' ');
                    self.at += 1;
                }
                _ => {
                    self.push(char);
                    self.at += 1;
                }
            }
        }
        Ok(())
    }

    fn escape(&mut self) -> Result<(), Refusal> {
        let Some(escaped) = self.peek(1) else {
            self.push('\\');
            self.at += 1;
            return Ok(());
        };
        match escaped {
            'Z' => self.push_str(r"\z"),
            '<' | '>' => {
                let help = format!("write `{escaped}`, or `\\b` for the border of a word");
                return self.refuse(&format!("`\\{escaped}` means different things in different tools"), &help);
            }
            'm' | 'M' => {
                return self.refuse(&format!("`\\{escaped}` is not supported"), "write `\\b` for the border of a word");
            }
            'L' => return self.refuse("named lists `\\L<…>` are not supported", "write the words: `(?:one|two)`"),
            'g' => return self.refuse("`\\g` is not supported", "refer to a group with `\\1` or `(?P=name)`"),
            'O' => return self.refuse("`\\O` is not supported", "write `(?s:.)`"),
            'N' | 'h' | 'H' => return self.odd_escape(escaped),
            _ => {
                self.push('\\');
                self.push(escaped);
            }
        }
        self.at += 2;
        Ok(())
    }

    /// Escapes that are refused inside of classes as well.
    fn odd_escape<T>(&self, escaped: char) -> Result<T, Refusal> {
        if escaped == 'N' {
            return self.refuse("`\\N` is not supported", "write the character itself, or its number: `\\u03b1`");
        }
        let help = "write `[ \\t]` for a blank, `[0-9A-Fa-f]` for a hexadecimal digit";
        self.refuse(&format!("`\\{escaped}` means different things in different tools"), help)
    }

    /// A group, from its parenthesis to where its content begins.
    fn group(&mut self) -> Result<(), Refusal> {
        if self.peek(1) != Some('?') {
            self.open("(");
            self.at += 1;
            return Ok(());
        }
        match (self.peek(2), self.peek(3)) {
            (Some('#'), _) => {
                while self.peek(0).is_some_and(|char| char != ')') {
                    self.at += 1;
                }
                if self.peek(0).is_none() {
                    return self.refuse("a comment `(?#…` is not closed", "close it with `)`");
                }
                self.at += 1;
                Ok(())
            }
            (Some('R' | '&' | '0'..='9'), _) | (Some('P'), Some('>' | '&')) => {
                self.refuse("recursion is not supported", "repeat the group's pattern as deep as it is needed")
            }
            (Some('|'), _) => {
                self.refuse("branch reset `(?|…)` is not supported", "give each branch a group of its own")
            }
            (Some('~'), _) => self.refuse("`(?~…)` is not supported", "use a negative lookahead `(?!…)`"),
            (Some(':' | '=' | '!' | '<' | '>' | '(' | '\'' | 'P'), _) => {
                self.open("(?");
                self.at += 2;
                // The condition of `(?(1)a|b)` is no group; one that looks around is.
                if self.peek(0) == Some('(') && self.peek(1) != Some('?') {
                    while let Some(char) = self.peek(0) {
                        self.push(char);
                        self.at += 1;
                        if char == ')' {
                            break;
                        }
                    }
                }
                Ok(())
            }
            _ => self.inline_flags(),
        }
    }

    fn open(&mut self, text: &str) {
        self.outer.push(self.scope);
        self.push_str(text);
    }

    /// `(?im)`, which holds for the whole pattern, or `(?i-m:`, which holds for its group.
    fn inline_flags(&mut self) -> Result<(), Refusal> {
        let (mut on, mut off) = (String::new(), String::new());
        let mut negative = false;
        let mut ahead = 2;
        loop {
            match self.peek(ahead) {
                Some(flag @ ('i' | 'm' | 's' | 'x')) => if negative { &mut off } else { &mut on }.push(flag),
                // Patterns are Unicode anyway.
                Some('u') if !negative => {}
                Some('V') if self.peek(ahead + 1) == Some('0') => ahead += 1,
                Some('-') if !negative => negative = true,
                Some(')') if negative => {
                    let help = format!("turn it off for a group: `(?-{off}:…)`");
                    return self.refuse("a flag of the whole pattern cannot be turned off", &help);
                }
                Some(')') => {
                    self.found.ignore_case |= on.contains('i');
                    self.found.multi_line |= on.contains('m');
                    self.found.dot_all |= on.contains('s');
                    self.found.verbose |= on.contains('x');
                    self.at += ahead + 1;
                    return Ok(());
                }
                Some(':') => {
                    let sign = if off.is_empty() { "" } else { "-" };
                    self.open(&format!("(?{on}{sign}{off}:"));
                    self.scope.0 = (self.scope.0 || on.contains('m')) && !off.contains('m');
                    self.scope.1 = (self.scope.1 || on.contains('x')) && !off.contains('x');
                    self.at += ahead + 1;
                    return Ok(());
                }
                other => return self.unknown_flag(other),
            }
            ahead += 1;
        }
    }

    fn unknown_flag<T>(&self, flag: Option<char>) -> Result<T, Refusal> {
        let (what, help) = match flag {
            None => ("a group `(?` is not closed".to_owned(), "close it with `)`"),
            Some('a' | 'L') => (
                "ASCII and locale matching are not supported".to_owned(),
                "write `[0-9A-Za-z_]` for `\\w` and `[0-9]` for `\\d`",
            ),
            Some('f') => (
                "full case folding is not supported in patterns".to_owned(),
                "use `contains` with `case_sensitive: false`, which folds fully",
            ),
            Some('V') => ("version 1 of the dialect is not supported".to_owned(), "leave out `(?V1)`"),
            Some('b' | 'e') => ("fuzzy matching is not supported".to_owned(), "write the variants: `(?:colour|color)`"),
            Some(flag) => (format!("the flag `(?{flag})` is not supported"), "flags are `i`, `m`, `s`, `x` and `u`"),
        };
        self.refuse(&what, help)
    }

    /// A brace: the start of a repetition or a plain character, unless it asks for fuzzy matching.
    fn brace(&mut self) -> Result<(), Refusal> {
        let content: String = self.chars[self.at + 1..].iter().take_while(|char| **char != '}').collect();
        let closed = self.at + 1 + content.chars().count() < self.chars.len();
        if closed && is_fuzzy(&content) {
            let what = format!("fuzzy matching `{{{content}}}` is not supported");
            return self.refuse(&what, "write the variants, or `\\{` for the character");
        }
        self.push('{');
        self.at += 1;
        Ok(())
    }
}

/// Whether `{content}` asks for approximate matching: `{e}`, `{e<=1}`, `{1<=s<=2,i<3}`, `{2i+1d<=4}`, `{s:[a-z]}`.
fn is_fuzzy(content: &str) -> bool {
    let content: String = content.chars().filter(|char| !char.is_whitespace()).collect();
    let limits = content.split_once(':').map_or(content.as_str(), |(limits, _)| limits);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_cost = |text: &str| {
        let kind = text.trim_start_matches(|char: char| char.is_ascii_digit());
        matches!(kind, "i" | "d" | "s" | "e")
    };
    limits.split(',').all(|limit| {
        let parts: Vec<&str> = limit.split('<').map(|part| part.strip_prefix('=').unwrap_or(part)).collect();
        let costs = parts.iter().filter(|part| part.split('+').all(is_cost)).count();
        let numbers = parts.iter().filter(|part| is_number(part)).count();
        costs == 1 && costs + numbers == parts.len() && (parts.len() > 1 || limit.len() == 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dollar_and_end_are_translated_where_they_mean_it() {
        for (pattern, plain, before_line_feed) in [
            ("a$", r"a\z", Some(r"a(?:\z|(?=\n\z))")),
            (r"a\$", r"a\$", None),
            ("[$]", "[$]", None),
            (r"a\Z", r"a\z", None),
            (r"\\Z", r"\\Z", None),
            ("(?m:a$)b", "(?m:a$)b", None),
            ("(?m:a$)b$", r"(?m:a$)b\z", Some(r"(?m:a$)b(?:\z|(?=\n\z))")),
            ("(?#$)a", "a", None),
            ("(?x)a # $", "a ", None),
        ] {
            let translated = translate(pattern).unwrap();
            assert_eq!(translated.plain, plain, "{pattern}");
            assert_eq!(translated.before_line_feed.as_deref(), before_line_feed, "{pattern}");
        }
        let multi = translate("a$(?m)").unwrap();
        assert_eq!((multi.plain.as_str(), multi.flags.multi_line), ("a$", true));
    }

    #[test]
    fn flags_hold_for_the_whole_pattern() {
        let translated = translate("a(?i)b(?su)(?V0)").unwrap();
        assert_eq!(translated.plain, "ab");
        assert_eq!(translated.flags, Flags { ignore_case: true, dot_all: true, ..Flags::default() });
        assert_eq!(translate("(?i-s:a)(?u:b)").unwrap().plain, "(?i-s:a)(?:b)");
        // The flag at the end makes a comment of what began as a class.
        assert_eq!(translate("a# [#\n](?x)").unwrap().plain, "a\n]");
    }

    #[test]
    fn conditions_are_no_groups() {
        for pattern in ["(a)?(?(1)b|c)", "(?P<n>a)?(?(n)b|c)", "(?(?=a)a|b)", "(?<=a)b", "(?P=n)", "(?>a)b++", "x{2,3}"]
        {
            assert_eq!(translate(pattern).unwrap().plain, pattern);
        }
    }

    #[test]
    fn what_would_mean_something_else_is_refused_with_its_place() {
        for (pattern, words) in [
            (r"a\N{DIGIT ONE}", "`\\N` is not supported, at character 2"),
            (r"[\N{DIGIT ONE}]", "`\\N`"),
            (r"\h", "`\\h` means different things"),
            (r"[\H]", "`\\H` means different things"),
            ("a(?R)", "recursion is not supported, at character 2"),
            ("(?1)", "recursion"),
            ("(?&n)", "recursion"),
            ("(?P>n)", "recursion"),
            (r"\<a", "`\\<` means different things"),
            (r"a\>", "`\\>` means different things"),
            ("(?a)x", "ASCII"),
            ("(?a:x)", "ASCII"),
            ("(?L)x", "locale"),
            ("(?f)x", "full case folding"),
            ("(?V1)x", "version 1"),
            ("(?r)x", "the flag `(?r)`"),
            ("(?U)x", "the flag `(?U)`"),
            ("(?b)x", "fuzzy"),
            ("(?-i)x", "cannot be turned off"),
            ("(?|a|b)", "branch reset"),
            ("(?~a)", "(?~…)"),
            ("[a&&b]", "`&&` in a class"),
            ("[a--b]", "`--` in a class"),
            ("[a~~b]", "`~~` in a class"),
            ("[[:punct:]]", "`[:punct:]`"),
            (r"\L<words>", "named lists"),
            (r"\mword", "`\\m`"),
            (r"(?P<n>a)\g<n>", "`\\g`"),
            (r"\O", "`\\O`"),
            ("(?:abc){e<=1}", "fuzzy matching `{e<=1}`"),
            ("a[b", "a class `[` is not closed, at character 2"),
            ("(?#a", "not closed"),
            ("(?i", "not closed"),
        ] {
            let refusal = translate(pattern).unwrap_err();
            assert!(refusal.message.contains(words), "{pattern}: {}", refusal.message);
            assert!(!refusal.help.is_empty());
        }
    }

    #[test]
    fn fuzzy_limits_are_told_from_other_braces() {
        for fuzzy in ["e", "i", "e<=1", "s<2", "1<=e<=3", "i<=2,d<=1", "2i+2d+1s<=4", "s<=1:[a-z]", "e <= 1"] {
            assert!(is_fuzzy(fuzzy), "{fuzzy}");
        }
        for other in ["", "2", "2,3", ",3", "id", "name", "0", "e1", "a<b", "1<2"] {
            assert!(!is_fuzzy(other), "{other}");
        }
    }
}
