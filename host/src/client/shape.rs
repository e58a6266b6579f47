//! The messages that a reply is made of, as tables (§4.1, §4.2). One row per member.

/// A message type.
#[derive(Debug)]
pub(crate) struct Shape {
    /// Its name in the specification.
    pub(crate) name: &'static str,
    pub(crate) fields: &'static [Field],
    /// Members of older versions that are dropped with a note.
    pub(crate) dropped: &'static [&'static str],
}

/// A member of a message type.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) required: bool,
}

/// What a member holds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Text,
    Texts,
    Bool,
    Int,
    /// RFC 3339 in UTC (§5.6.1).
    Time,
    /// An object of any content.
    Free,
    /// Any JSON value, `null` included.
    Any,
    State,
    Role,
    One(&'static Shape),
    Many(&'static Shape),
}

const fn must(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, required: true }
}

const fn may(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, required: false }
}

pub(crate) static TASK: Shape = Shape {
    name: "Task",
    dropped: &["kind"],
    fields: &[
        must("id", Kind::Text),
        may("contextId", Kind::Text),
        must("status", Kind::One(&TASK_STATUS)),
        may("artifacts", Kind::Many(&ARTIFACT)),
        may("history", Kind::Many(&MESSAGE)),
        may("metadata", Kind::Free),
    ],
};

pub(crate) static TASK_STATUS: Shape = Shape {
    name: "TaskStatus",
    dropped: &[],
    fields: &[must("state", Kind::State), may("message", Kind::One(&MESSAGE)), may("timestamp", Kind::Time)],
};

pub(crate) static MESSAGE: Shape = Shape {
    name: "Message",
    dropped: &["kind"],
    fields: &[
        must("messageId", Kind::Text),
        may("contextId", Kind::Text),
        may("taskId", Kind::Text),
        must("role", Kind::Role),
        must("parts", Kind::Many(&PART)),
        may("metadata", Kind::Free),
        may("extensions", Kind::Texts),
        may("referenceTaskIds", Kind::Texts),
    ],
};

/// Exactly one of the first four must be there; that is checked apart, with the shape of 0.3.
pub(crate) static PART: Shape = Shape {
    name: "Part",
    dropped: &["kind"],
    fields: &[
        may("text", Kind::Text),
        may("raw", Kind::Text),
        may("url", Kind::Text),
        may("data", Kind::Any),
        may("metadata", Kind::Free),
        may("filename", Kind::Text),
        may("mediaType", Kind::Text),
    ],
};

pub(crate) static ARTIFACT: Shape = Shape {
    name: "Artifact",
    dropped: &[],
    fields: &[
        must("artifactId", Kind::Text),
        may("name", Kind::Text),
        may("description", Kind::Text),
        must("parts", Kind::Many(&PART)),
        may("metadata", Kind::Free),
        may("extensions", Kind::Texts),
    ],
};

pub(crate) static STATUS_UPDATE: Shape = Shape {
    name: "TaskStatusUpdateEvent",
    dropped: &["kind", "final"],
    fields: &[
        must("taskId", Kind::Text),
        must("contextId", Kind::Text),
        must("status", Kind::One(&TASK_STATUS)),
        may("metadata", Kind::Free),
    ],
};

pub(crate) static ARTIFACT_UPDATE: Shape = Shape {
    name: "TaskArtifactUpdateEvent",
    dropped: &["kind", "index"],
    fields: &[
        must("taskId", Kind::Text),
        must("contextId", Kind::Text),
        must("artifact", Kind::One(&ARTIFACT)),
        may("append", Kind::Bool),
        may("lastChunk", Kind::Bool),
        may("metadata", Kind::Free),
    ],
};

pub(crate) static LIST_TASKS_RESPONSE: Shape = Shape {
    name: "ListTasksResponse",
    dropped: &[],
    fields: &[
        must("tasks", Kind::Many(&TASK)),
        must("nextPageToken", Kind::Text),
        must("pageSize", Kind::Int),
        must("totalSize", Kind::Int),
    ],
};
