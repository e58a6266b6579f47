//! Values that must reach no output, and the redactor that keeps them out.
//!
//! A secret is the value of an environment variable that a contract uses in a header (later also in authentication and in
//! keys named `*_env`). The agent may send it back in any spelling, so the common encodings are masked too.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, MatchKind};
use base64::Engine as _;
use base64::engine::general_purpose::{GeneralPurpose, STANDARD, URL_SAFE};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};

/// What stands in place of a secret.
pub const REDACTED: &str = "[REDACTED]";

/// Secrets of fewer characters are not masked: they would occur by chance, and masking them would tell more than it hides.
pub const MIN_SECRET_CHARS: usize = 4;

/// The secrets of a run, each with the name of its variable.
#[derive(Clone, Default, PartialEq)]
pub struct Secrets {
    entries: Vec<(String, String)>,
}

impl Secrets {
    /// Adds the value of a variable. The same variable is kept once.
    pub fn add(&mut self, name: impl Into<String>, value: impl Into<String>) {
        let entry = (name.into(), value.into());
        if !self.entries.contains(&entry) {
            self.entries.push(entry);
        }
    }

    /// The names of the variables, in the order in which they were added.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|(name, _)| name.as_str())
    }

    /// The variables whose value, or the part of it after a scheme, is too short to be masked. What is empty is no secret.
    pub fn unmasked(&self) -> impl Iterator<Item = &str> {
        let is_short = |value: &str| !value.is_empty() && !is_long_enough(value);
        let short =
            self.entries.iter().filter(move |(_, value)| is_short(value) || credentials(value).is_some_and(is_short));
        short.map(|(name, _)| name.as_str())
    }

    /// True where there is nothing to hide.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Secrets").field(&self.names().collect::<Vec<_>>()).finish()
    }
}

/// Replaces secrets by [`REDACTED`]. Built once for a run; the longest match wins, so that no piece of a longer secret
/// stays behind. ASCII letters match in both cases: agents change the case of headers and of percent-encoding.
#[derive(Clone, Default)]
pub struct Redactor {
    automaton: Option<AhoCorasick>,
    /// What the automaton looks for, for texts that end inside one of them.
    forms: Arc<BTreeSet<String>>,
}

impl Redactor {
    /// Covers each secret as it is, as base64 (both alphabets, also as a piece of a longer text), percent-encoded, as in a form,
    /// and as in a JSON string. Of a value such as `Bearer abc` the part after the scheme is a secret of its own.
    pub fn new(secrets: &Secrets) -> Self {
        let mut forms = BTreeSet::new();
        for (_, value) in &secrets.entries {
            add_forms(value, &mut forms);
            if let Some(credentials) = credentials(value) {
                add_forms(credentials, &mut forms);
            }
        }
        if forms.is_empty() {
            return Redactor::default();
        }
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .ascii_case_insensitive(true)
            .build(&forms)
            .expect("the environment is far smaller than the 2^31 states that the automaton can have");
        Redactor { automaton: Some(automaton), forms: Arc::new(forms) }
    }

