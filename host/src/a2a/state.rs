use std::fmt;

use serde::{Deserialize, Serialize};

/// The state of a task (§4.1.3). The numbers are those of the protocol's enum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[allow(missing_docs, reason = "the names are the specification's and say what they mean")]
pub enum TaskState {
    #[serde(rename = "TASK_STATE_SUBMITTED")]
    Submitted = 1,
    #[serde(rename = "TASK_STATE_WORKING")]
    Working = 2,
    #[serde(rename = "TASK_STATE_COMPLETED")]
    Completed = 3,
    #[serde(rename = "TASK_STATE_FAILED")]
    Failed = 4,
    #[serde(rename = "TASK_STATE_CANCELED")]
    Canceled = 5,
    #[serde(rename = "TASK_STATE_INPUT_REQUIRED")]
    InputRequired = 6,
    #[serde(rename = "TASK_STATE_REJECTED")]
    Rejected = 7,
    #[serde(rename = "TASK_STATE_AUTH_REQUIRED")]
    AuthRequired = 8,
}

/// What a state means for the life of a task (§3.1.1, §4.1.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateClass {
    /// The agent works or will work.
    Running,
    /// The agent waits for the client.
    Interrupted,
    /// Nothing happens any more.
    Terminal,
}

impl TaskState {
    /// Every state, in the order of its number.
    pub const ALL: [TaskState; 8] = [
        TaskState::Submitted,
        TaskState::Working,
        TaskState::Completed,
        TaskState::Failed,
        TaskState::Canceled,
        TaskState::InputRequired,
        TaskState::Rejected,
        TaskState::AuthRequired,
    ];

    /// The name on the wire, such as `TASK_STATE_INPUT_REQUIRED`.
    pub fn wire_name(self) -> &'static str {
        match self {
            TaskState::Submitted => "TASK_STATE_SUBMITTED",
            TaskState::Working => "TASK_STATE_WORKING",
            TaskState::Completed => "TASK_STATE_COMPLETED",
            TaskState::Failed => "TASK_STATE_FAILED",
            TaskState::Canceled => "TASK_STATE_CANCELED",
            TaskState::InputRequired => "TASK_STATE_INPUT_REQUIRED",
            TaskState::Rejected => "TASK_STATE_REJECTED",
            TaskState::AuthRequired => "TASK_STATE_AUTH_REQUIRED",
        }
    }

    /// The word that contracts use, such as `input_required`.
    pub fn word(self) -> &'static str {
        match self {
            TaskState::Submitted => "submitted",
            TaskState::Working => "working",
            TaskState::Completed => "completed",
            TaskState::Failed => "failed",
            TaskState::Canceled => "canceled",
            TaskState::InputRequired => "input_required",
            TaskState::Rejected => "rejected",
            TaskState::AuthRequired => "auth_required",
        }
    }

    /// Reads a name as it stands on the wire.
    pub fn from_wire(name: &str) -> Option<TaskState> {
        TaskState::ALL.into_iter().find(|state| state.wire_name() == name)
    }

    /// Reads an enum number, which ProtoJSON readers accept as well.
    pub fn from_number(number: i64) -> Option<TaskState> {
        TaskState::ALL.into_iter().find(|state| *state as i64 == number)
    }

    /// What the state means for the life of the task.
    pub fn class(self) -> StateClass {
        match self {
            TaskState::Submitted | TaskState::Working => StateClass::Running,
            TaskState::InputRequired | TaskState::AuthRequired => StateClass::Interrupted,
            TaskState::Completed | TaskState::Failed | TaskState::Canceled | TaskState::Rejected => {
                StateClass::Terminal
            }
        }
    }

    /// Nothing may follow this state.
    pub fn is_terminal(self) -> bool {
        self.class() == StateClass::Terminal
    }

    /// A blocking call answers in this state: it is terminal or waits for the client.
    pub fn ends_turn(self) -> bool {
        self.class() != StateClass::Running
    }
}

impl fmt::Display for TaskState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}
