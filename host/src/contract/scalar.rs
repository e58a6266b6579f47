//! What a scalar without quotes means: in YAML 1.2, which this program reads, and in YAML 1.1, which older tools read.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Number;

use super::value::Kind;

/// Resolves a plain scalar as the YAML 1.2 core schema does, with one exception that keeps meanings from changing
/// silently: digits with a redundant leading zero stay text, since they were octal in YAML 1.1.
pub(crate) fn resolve(text: &str) -> Kind {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Kind::Null,
        "true" | "True" | "TRUE" => return Kind::Bool(true),
        "false" | "False" | "FALSE" => return Kind::Bool(false),
        _ => {}
    }
    if !may_be_number(text) {
        return Kind::String(text.to_owned());
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Kind::Unrepresentable;
    }
    if is_digits(unsigned) {
        return match unsigned.len() > 1 && unsigned.starts_with('0') {
            true => Kind::String(text.to_owned()),
            false => integer(text.starts_with('-'), unsigned, 10),
        };
    }
    let radix = |prefix, radix| text.strip_prefix(prefix).filter(|digits| all_digits(digits, radix));
    if let Some(digits) = radix("0x", 16) {
        return integer(false, digits, 16);
    }
    if let Some(digits) = radix("0o", 8) {
        return integer(false, digits, 8);
    }
    match is_core_float(unsigned).then(|| text.parse::<f64>().ok()).flatten() {
        Some(value) => Number::from_f64(value).map_or(Kind::Unrepresentable, Kind::Number),
        None => Kind::String(text.to_owned()),
    }
}

/// What YAML 1.1 makes of a plain scalar.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reading {
    Null,
    Bool(bool),
    /// None where it does not fit into 128 bits.
    Integer(Option<i128>),
    Float(f64),
    /// A date object. Never a text, so no contract could use one.
    Date,
    Text,
}

/// Resolves a plain scalar as PyYAML does, which the contract language comes from. `y` and `n` are texts there, other than
/// in the letter of YAML 1.1.
pub(crate) fn resolve_yaml11(text: &str) -> Reading {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Reading::Null,
        "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => return Reading::Bool(true),
        "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => return Reading::Bool(false),
        _ => {}
    }
    if !may_be_number(text) {
        return Reading::Text;
    }
    if INTEGER_11.is_match(text) {
        return Reading::Integer(integer_yaml11(text));
    }
    if FLOAT_11.is_match(text) {
        return Reading::Float(float_yaml11(text));
    }
    if DATE_11.is_match(text) { Reading::Date } else { Reading::Text }
}

/// The old reading where it differs from what YAML 1.2 makes of the same text.
pub(crate) fn other_reading(text: &str, kind: &Kind) -> Option<Reading> {
    let old = resolve_yaml11(text);
    let same = match (&old, kind) {
        (Reading::Null, Kind::Null) | (Reading::Text, Kind::String(_)) => true,
        // Reported for its own sake wherever it is used.
        (_, Kind::Unrepresentable) => true,
        (Reading::Bool(old), Kind::Bool(new)) => old == new,
        (Reading::Integer(old), Kind::Number(new)) => *old == exact(new),
        (Reading::Float(old), Kind::Number(new)) => exact(new).is_none() && new.as_f64() == Some(*old),
        _ => false,
    };
    (!same).then_some(old)
}

/// An integer as such; none for a float.
pub(crate) fn exact(number: &Number) -> Option<i128> {
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
}

/// Every number, date and time starts with one of these; most texts of a contract do not.
fn may_be_number(text: &str) -> bool {
    text.starts_with(['+', '-', '.']) || text.starts_with(|first: char| first.is_ascii_digit())
}

fn is_digits(text: &str) -> bool {
    all_digits(text, 10)
}

fn all_digits(text: &str, radix: u32) -> bool {
    !text.is_empty() && text.chars().all(|character| character.is_digit(radix))
}

fn integer(negative: bool, digits: &str, radix: u32) -> Kind {
    let Ok(value) = i128::from_str_radix(digits, radix) else { return Kind::Unrepresentable };
    let value = if negative { -value } else { value };
    Number::from_i128(value).map_or(Kind::Unrepresentable, Kind::Number)
}

/// `( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`
fn is_core_float(unsigned: &str) -> bool {
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let mantissa_fits = match mantissa.split_once('.') {
        Some(("", fraction)) => is_digits(fraction),
        Some((whole, fraction)) => is_digits(whole) && (fraction.is_empty() || is_digits(fraction)),
        None => is_digits(mantissa),
    };
    mantissa_fits && exponent.is_none_or(|exponent| is_digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)))
}

/// The patterns are constants, so they compile.
fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is a constant that the tests compile")
}

static INTEGER_11: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"^(?:[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+",
        r"|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)$"
    ))
});

static FLOAT_11: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?",
        r"|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$"
    ))
});

static DATE_11: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"^(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}",
        r"(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?)$"
    ))
});