    /// Text without secrets.
    pub fn redact_str<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match &self.automaton {
            Some(automaton) if automaton.is_match(text) => {
                let mut clean = String::with_capacity(text.len());
                automaton.replace_all_with(text, &mut clean, |_, _, clean| {
                    clean.push_str(REDACTED);
                    true
                });
                Cow::Owned(clean)
            }
            _ => Cow::Borrowed(text),
        }
    }

    /// A message of the program without secrets. Messages quote foreign text and cut it, marked with `…`, before anybody
    /// knows of secrets: what stands before a cut and begins like a secret goes too.
    pub fn redact_message(&self, message: &str) -> String {
        let mut clean = self.redact_str(message).into_owned();
        let mut until = clean.len();
        while let Some(cut) = clean[..until].rfind('…') {
            until = match self.longest_beginning(&clean[..cut]) {
                Some(length) => {
                    clean.replace_range(cut - length..cut, REDACTED);
                    cut - length
                }
                None => cut,
            };
        }
        clean
    }

    /// Length in bytes of the longest end of a text that begins a form of a secret; ends under four characters give nothing
    /// away that a masked value would hide.
    fn longest_beginning(&self, text: &str) -> Option<usize> {
        let text = text.as_bytes();
        let of_form = |form: &String| {
            (MIN_SECRET_CHARS..form.len())
                .rev()
                .filter(|length| form.is_char_boundary(*length) && *length <= text.len())
                .find(|length| text[text.len() - length..].eq_ignore_ascii_case(&form.as_bytes()[..*length]))
        };
        self.forms.iter().filter_map(of_form).max()
    }

    /// Bytes without secrets.
    pub fn redact_bytes<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        match &self.automaton {
            Some(automaton) if automaton.is_match(bytes) => {
                let mut clean = Vec::with_capacity(bytes.len());
                automaton.replace_all_with_bytes(bytes, &mut clean, |_, _, clean| {
                    clean.extend_from_slice(REDACTED.as_bytes());
                    true
                });
                Cow::Owned(clean)
            }
            _ => Cow::Borrowed(bytes),
        }
    }

    /// Removes secrets from every string, key and number of a JSON value. The shape stays: a number that holds a secret
    /// becomes a string, and keys that become equal are told apart by a counter.
    pub fn redact_json(&self, value: &mut Value) {
        if self.automaton.is_none() {
            return;
        }
        match value {
            Value::Null | Value::Bool(_) => {}
            Value::Number(number) => {
                if let Cow::Owned(clean) = self.redact_str(&number.to_string()) {
                    *value = Value::String(clean);
                }
            }
            Value::String(text) => {
                if let Cow::Owned(clean) = self.redact_str(text) {
                    *text = clean;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.redact_json(item)),
            Value::Object(members) => {
                members.values_mut().for_each(|member| self.redact_json(member));
                if members.keys().any(|key| matches!(self.redact_str(key), Cow::Owned(_))) {
                    self.redact_keys(members);
                }
            }
        }
    }

    fn redact_keys(&self, members: &mut Map<String, Value>) {
        for (key, member) in std::mem::take(members) {
            let clean = self.redact_str(&key).into_owned();
            let mut unique = clean.clone();
            let mut count = 1;
            while members.contains_key(&unique) {
                count += 1;
                unique = format!("{clean} ({count})");
            }
            members.insert(unique, member);
        }
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Redactor")
    }
}

fn is_long_enough(value: &str) -> bool {
    value.chars().nth(MIN_SECRET_CHARS - 1).is_some()
}

/// What follows the scheme in a value of an `Authorization` header (RFC 9110 §11.4).
fn credentials(value: &str) -> Option<&str> {
    let (scheme, rest) = value.trim_start().split_once([' ', '\t'])?;
    let is_scheme = !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    is_scheme.then(|| rest.trim())
}

/// What `encodeURIComponent` and RFC 3986 leave alone.
const UNRESERVED: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
/// What JavaScript leaves alone beyond that.
const JAVASCRIPT: AsciiSet = UNRESERVED.remove(b'!').remove(b'*').remove(b'\'').remove(b'(').remove(b')');
/// What `encodeURI` and paths leave alone beyond that.
const URI: AsciiSet = JAVASCRIPT
    .remove(b';')
    .remove(b'/')
    .remove(b'?')
    .remove(b':')
    .remove(b'@')
    .remove(b'&')
    .remove(b'=')
    .remove(b'+')
    .remove(b'$')
    .remove(b',')
    .remove(b'#');

