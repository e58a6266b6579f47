use std::time::Duration;

use serde_json::Value;

use crate::a2a::Deviation;
use crate::sandbox::ObservedPart;

/// What a turn came to: the events of an exchange folded into what assertions read.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The last state in lower case with underscores, such as `input_required`; `message` for a bare message. A spelling
    /// that is no A2A state stands as it came.
    pub state: String,
    /// Every state in order, consecutive repetitions collapsed; never empty.
    pub states: Vec<String>,
    /// All texts, message by message, then artifact by artifact, joined with newlines.
    pub text: String,
    /// All parts in the same order.
    pub parts: Vec<ObservedPart>,
    /// The last task id that was not empty.
    pub task_id: Option<String>,
    /// The last context id that was not empty.
    pub context_id: Option<String>,
    /// The task, or the bare message, after all events; in canonical form, members that A2A does not know included.
    pub folded: Value,
    /// From just before sending to the first event.
    pub first_event: Option<Duration>,
    /// From just before sending to the end of the reply.
    pub elapsed: Duration,
    /// What was tolerated.
    pub deviations: Vec<Deviation>,
}
