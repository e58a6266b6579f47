//! One task, several readers: each gets every event in the same order, and none can hold up the task or the others.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use futures_util::Stream;
use tokio::sync::mpsc::{self, Receiver, Sender};

use crate::a2a::{A2aError, ErrorKind, StreamResponse, TaskState};

/// What a reader gets: events, and at most one error as the last item.
pub(crate) type Item = Result<StreamResponse, A2aError>;

/// How long a reader stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// To the end of the turn, an interrupted state included: the stream of SendStreamingMessage (§11.7).
    Turn,
    /// To the end of the task: SubscribeToTask (§3.1.6).
    Task,
}

struct Subscriber {
    queue: Sender<Result<Arc<StreamResponse>, A2aError>>,
    scope: Scope,
    lagged: Arc<AtomicBool>,
}

/// The reading end.
pub(crate) struct Subscription {
    queue: Receiver<Result<Arc<StreamResponse>, A2aError>>,
    capacity: usize,
    lagged: Arc<AtomicBool>,
}

/// The readers of one task.
#[derive(Default)]
pub(super) struct Subscribers(Vec<Subscriber>);

impl Subscribers {
    /// Adds a reader whose queue holds `capacity` events.
    pub(super) fn add(&mut self, scope: Scope, capacity: usize) -> Subscription {
        let (sender, queue) = mpsc::channel(capacity);
        let lagged = Arc::new(AtomicBool::new(false));
        self.0.push(Subscriber { queue: sender, scope, lagged: Arc::clone(&lagged) });
        Subscription { queue, capacity, lagged }
    }

    /// Nobody reads, so no event need be made.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Gives the event to every reader, drops those whose queue is full or who are gone.
    pub(super) fn publish(&mut self, event: StreamResponse) {
        let event = Arc::new(event);
        self.0.retain(|subscriber| subscriber.send(Ok(Arc::clone(&event))));
    }

    /// Gives the event to the reader that was added last, and to no other.
    pub(super) fn send_to_newest(&mut self, event: StreamResponse) {
        if let Some(newest) = self.0.last()
            && !newest.send(Ok(Arc::new(event)))
        {
            self.0.pop();
        }
    }

    /// Ends the streams of the turn with an error.
    pub(super) fn fail_turn(&mut self, error: &A2aError) {
        self.0.retain(|subscriber| match subscriber.scope {
            Scope::Turn => {
                subscriber.send(Err(error.clone()));
                false
            }
            Scope::Task => true,
        });
    }

    /// Ends the streams that do not outlive the state.
    pub(super) fn close_for(&mut self, state: TaskState) {
        if state.is_terminal() {
            self.0.clear();
        } else if state.ends_turn() {
            self.0.retain(|subscriber| subscriber.scope == Scope::Task);
        }
    }

    /// Ends every stream.
    pub(super) fn close(&mut self) {
        self.0.clear();
    }
}

impl Subscriber {
    /// False if the reader is to be dropped.
    fn send(&self, item: Result<Arc<StreamResponse>, A2aError>) -> bool {
        match self.queue.try_send(item) {
            Ok(()) => true,
            Err(mpsc::error::TrySendError::Full(_)) => {
                self.lagged.store(true, Ordering::Release);
                false
            }
            Err(mpsc::error::TrySendError::Closed(_)) => false,
        }
    }
}

impl Stream for Subscription {
    type Item = Item;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Item>> {
        match self.queue.poll_recv(context) {
            Poll::Ready(Some(item)) => Poll::Ready(Some(item.map(Arc::unwrap_or_clone))),
            // A reader that was dropped is told so, once, after all that it had in its queue.
            Poll::Ready(None) if self.lagged.swap(false, Ordering::AcqRel) => {
                let message = format!(
                    "this stream was read too slowly and is cut off: more than {} events were waiting; GetTask has the \
                     present state of the task",
                    self.capacity
                );
                Poll::Ready(Some(Err(A2aError::new(ErrorKind::Internal, message))))
            }
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    }
}
