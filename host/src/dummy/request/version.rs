use crate::a2a::{A2aError, ErrorKind, PROTOCOL_VERSION};

/// Refuses what this interface does not serve (§3.6.2). Major and minor number decide; a patch number is ignored (§3.6),
/// and an empty or missing version means 0.3.
pub(super) fn check(version: Option<&str>) -> Result<(), A2aError> {
    let asked = version.map(str::trim).filter(|version| !version.is_empty());
    let message = match asked {
        Some(version) if matches(version) => return Ok(()),
        Some(version) => {
            format!("A2A version {version:?} is not served here; this interface speaks {PROTOCOL_VERSION}")
        }
        None => format!(
            "no A2A-Version was given, which means 0.3; this interface speaks {PROTOCOL_VERSION}: send \
             \"A2A-Version: {PROTOCOL_VERSION}\""
        ),
    };
    Err(A2aError::new(ErrorKind::VersionNotSupported, message))
}

fn matches(version: &str) -> bool {
    match version.strip_prefix(PROTOCOL_VERSION) {
        Some("") => true,
        Some(rest) => {
            rest.strip_prefix('.').is_some_and(|patch| !patch.is_empty() && patch.bytes().all(|b| b.is_ascii_digit()))
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn major_and_minor_decide() {
        for served in ["1.0", " 1.0 ", "1.0.0", "1.0.5", "1.0.12"] {
            assert!(check(Some(served)).is_ok(), "{served}");
        }
        for refused in [None, Some(""), Some(" "), Some("0.3"), Some("1"), Some("1.1"), Some("1.7"), Some("1.01")]
            .into_iter()
            .chain(["1.0.", "1.0.x", "2.0", "v1.0", "abc", "01.0", "1.0.0-rc"].map(Some))
        {
            let error = check(refused).unwrap_err();
            assert_eq!(error.code, -32009, "{refused:?}");
        }
        assert!(check(None).unwrap_err().message.contains("A2A-Version: 1.0"), "the message says what to send");
    }
}
