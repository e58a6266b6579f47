//! How many trials of a scenario must pass.

use super::limits::MAX_TRIALS;

/// What share of its trials a scenario must pass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PassRate {
    /// A share above 0 and up to 1 of the trials that were run.
    Share(f64),
    /// The agent's true pass rate is at least `min`, as far as the trials can tell: the one-sided Wilson lower bound at
    /// this confidence must reach it.
    Proven {
        /// Between 0 and 1, both excluded.
        min: f64,
        /// From 0.5 up to 1, 1 excluded.
        confidence: f64,
    },
}

impl Default for PassRate {
    fn default() -> Self {
        PassRate::Share(1.0)
    }
}

impl PassRate {
    /// How many of `trials` must pass. None where no number of passed trials among so few proves the rate.
    pub fn required(self, trials: u32) -> Option<u32> {
        match self {
            // In doubles, as the contract language has it: 7 % of 100 trials are 8, since 100 × 0.07 is above 7.
            PassRate::Share(share) => Some((f64::from(trials) * share).ceil() as u32),
            PassRate::Proven { min, confidence } => {
                let (mut low, mut high) = (0, trials);
                if lower_bound(trials, trials, confidence) < min {
                    return None;
                }
                // The bound grows with the passed trials.
                while low < high {
                    let middle = low + (high - low) / 2;
                    if lower_bound(middle, trials, confidence) >= min { high = middle } else { low = middle + 1 }
                }
                Some(low)
            }
        }
    }

    /// The fewest trials that can prove the rate if all of them pass: 1 for a share. None above [`MAX_TRIALS`].
    pub fn minimum_trials(self) -> Option<u32> {
        let PassRate::Proven { min, confidence } = self else { return Some(1) };
        // n / (n + z²) ≥ min; the bound itself decides about the last digit.
        let z = normal_quantile(confidence);
        let estimate = (min * z * z / (1.0 - min)).floor() - 1.0;
        if estimate > f64::from(MAX_TRIALS) {
            return None;
        }
        let first = (estimate.max(1.0)) as u32;
        (first..=first + 3).find(|trials| lower_bound(*trials, *trials, confidence) >= min).filter(|n| *n <= MAX_TRIALS)
    }
}

/// The one-sided Wilson lower bound of the true pass rate after `passed` of `trials`. 0 where nothing was tried.
pub fn lower_bound(passed: u32, trials: u32, confidence: f64) -> f64 {
    if trials == 0 {
        return 0.0;
    }
    let z2 = normal_quantile(confidence).powi(2);
    let (s, n) = (f64::from(passed), f64::from(trials));
    let bound = (s + z2 / 2.0 - z2.sqrt() * (s * (n - s) / n + z2 / 4.0).sqrt()) / (n + z2);
    bound.max(0.0)
}

/// The point below which a standard normal variable stays with probability `p`, for 0.5 ≤ p < 1; exact to about 16 digits
/// (Wichura 1988, algorithm AS 241, PPND16).
fn normal_quantile(p: f64) -> f64 {
    let q = p - 0.5;
    if q <= 0.425 {
        let r = 0.180_625 - q * q;
        return q * ratio(r, &CENTRE);
    }
    let r = (-(1.0 - p).ln()).sqrt();
    if r <= 5.0 { ratio(r - 1.6, &MIDDLE) } else { ratio(r - 5.0, &TAIL) }
}

/// Two polynomials of degree 7, divided; the constant of the second is 1.
fn ratio(r: f64, coefficients: &[[f64; 8]; 2]) -> f64 {
    let polynomial = |coefficients: &[f64; 8]| coefficients.iter().rev().fold(0.0, |sum, c| sum * r + c);
    polynomial(&coefficients[0]) / polynomial(&coefficients[1])
}

