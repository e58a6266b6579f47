use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;

use super::fields::Fields;
use super::violations::Violations;
use crate::a2a::TaskState;

/// Page size where the client names none (§3.1.4: at most 50).
const DEFAULT_PAGE: i32 = 50;
/// The largest page (§3.1.4).
const MAX_PAGE: i32 = 100;

/// ListTasksRequest (§3.1.4).
#[derive(Debug)]
pub(crate) struct ListTasksRequest {
    pub(crate) context_id: Option<String>,
    pub(crate) state: Option<TaskState>,
    /// Tasks whose status is as young as this or younger.
    pub(crate) status_since: Option<Timestamp>,
    pub(crate) page_size: usize,
    pub(crate) page_token: Option<PageToken>,
    pub(crate) history_length: Option<usize>,
    pub(crate) include_artifacts: bool,
}

impl ListTasksRequest {
    pub(super) fn read(fields: &Fields<'_>, out: &mut Violations) -> Self {
        let state = fields.enumeration(
            "status",
            "the name of a task state such as TASK_STATE_WORKING",
            |name| match name {
                "TASK_STATE_UNSPECIFIED" => Some(None),
                name => TaskState::from_wire(name).map(Some),
            },
            |number| if number == 0 { Some(None) } else { TaskState::from_number(number).map(Some) },
            out,
        );
        let status_since = fields.string("statusTimestampAfter", out).and_then(|text| {
            text.parse::<Timestamp>()
                .map_err(|why| {
                    let field = fields.path_of("statusTimestampAfter");
                    out.malformed(&field, format!("expected an RFC 3339 time such as 2026-01-02T03:04:05.678Z: {why}"));
                })
                .ok()
        });
        let page_size = fields.int32("pageSize", out).unwrap_or(DEFAULT_PAGE);
        if !(1..=MAX_PAGE).contains(&page_size) {
            out.invalid(&fields.path_of("pageSize"), format!("must be from 1 to {MAX_PAGE}, found {page_size}"));
        }
        let page_token = fields.string("pageToken", out).and_then(|text| {
            let token = PageToken::decode(&text);
            if token.is_none() {
                out.invalid(&fields.path_of("pageToken"), "is not a token that this agent gave out");
            }
            token
        });
        ListTasksRequest {
            context_id: fields.string("contextId", out),
            state: state.flatten(),
            status_since,
            page_size: usize::try_from(page_size).unwrap_or_default(),
            page_token,
            history_length: fields.history_length(out),
            include_artifacts: fields.boolean("includeArtifacts", out),
        }
    }
}

/// Where a page ended: the place, in the order of all status changes, of the last task shown. Later pages hold older ones,
/// so a task that changes in between moves out of their way and shifts nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PageToken(pub(crate) u64);

impl PageToken {
    /// Tells a token of ours from other base64; opaque to clients.
    const PREFIX: &'static str = "before:";

    /// As it travels.
    pub(crate) fn encode(self) -> String {
        URL_SAFE_NO_PAD.encode(format!("{}{}", Self::PREFIX, self.0))
    }

    fn decode(text: &str) -> Option<PageToken> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        std::str::from_utf8(&bytes).ok()?.strip_prefix(Self::PREFIX)?.parse().ok().map(PageToken)
    }
}