fn split_sign(text: &str) -> (bool, String) {
    let text = text.replace('_', "");
    match text.strip_prefix('-') {
        Some(rest) => (true, rest.to_owned()),
        None => (false, text.strip_prefix('+').unwrap_or(&text).to_owned()),
    }
}

fn integer_yaml11(text: &str) -> Option<i128> {
    let (negative, digits) = split_sign(text);
    let value = if digits == "0" {
        0
    } else if let Some(binary) = digits.strip_prefix("0b") {
        i128::from_str_radix(binary, 2).ok()?
    } else if let Some(hexadecimal) = digits.strip_prefix("0x") {
        i128::from_str_radix(hexadecimal, 16).ok()?
    } else if let Some(octal) = digits.strip_prefix('0') {
        i128::from_str_radix(octal, 8).ok()?
    } else {
        // Base 60: minutes and seconds.
        digits.split(':').try_fold(0_i128, |sum, digit| sum.checked_mul(60)?.checked_add(digit.parse().ok()?))?
    };
    Some(if negative { -value } else { value })
}

fn float_yaml11(text: &str) -> f64 {
    let (negative, digits) = split_sign(text);
    let value = match digits.to_ascii_lowercase().as_str() {
        ".inf" => f64::INFINITY,
        ".nan" => f64::NAN,
        digits => digits.split(':').fold(0.0, |sum, digit| sum * 60.0 + digit.parse().unwrap_or(f64::NAN)),
    };
    if negative { -value } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integer(value: i128) -> Kind {
        Kind::Number(Number::from_i128(value).unwrap())
    }

    fn float(value: f64) -> Kind {
        Kind::Number(Number::from_f64(value).unwrap())
    }

    #[test]
    fn plain_scalars_follow_the_core_schema() {
        for text in ["", "~", "null", "NULL"] {
            assert_eq!(resolve(text), Kind::Null, "{text}");
        }
        assert_eq!(resolve("True"), Kind::Bool(true));
        for (text, value) in [("0", 0), ("-0", 0), ("+7", 7), ("0x1F", 31), ("0o14", 12), ("-12", -12)] {
            assert_eq!(resolve(text), integer(value), "{text}");
        }
        assert_eq!(resolve("18446744073709551615"), integer(u64::MAX.into()));
        assert_eq!(resolve("-9223372036854775808"), integer(i64::MIN.into()));
        for (text, value) in [("1.0", 1.0), ("1.", 1.0), (".5", 0.5), ("-.5", -0.5), ("1e3", 1000.0), ("00.5", 0.5)] {
            assert_eq!(resolve(text), float(value), "{text}");
        }
        for text in ["18446744073709551616", "-9223372036854775809", ".inf", "-.INF", ".nan", "1e999"] {
            assert_eq!(resolve(text), Kind::Unrepresentable, "{text}");
        }
        for text in [
            "yes",
            "no",
            "on",
            "off",
            "y",
            "014",
            "-007",
            "1_000",
            "1:30",
            "12:30:45",
            "2026-01-01",
            "0b11",
            "0x1_F",
            "0o8",
            "-0x1",
            "+.nan",
            "inf",
            "NaN",
            ".",
            "-",
            "e3",
            "1e",
            "1e+",
            "1.2.3",
            "0X1F",
            "tRue",
            "-.",
            "0x",
        ] {
            assert_eq!(resolve(text), Kind::String(text.to_owned()), "{text}");
        }
    }

    #[test]
    fn what_pyyaml_reads_differently_is_known() {
        let old = |text: &str| other_reading(text, &resolve(text));
        for text in ["yes", "Yes", "on", "ON"] {
            assert_eq!(old(text), Some(Reading::Bool(true)), "{text}");
        }
        for text in ["no", "NO", "Off"] {
            assert_eq!(old(text), Some(Reading::Bool(false)), "{text}");
        }
        for (text, value) in [
            ("014", 12),
            ("-014", -12),
            ("1_000", 1000),
            ("1:30", 90),
            ("12:30:45", 45_045),
            ("0b11", 3),
            ("0x1_F", 31),
            ("-0x1F", -31),
            ("00", 0),
        ] {
            assert_eq!(old(text), Some(Reading::Integer(Some(value))), "{text}");
        }
        for (text, value) in [("1_000.5", 1000.5), ("1:30.5", 90.5)] {
            assert_eq!(old(text), Some(Reading::Float(value)), "{text}");
        }
        for text in ["2026-01-01", "2026-01-01T10:00:00Z", "2026-1-1 10:00:00"] {
            assert_eq!(old(text), Some(Reading::Date), "{text}");
        }
        for text in ["0o14", "1e3", "1.5e3", "-.5"] {
            assert_eq!(old(text), Some(Reading::Text), "{text}");
        }
        for text in [
            "",
            "~",
            "true",
            "FALSE",
            "12",
            "-5",
            "+5",
            "0x1F",
            "1.5",
            "1.5e+3",
            ".5",
            "y",
            "n",
            "hello",
            "1.2.3",
            "09",
            "1:99",
            ".inf",
            "18446744073709551616",
            "2026-13",
            "12:30pm",
        ] {
            assert_eq!(old(text), None, "{text}");
        }
    }
}
