use axum::body::Body;
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;

/// The largest request: a message with a file of several megabytes in base64 fits, and a thousand such requests at once
/// still fit into the memory of an ordinary machine.
pub(super) const MAX_BODY: usize = 10 * 1024 * 1024;

/// How much of a body that is too large is read and thrown away, so that a client that sends first and reads then gets
/// the answer and not a broken connection.
const MAX_DRAINED: usize = 8 * MAX_BODY;

/// Why there is no body.
#[derive(Debug)]
pub(super) enum BodyError {
    /// More than [`MAX_BODY`].
    TooLarge,
    /// The connection failed, or the transfer encoding is wrong.
    Broken(axum::Error),
}

/// Reads a body.
pub(super) async fn read(body: Body) -> Result<Bytes, BodyError> {
    let mut frames = body.into_data_stream();
    let mut buffer = BytesMut::new();
    let mut total = 0_usize;
    while let Some(frame) = frames.next().await {
        let frame = frame.map_err(BodyError::Broken)?;
        total = total.saturating_add(frame.len());
        match total {
            ..=MAX_BODY => buffer.extend_from_slice(&frame),
            ..=MAX_DRAINED => buffer = BytesMut::new(),
            _ => break,
        }
    }
    if total > MAX_BODY { Err(BodyError::TooLarge) } else { Ok(buffer.freeze()) }
}
