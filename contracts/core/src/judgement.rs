//! What a contract has seen: findings, which fail it, and notes, which do not.

use a2a_host_sdk::Finding;
use a2a_host_sdk::pack::{Failure, Outcome, Verdict, passed_noting};

#[derive(Default)]
pub(crate) struct Judgement {
    findings: Vec<Finding>,
    notes: Vec<String>,
}

impl Judgement {
    /// The agent broke a rule.
    pub(crate) fn fail(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// Worth knowing, and no breach: a SHOULD that was not followed, a reading of a rule that is unclear.
    pub(crate) fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Nothing is wrong so far.
    pub(crate) fn is_clean(&self) -> bool {
        self.findings.is_empty()
    }

    /// What the host tolerated while reading an answer. Sentences that begin with a place, `at /task/…: `, are about the
    /// body, which the contract judges itself: they become notes. Whatever else was amiss (the envelope, the HTTP answer)
    /// only the host has seen: it fails the contract.
    pub(crate) fn deviations(&mut self, sentences: &[String]) {
        for sentence in sentences {
            if sentence.starts_with("at ") {
                self.note(sentence);
            } else {
                self.fail(Finding::new("deviation", sentence));
            }
        }
    }

    /// The answer to a call. An answer that should not have been is a finding; that there was none, because the agent could
    /// not be reached or the host would not call it, leaves nothing to judge.
    pub(crate) fn answer<T>(&mut self, operation: &str, result: Result<T, Failure>) -> Result<Option<T>, String> {
        let failure = match result {
            Ok(answer) => return Ok(Some(answer)),
            Err(failure) => failure,
        };
        let code = match &failure {
            Failure::Protocol(_) => "unexpected-error",
            Failure::Unreadable(_) => "unreadable",
            Failure::Timeout => "no-answer",
            Failure::Transport(_) | Failure::Refused(_) | Failure::Other(_) => {
                return Err(format!("{operation}: {}", failure.words()));
            }
        };
        let finding = Finding::new(code, format!("{operation}: {}", failure.words()));
        self.fail(match &failure {
            Failure::Protocol(error) => finding.actual(error.details.as_str()),
            _ => finding,
        });
        Ok(None)
    }

    /// The verdict.
    pub(crate) fn outcome(self) -> Outcome {
        if self.findings.is_empty() { passed_noting(self.notes) } else { Ok(Verdict::Failed(self.findings)) }
    }
}

#[cfg(test)]
mod tests {
    use a2a_host_sdk::testing::protocol_failure;

    use super::*;
    use crate::test_support::{codes, notes};

    #[test]
    fn deviations_of_the_body_are_notes_and_others_findings() {
        let mut judgement = Judgement::default();
        judgement.deviations(&["at /task/x: `x` is no member that A2A 1.0 knows".into()]);
        judgement.note("twice");
        judgement.note("twice");
        assert_eq!(notes(&judgement.outcome()).len(), 2);
        let mut judgement = Judgement::default();
        judgement.deviations(&["sent id 7 (number), got \"7\" (string)".into()]);
        assert_eq!(codes(&judgement.outcome()), ["deviation"]);
    }

    #[test]
    fn only_answers_are_judged() {
        let mut judgement = Judgement::default();
        assert_eq!(judgement.answer("X", Ok(1)), Ok(Some(1)));
        assert_eq!(judgement.answer::<()>("X", Err(protocol_failure(-32603, "INTERNAL", "no"))), Ok(None));
        assert_eq!(judgement.answer::<()>("X", Err(Failure::Timeout)), Ok(None));
        let error = judgement.answer::<()>("X", Err(Failure::Transport("refused".into()))).unwrap_err();
        assert_eq!(error, "X: the connection failed: refused");
        assert_eq!(codes(&judgement.outcome()), ["unexpected-error", "no-answer"]);
    }
}