fn add_forms(value: &str, forms: &mut BTreeSet<String>) {
    if !is_long_enough(value) {
        return;
    }
    forms.insert(value.to_owned());
    for engine in [STANDARD, URL_SAFE] {
        forms.insert(engine.encode(value));
        // Inside a longer text, such as the credentials of Basic or a whole header, base64 depends on what stands around
        // the value only at its ends.
        forms.extend((0..3).filter_map(|before| inner_base64(&engine, value, before)));
    }
    for set in [NON_ALPHANUMERIC, &UNRESERVED, &JAVASCRIPT, &URI] {
        let encoded = utf8_percent_encode(value, set).to_string();
        forms.insert(encoded.replace("%20", "+"));
        forms.insert(encoded);
    }
    // Other spellings, and each of them quoted in JSON, which a message may quote again: an agent echoes what it was sent
    // inside JSON, and a finding quotes the agent.
    let mut spellings = BTreeSet::from([value.to_owned(), latin(value)]);
    spellings.extend(html(value));
    let pointers: Vec<String> = spellings.iter().map(|spelling| pointer(spelling)).collect();
    spellings.extend(pointers);
    for _ in 0..JSON_LEVELS {
        let quoted: Vec<String> = spellings.iter().map(|spelling| json_inside(spelling)).collect();
        for json in quoted.iter().map(|json| ascii_json(json)).chain(quoted.iter().cloned()) {
            spellings.insert(json.replace('/', "\\/"));
            spellings.insert(json);
        }
    }
    forms.extend(spellings);
}

/// How often a text may be quoted in JSON: by the program that sent it, by the agent, and by a message about it.
const JSON_LEVELS: usize = 3;

/// A member of an object that is named like the secret, in a JSON Pointer (RFC 6901).
fn pointer(value: &str) -> String {
    value.replace('~', "~0").replace('/', "~1")
}

/// What excerpts make of the bytes of a text in Latin-1: those that are no UTF-8 stand as `\xNN`.
fn latin(value: &str) -> String {
    let spelled = value.chars().map(|character| match u32::from(character) {
        code @ 0x80..=0xff => format!("\\x{code:02x}"),
        _ => character.to_string(),
    });
    spelled.collect()
}

/// The inside of a JSON string.
fn json_inside(text: &str) -> String {
    let json = Value::from(text).to_string();
    json[1..json.len() - 1].to_owned()
}

/// As error pages write a text: with the entities of HTML, in the spellings that servers use.
fn html(value: &str) -> Vec<String> {
    let base = value.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let quotes = ["\"", "&quot;", "&#34;"];
    let apostrophes = ["'", "&#39;", "&#x27;", "&apos;"];
    let spellings = quotes.iter().flat_map(|quote| apostrophes.iter().map(move |apostrophe| (quote, apostrophe)));
    spellings.map(|(quote, apostrophe)| base.replace('"', quote).replace('\'', apostrophe)).collect()
}

/// The characters of base64 that a value determines alone when `before` bytes (0 to 2) of the same group precede it. None
/// where so few are left that they would be found in innocent text.
fn inner_base64(engine: &GeneralPurpose, value: &str, before: usize) -> Option<String> {
    /// Six characters hold 36 bits: a chance hit takes billions of characters.
    const FEWEST: usize = 6;
    let mut bytes = vec![0; before];
    bytes.extend(value.as_bytes());
    let encoded = engine.encode(&bytes);
    // The first characters carry bits of what stands before, a last one bits of what follows.
    let first = (before * 8).div_ceil(6);
    let last = bytes.len() * 8 / 6;
    let inner = encoded.get(first..last)?;
    (inner.len() >= FEWEST).then(|| inner.to_owned())
}

