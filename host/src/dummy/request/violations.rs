use crate::a2a::A2aError;

/// Violations that one answer names; the rest is only counted. A body within the size limit can hold millions of them,
/// and an answer must not outgrow its request; nobody mends more than this many at a time.
pub(super) const MAX_NAMED: usize = 100;

/// What was wrong with the members of a request: all of it at once, so that a client is told everything in one answer.
#[derive(Debug, Default)]
pub(crate) struct Violations {
    named: Vec<(String, String)>,
    total: usize,
    malformed: bool,
}

impl Violations {
    /// The value does not parse as its type: wrong JSON type, unknown enum name, two members of a oneof.
    pub(super) fn malformed(&mut self, field: &str, description: impl Into<String>) {
        self.malformed = true;
        self.add(field, description.into());
    }

    /// The value parses and is not allowed: a required member is missing or empty, a number is out of its range.
    pub(super) fn invalid(&mut self, field: &str, description: impl Into<String>) {
        self.add(field, description.into());
    }

    fn add(&mut self, field: &str, description: String) {
        self.total += 1;
        let field = if field.is_empty() { "the request" } else { field };
        if self.named.len() < MAX_NAMED {
            self.named.push((field.to_owned(), description));
        }
    }

    /// Something did not parse. That is judged before the version of the request, the rest after it.
    pub(crate) fn is_malformed(&self) -> bool {
        self.malformed
    }

    /// How many there are, those that are not named included.
    pub(super) fn len(&self) -> usize {
        self.total
    }

    /// There are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// The error that names them, or nothing if there are none.
    pub(crate) fn into_error(self) -> Option<A2aError> {
        let (field, description) = self.named.first()?;
        let more = match self.total - 1 {
            0 => String::new(),
            others => format!("; and {others} more"),
        };
        let message = format!("invalid params: {field}: {description}{more}");
        Some(A2aError::invalid_params(message, &self.named))
    }
}
