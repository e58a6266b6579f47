//! Patterns: compiled once, searched in each text, with a bound on the work.

use fancy_regex::{CompileError, Error, Regex, RegexBuilder};

use crate::dialect::{Flags, translate};

/// How often a search may step back. A pattern without lookaround and back references needs no step at all; one with them
/// may need one per character of the text, and texts have up to a million. A search that runs away to this bound was
/// measured at 0.6 thousand million units of fuel, a third of what the sandbox gives to a call.
pub(crate) const STEPS: usize = 1_000_000;
/// So many searches of an evaluation may run away; then no more are made, lest the call run out of fuel and say nothing.
const RUNAWAYS: usize = 2;

/// The finding's words when a search met that bound.
pub(crate) const UNDECIDED: &str = "could not be decided: the pattern needs too many steps";

/// A compiled pattern.
#[derive(Debug)]
pub(crate) struct Pattern {
    pub(crate) source: String,
    plain: Regex,
    before_line_feed: Option<Regex>,
}

/// What a search came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Search {
    Found,
    NotFound,
    /// It needed too many steps.
    Undecided,
    /// It was not made, because others needed too many.
    NotMade,
}

/// The searches of one evaluation.
#[derive(Default)]
pub(crate) struct Searches {
    runaways: usize,
}

impl Searches {
    /// Whether the pattern matches anywhere in the text.
    pub(crate) fn search(&mut self, pattern: &Pattern, text: &str) -> Search {
        if self.runaways == RUNAWAYS {
            return Search::NotMade;
        }
        let search = pattern.search(text);
        self.runaways += usize::from(search == Search::Undecided);
        search
    }
}

impl Search {
    /// Why a pattern was not decided, as a finding's words.
    pub(crate) fn undecided(self) -> &'static str {
        match self {
            Search::NotMade => "not searched: patterns before it needed too many steps",
            _ => UNDECIDED,
        }
    }
}

/// Why a pattern cannot be used, and what to do about it.
#[derive(Debug)]
pub(crate) struct PatternError {
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

impl Pattern {
    /// Compiles a pattern of the contract language.
    pub(crate) fn compile(source: &str, case_sensitive: bool) -> Result<Pattern, PatternError> {
        let translated =
            translate(source).map_err(|refusal| PatternError { message: refusal.message, help: Some(refusal.help) })?;
        let flags = Flags { ignore_case: translated.flags.ignore_case || !case_sensitive, ..translated.flags };
        let before_line_feed = translated.before_line_feed.map(|pattern| build(&pattern, flags)).transpose()?;
        Ok(Pattern { source: source.to_owned(), plain: build(&translated.plain, flags)?, before_line_feed })
    }