/// A JSON string's inside with everything beyond ASCII as `\uXXXX`, as several languages write it.
fn ascii_json(json: &str) -> String {
    let mut units = [0; 2];
    let mut escaped = String::with_capacity(json.len());
    for character in json.chars() {
        if character.is_ascii() {
            escaped.push(character);
        } else {
            for unit in character.encode_utf16(&mut units) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_secret_that_a_cut_divides_is_masked() {
        let redactor = redactor(&["canary-7f3a9b2c"]);
        for kept in 4..14 {
            let message = format!("HTTP 500: xxx{}… and {}…", &"canary-7f3a9b2c"[..kept], &"CANARY-7F3A9B2C"[..kept]);
            assert_eq!(redactor.redact_message(&message), "HTTP 500: xxx[REDACTED]… and [REDACTED]…", "{kept}");
        }
        assert_eq!(redactor.redact_message("xxxcan…"), "xxxcan…", "three characters are a chance");
        assert_eq!(redactor.redact_message("canary-7f3a9b2c…"), "[REDACTED]…");
        assert_eq!(redactor.redact_message("a canary… sang…"), "a [REDACTED]… sang…");
        assert_eq!(Redactor::default().redact_message("a… b…"), "a… b…");
    }

    #[test]
    fn every_spelling_of_a_message_is_masked() {
        let secret = "p\u{e4}ss\"w'ort\\geheim/1?=&<z~";
        let redactor = redactor(&[secret]);
        for spelling in [
            "p\u{e4}ss\"w'ort\\geheim~11?=&<z~0",
            "p\u{e4}ss\\\\\\\"w'ort\\\\\\\\geheim/1?=&<z~",
            "p\\xe4ss\"w'ort\\geheim/1?=&<z~",
            "p\u{e4}ss&quot;w&#39;ort\\geheim/1?=&amp;&lt;z~",
            "p\u{e4}ss&#34;w&#x27;ort\\geheim/1?=&amp;&lt;z~",
        ] {
            assert_eq!(redactor.redact_message(spelling), REDACTED, "{spelling}");
        }
    }

    #[test]
    fn base64_of_a_longer_text_shows_nothing_of_the_secret() {
        for before in ["", "B", "Be", "Bearer ", "user:"] {
            for after in ["", "x", "xy", "xyz"] {
                for engine in [STANDARD, URL_SAFE] {
                    let encoded = engine.encode(format!("{before}canary-7f3a?>{after}"));
                    let shown = redactor(&["canary-7f3a?>"]).redact_str(&encoded).into_owned();
                    assert!(shown.contains(REDACTED), "{encoded}");
                    // What is left at the ends holds no four characters of the secret.
                    let left: usize = shown.replace(REDACTED, "").len();
                    assert!(left <= before.len() * 2 + after.len() * 2 + 6, "{shown}");
                }
            }
        }
        // A short secret has no such forms: innocent text stays.
        assert_eq!(redactor(&["abcd"]).redact_str("xYmNk"), "xYmNk");
    }

    fn redactor(values: &[&str]) -> Redactor {
        let mut secrets = Secrets::default();
        for value in values {
            secrets.add("NAME", *value);
        }
        Redactor::new(&secrets)
    }

    #[test]
    fn c109_every_form_of_a_canary_is_masked() {
        let redactor = redactor(&["Bearer canary-7f3a"]);
        for text in [
            "Bearer canary-7f3a",
            "canary-7f3a",
            "Authorization: bearer CANARY-7F3A",
            "https://h/?token=canary-7f3a&x=1",
            "Y2FuYXJ5LTdmM2E",
            "Y2FuYXJ5LTdmM2E=",
            "QmVhcmVyIGNhbmFyeS03ZjNh",
            "Bearer%20canary-7f3a",
            "Bearer+canary%2D7f3a",
        ] {
            let clean = redactor.redact_str(text);
            assert!(clean.contains(REDACTED), "{text}: {clean}");
            for rest in ["canary", "CANARY", "7f3a", "7F3A", "Y2Fu", "QmVh", "bearer", "Bearer"] {
                let scheme_may_stay = rest.eq_ignore_ascii_case("bearer") && !clean.starts_with("Auth");
                assert!(scheme_may_stay || !clean.contains(rest), "{text}: {clean}");
            }
        }
        assert_eq!(redactor.redact_str("Y2FuYXJ5LTdmM2E="), REDACTED);
        assert!(matches!(redactor.redact_str("nothing here"), Cow::Borrowed("nothing here")));
    }

    #[test]
    fn awkward_characters_are_masked_in_every_encoding() {
        let secret = "p/ä+\"w\\ü=?x";
        let redactor = redactor(&[secret]);
        for text in [
            secret.to_owned(),
            STANDARD.encode(secret),
            URL_SAFE.encode(secret),
            serde_json::to_string(&json!({ "t": secret })).unwrap(),
            "p\\/\\u00e4+\\\"w\\\\\\u00FC=?x".to_owned(),
            "p%2F%C3%A4%2B%22w%5C%C3%BC%3D%3Fx".to_owned(),
            "p%2f%c3%a4%2b%22w%5c%c3%bc%3d%3fx".to_owned(),
            "p/%C3%A4+%22w%5C%C3%BC=?x".to_owned(),
        ] {
            let clean = redactor.redact_str(&text);
            assert!(clean.contains(REDACTED), "{text}: {clean}");
            assert!(!clean.contains('w'), "{text}: {clean}");
        }
    }

    #[test]
    fn the_longest_secret_wins() {
        let redactor = redactor(&["abcd", "abcdefgh"]);
        assert_eq!(redactor.redact_str("abcdefgh abcd abcdef"), "[REDACTED] [REDACTED] [REDACTED]ef");
    }

    #[test]
    fn short_values_are_left_alone_and_known() {
        let mut secrets = Secrets::default();
        secrets.add("SHORT", "äöü");
        secrets.add("LONG", "äöüß");
        secrets.add("EMPTY", "");
        secrets.add("TOKEN", "Bearer abc");
        secrets.add("NO_TOKEN", "Bearer ");
        assert_eq!(secrets.unmasked().collect::<Vec<_>>(), ["SHORT", "TOKEN"]);
        let redactor = Redactor::new(&secrets);
        assert_eq!(redactor.redact_str("äöü."), "äöü.");
        assert_eq!(redactor.redact_str("äöüß."), "[REDACTED].");
        assert!(Redactor::new(&Secrets::default()).automaton.is_none());
    }

    #[test]
    fn the_token_after_a_scheme_counts_only_where_it_is_long_enough() {
        assert_eq!(redactor(&["Bearer abc"]).redact_str("abc Bearer abc"), "abc [REDACTED]");
        assert_eq!(redactor(&["Bearer  abcd"]).redact_str("abcd"), REDACTED);
    }

    #[test]
    fn bytes_that_are_no_text_keep_their_place() {
        let redactor = redactor(&["canary-7f3a"]);
        let clean = redactor.redact_bytes(b"\xff\xfecanary-7f3a\x00");
        assert_eq!(&*clean, b"\xff\xfe[REDACTED]\x00");
        assert!(matches!(redactor.redact_bytes(b"\xff"), Cow::Borrowed(_)));
    }

    #[test]
    fn json_keeps_its_shape() {
        let redactor = redactor(&["canary-7f3a", "text", "12345678"]);
        let mut value = json!({
            "text": "a canary-7f3a", "canary-7f3a": 1, "list": [12345678, 12345, null, true, {"CANARY-7F3A": "x"}],
        });
        redactor.redact_json(&mut value);
        assert_eq!(
            value,
            json!({
                "[REDACTED]": "a [REDACTED]", "[REDACTED] (2)": 1,
                "list": ["[REDACTED]", 12345, null, true, {"[REDACTED]": "x"}],
            })
        );
    }

    #[test]
    fn debug_output_shows_names_only() {
        let mut secrets = Secrets::default();
        secrets.add("TOKEN", "canary-7f3a");
        secrets.add("TOKEN", "canary-7f3a");
        let shown = format!("{secrets:?} {:?}", Redactor::new(&secrets));
        assert_eq!(shown, r#"Secrets(["TOKEN"]) Redactor"#);
    }

    proptest::proptest! {
        #[test]
        fn no_encoding_of_any_secret_survives(secret in "[ -~äß日🚀\n\"\\\\/]{4,40}", before in "[a-z ]{0,5}") {
            let redactor = redactor(&[&secret]);
            let json = serde_json::to_string(&secret).unwrap();
            let json = &json[1..json.len() - 1];
            let forms = [
                secret.clone(), secret.to_ascii_uppercase(), STANDARD.encode(&secret), URL_SAFE.encode(&secret), json.to_owned(),
                ascii_json(json), utf8_percent_encode(&secret, NON_ALPHANUMERIC).to_string(),
                utf8_percent_encode(&secret, &UNRESERVED).to_string(), utf8_percent_encode(&secret, &URI).to_string(),
            ];
            for form in forms {
                let text = format!("{before}{form}.");
                let clean = redactor.redact_str(&text);
                proptest::prop_assert!(clean.contains(REDACTED), "{text:?}");
                proptest::prop_assert!(!clean.to_ascii_lowercase().contains(&form.to_ascii_lowercase()), "{clean:?}");
                proptest::prop_assert_eq!(redactor.redact_bytes(text.as_bytes()), clean.as_bytes());
            }
        }
    }
}
