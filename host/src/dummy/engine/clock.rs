use jiff::{RoundMode, Timestamp, TimestampRound, Unit};

/// Now, in whole milliseconds: the precision that the protocol asks for (§5.6.1), so that what is compared later is what
/// the client saw.
pub(super) fn now() -> Timestamp {
    let now = Timestamp::now();
    now.round(TimestampRound::new().smallest(Unit::Millisecond).mode(RoundMode::Trunc)).unwrap_or(now)
}

/// RFC 3339, UTC, three digits, `Z`.
pub(super) fn format(time: Timestamp) -> String {
    format!("{time:.3}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits_and_a_z() {
        assert_eq!(format(Timestamp::from_millisecond(1_767_323_045_678).unwrap()), "2026-01-02T03:04:05.678Z");
        assert_eq!(format(Timestamp::from_second(1_767_323_045).unwrap()), "2026-01-02T03:04:05.000Z");
        let now = now();
        assert_eq!(now, format(now).parse().unwrap(), "nothing is lost in between");
    }
}