    fn search(&self, text: &str) -> Search {
        let regex = match &self.before_line_feed {
            Some(regex) if text.ends_with('\n') => regex,
            _ => &self.plain,
        };
        match regex.is_match(text) {
            Ok(true) => Search::Found,
            Ok(false) => Search::NotFound,
            Err(_) => Search::Undecided,
        }
    }
}

fn build(pattern: &str, flags: Flags) -> Result<Regex, PatternError> {
    RegexBuilder::new(pattern)
        .case_insensitive(flags.ignore_case)
        .multi_line(flags.multi_line)
        .dot_matches_new_line(flags.dot_all)
        .ignore_whitespace(flags.verbose)
        .backtrack_limit(STEPS)
        .build()
        .map_err(|error| PatternError { message: words(&error), help: None })
}

fn words(error: &Error) -> String {
    let reason = match error {
        // Its position counts in the translated pattern, so it is left out.
        Error::ParseError(_, error) => error.to_string(),
        Error::CompileError(error) => match &**error {
            CompileError::InnerError(error) => match (error.size_limit(), error.syntax_error()) {
                (Some(_), _) => "it is too large once its repetitions are written out".into(),
                // The engine draws a picture of the pattern; its last line has the reason.
                (_, Some(error)) => {
                    let text = error.to_string();
                    let last = text.lines().last().unwrap_or_default();
                    last.trim_start_matches("error: ").to_owned()
                }
                _ => error.to_string(),
            },
            error => error.to_string(),
        },
        error => error.to_string(),
    };
    format!("the pattern cannot be compiled: {}", lower_first(&reason))
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(pattern: &str, text: &str) -> Search {
        Pattern::compile(pattern, true).unwrap().search(text)
    }

    #[test]
    fn the_end_is_pythons() {
        for (pattern, text, found) in [
            ("a$", "a", true),
            ("a$", "a\n", true),
            ("a$", "a\n\n", false),
            ("a$", "a\nb", false),
            ("(?m)a$", "a\nb", true),
            ("^b", "a\nb", false),
            ("(?m)^b", "a\nb", true),
            (r"a\Z", "a", true),
            (r"a\Z", "a\n", false),
            (r"a$\n", "a\n", true),
            ("^$", "\n", true),
            ("(?:^|x)$", "x\n", true),
            ("a.b", "a\nb", false),
            ("(?s)a.b", "a\nb", true),
            ("a.b", "a\rb", true),
        ] {
            let expected = if found { Search::Found } else { Search::NotFound };
            assert_eq!(search(pattern, text), expected, "{pattern:?} {text:?}");
        }
    }

    #[test]
    fn the_dialect_has_more_than_a_linear_engine() {
        for (pattern, text) in [
            (r"(?=a)a(?!c)", "ab"),
            ("(?<=a+)b", "aab"),
            ("(?<!x)b", "ab"),
            (r"(a)\1", "aa"),
            (r"(?P<n>a)(?P=n)", "aa"),
            ("(?>a|ab)c", "ac"),
            ("a++b", "aab"),
            ("(a)?(?(1)b|c)", "c"),
            (r"^\p{L}+\d{,2}$", "é12"),
            (r"\bß\b", "a ß b"),
            ("x{y", "x{y"),
            ("(?x) a [ ] b  # text", "a b"),
            ("[[:alpha:]]", "é"),
            ("[[a]", "["),
        ] {
            assert_eq!(search(pattern, text), Search::Found, "{pattern:?} {text:?}");
        }
        assert_eq!(search("a++a", "aaa"), Search::NotFound);
        assert_eq!(search("[[a]]", "a"), Search::NotFound);
        assert_eq!(search("[[a]]", "[]"), Search::Found);
    }

    #[test]
    fn flags_in_the_middle_hold_from_the_start() {
        assert_eq!(search("a(?i)b", "AB"), Search::Found);
        assert_eq!(search("a(?i:b)", "AB"), Search::NotFound);
        assert_eq!(search("a(?i:b)", "aB"), Search::Found);
    }

    #[test]
    fn case_folds_simply() {
        let pattern = Pattern::compile("straße", false).unwrap();
        assert_eq!(pattern.search("STRAßE"), Search::Found);
        assert_eq!(pattern.search("STRAẞE"), Search::Found);
        assert_eq!(pattern.search("STRASSE"), Search::NotFound);
    }

    #[test]
    fn a_runaway_pattern_is_undecided_and_a_linear_one_is_not() {
        let text = format!("{}!", "a".repeat(60));
        assert_eq!(search(r"^(a|aa)+\1$", &text), Search::Undecided);
        assert_eq!(search("(a|aa)+$", &text), Search::NotFound);
        assert_eq!(search("(a|aa)+$", &format!("{text}\n")), Search::Undecided);
    }

    #[test]
    fn after_two_runaways_no_search_is_made() {
        let (runaway, plain) = (Pattern::compile(r"^(a|aa)+\1$", true).unwrap(), Pattern::compile("^a", true).unwrap());
        let text = format!("{}!", "a".repeat(60));
        let mut searches = Searches::default();
        let made = [&runaway, &plain, &runaway, &plain, &runaway].map(|pattern| searches.search(pattern, &text));
        assert_eq!(made, [Search::Undecided, Search::Found, Search::Undecided, Search::NotMade, Search::NotMade]);
        assert_eq!(Search::Undecided.undecided(), UNDECIDED);
        assert!(Search::NotMade.undecided().starts_with("not searched"));
    }

    #[test]
    fn bad_patterns_say_why() {
        for (pattern, words) in [
            ("(", "opening parenthesis without closing parenthesis"),
            ("a**", ""),
            (r"\q", "invalid escape: \\q"),
            ("(?:a{1000}){1000}", "too large"),
            (r"(a)\2", "invalid back reference"),
            ("[z-a]", "invalid character class range"),
            (r"\p{Nope}", "property not found"),
            ("(?P<n", "could not parse group name"),
        ] {
            let error = Pattern::compile(pattern, true).unwrap_err();
            assert!(error.message.starts_with("the pattern cannot be compiled: "), "{pattern}: {}", error.message);
            assert!(error.message.contains(words), "{pattern}: {}", error.message);
            assert!(!error.message.contains('\n'), "{}", error.message);
        }
        let refused = Pattern::compile(r"\h", true).unwrap_err();
        assert!(refused.help.is_some());
    }
}
