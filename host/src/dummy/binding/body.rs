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
        if total <= MAX_BODY {
            buffer.extend_from_slice(&frame);
        } else if total <= MAX_DRAINED {
            buffer = BytesMut::new();
        } else {
            break;
        }
    }
    if total > MAX_BODY { Err(BodyError::TooLarge) } else { Ok(buffer.freeze()) }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::stream;

    use super::*;

    /// How many of the given frames, a megabyte each, are taken, and what comes of them.
    async fn taken(frames: usize) -> (usize, Result<Bytes, BodyError>) {
        let count = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&count);
        let frames = stream::iter(0..frames).map(move |_| {
            counter.fetch_add(1, Ordering::Relaxed);
            Ok::<_, std::io::Error>(Bytes::from_static(&[b'x'; 1024 * 1024]))
        });
        let outcome = read(Body::from_stream(frames)).await;
        (count.load(Ordering::Relaxed), outcome)
    }

    #[tokio::test]
    async fn what_is_too_large_is_drained_but_not_for_ever() {
        for (frames, expected) in [(10, 10), (11, 11), (80, 80), (1000, 81)] {
            let (count, outcome) = taken(frames).await;
            assert_eq!(count, expected);
            match outcome {
                Ok(body) => assert_eq!((frames, body.len()), (10, MAX_BODY)),
                Err(why) => assert!(frames > 10 && matches!(why, BodyError::TooLarge)),
            }
        }
    }

    #[tokio::test]
    async fn a_broken_body_is_told_apart() {
        let frames = stream::iter([Ok(Bytes::from_static(b"{")), Err(std::io::Error::other("reset"))]);
        assert!(matches!(read(Body::from_stream(frames)).await, Err(BodyError::Broken(_))));
    }
}