const CENTRE: [[f64; 8]; 2] = [
    [
        3.387_132_872_796_366_5,
        133.141_667_891_784_38,
        1_971.590_950_306_551_3,
        13_731.693_765_509_46,
        45_921.953_931_549_87,
        67_265.770_927_008_7,
        33_430.575_583_588_13,
        2_509.080_928_730_122_7,
    ],
    [
        1.0,
        42.313_330_701_600_91,
        687.187_007_492_057_9,
        5_394.196_021_424_751,
        21_213.794_301_586_597,
        39_307.895_800_092_71,
        28_729.085_735_721_943,
        5_226.495_278_852_854,
    ],
];
const MIDDLE: [[f64; 8]; 2] = [
    [
        1.423_437_110_749_683_6,
        4.630_337_846_156_546,
        5.769_497_221_460_691,
        3.647_848_324_763_204_5,
        1.270_458_252_452_368_4,
        0.241_780_725_177_450_6,
        0.022_723_844_989_269_184,
        7.745_450_142_783_414e-4,
    ],
    [
        1.0,
        2.053_191_626_637_759,
        1.676_384_830_183_803_8,
        0.689_767_334_985_1,
        0.148_103_976_427_480_08,
        0.015_198_666_563_616_457,
        5.475_938_084_995_345e-4,
        1.050_750_071_644_416_9e-9,
    ],
];
const TAIL: [[f64; 8]; 2] = [
    [
        6.657_904_643_501_103,
        5.463_784_911_164_114,
        1.784_826_539_917_291_3,
        0.296_560_571_828_504_87,
        0.026_532_189_526_576_124,
        1.242_660_947_388_078_4e-3,
        2.711_555_568_743_487_6e-5,
        2.010_334_399_292_288_1e-7,
    ],
    [
        1.0,
        0.599_832_206_555_888,
        0.136_929_880_922_735_8,
        0.014_875_361_290_850_615,
        7.868_691_311_456_133e-4,
        1.846_318_317_510_054_7e-5,
        1.421_511_758_316_446e-7,
        2.044_263_103_389_939_8e-15,
    ],
];

#[cfg(test)]
mod tests {
    use super::*;

    fn proven(min: f64, confidence: f64) -> PassRate {
        PassRate::Proven { min, confidence }
    }

    #[test]
    fn quantiles_match_published_tables() {
        for (p, z) in [
            (0.5, 0.0),
            (0.8, 0.841_621_233_572_914_4),
            (0.9, 1.281_551_565_544_600_8),
            (0.95, 1.644_853_626_951_471_5),
            (0.99, 2.326_347_874_040_840_8),
            (0.999_999, 4.753_424_308_817_089),
            (0.999_999_999_999, 7.034_486_910_047_836),
        ] {
            assert!((normal_quantile(p) - z).abs() < 1e-9, "{p}: {}", normal_quantile(p));
        }
    }

    #[test]
    fn a_share_is_rounded_up_in_doubles() {
        let cases = [(3, 0.66, 2), (3, 0.67, 3), (1, 0.01, 1), (100, 0.07, 8), (10, 0.5, 5), (10_000, 1.0, 10_000)];
        for (trials, share, required) in cases {
            assert_eq!(PassRate::Share(share).required(trials), Some(required), "{trials} × {share}");
        }
        assert_eq!(PassRate::default().required(7), Some(7));
        assert_eq!(PassRate::Share(0.5).minimum_trials(), Some(1));
    }

    #[test]
    fn the_fewest_trials_that_prove_a_rate() {
        for (min, confidence, trials) in [(0.8, 0.95, 11), (0.9, 0.95, 25), (0.5, 0.95, 3), (0.99, 0.99, 536)] {
            let rate = proven(min, confidence);
            assert_eq!(rate.minimum_trials(), Some(trials));
            assert_eq!(rate.required(trials), Some(trials));
            assert_eq!(rate.required(trials - 1), None);
        }
        // At even odds one trial says all that there is.
        assert_eq!(proven(0.5, 0.5).minimum_trials(), Some(1));
        assert_eq!(proven(0.9996, 0.95).minimum_trials(), Some(6_762));
        assert_eq!(proven(0.9999, 0.95).minimum_trials(), None);
    }

    #[test]
    fn required_trials_grow_with_confidence() {
        for (confidence, required) in
            [(0.5, Some(16)), (0.8, Some(18)), (0.9, Some(19)), (0.95, Some(19)), (0.99, None)]
        {
            assert_eq!(proven(0.8, confidence).required(20), required, "{confidence}");
        }
    }

    #[test]
    fn the_bound_of_nineteen_in_twenty() {
        assert!((lower_bound(19, 20, 0.95) - 0.8040).abs() < 5e-5);
        assert!((lower_bound(20, 20, 0.95) - 0.8808).abs() < 5e-5);
        assert_eq!(lower_bound(0, 20, 0.95), 0.0);
        assert_eq!(lower_bound(0, 0, 0.95), 0.0);
    }
}
