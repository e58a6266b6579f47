use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::{Instant, timeout_at};

use super::answer;
use super::call::{Pending, broken};
use super::codec::Undecoded;
use super::excerpt::excerpt;
use super::sse::{SseEvent, SseReader};
use crate::a2a::{Ending, Event, Exchange, ExchangeError, Response, StateClass};

/// An event stream that is being read. Dropping it closes the connection.
pub struct EventStream {
    pending: Pending,
    /// None once the stream ended or reading was given up.
    response: Option<reqwest::Response>,
    reader: SseReader,
    raw: Vec<u8>,
    queue: VecDeque<SseEvent>,
    /// When the last event came.
    last: Duration,
}

/// What a wait brought.
enum Step {
    Event(Event, Bytes),
    /// The stream is over.
    End,
    /// Nothing came in time.
    Waited,
    /// An event that cannot be read, or the end of everything.
    Failed(ExchangeError),
}

impl EventStream {
    pub(crate) fn new(pending: Pending, response: reqwest::Response) -> Self {
        let reader = SseReader::new(pending.limits.event_bytes);
        let last = pending.started.elapsed();
        EventStream { pending, response: Some(response), reader, raw: Vec::new(), queue: VecDeque::new(), last }
    }

    /// Status and headers.
    pub fn opening(&self) -> &Response {
        static NONE: std::sync::LazyLock<Response> = std::sync::LazyLock::new(Response::default);
        self.pending.exchange.response.as_ref().unwrap_or(&NONE)
    }

    /// How it ended; `Open` while it did not.
    pub fn ending(&self) -> Ending {
        self.pending.exchange.ending
    }

    /// The next event with the bytes of its frame, none once the stream ended.
    ///
    /// `Timeout` with the given time means that nothing came within it, and `next` may be called again; `Timeout` with
    /// the deadline of the call ends the stream, as `Transport` and `Limit` do. After `Protocol` and `Unreadable`, which
    /// are about one event, reading may go on.
    pub async fn next(&mut self, timeout: Duration) -> Result<Option<(Event, Bytes)>, ExchangeError> {
        let deadline = self.pending.deadline;
        let until = Instant::now().checked_add(timeout).map_or(deadline, |until| until.min(deadline));
        match self.advance(until).await {
            Step::Event(event, bytes) => Ok(Some((event, bytes))),
            Step::End => Ok(None),
            Step::Waited if until < deadline => Err(ExchangeError::Timeout { limit: timeout }),
            Step::Waited => Err(self.time_out()),
            Step::Failed(error) => Err(error),
        }
    }

    /// Stops reading and hands over what came so far.
    pub fn finish(mut self) -> Exchange {
        if self.response.is_some() {
            self.pending.exchange.elapsed = self.pending.started.elapsed();
        }
        self.close()
    }

    /// Reads to the end. After a terminal state, a bare message or a state that waits for the client the agent has a
    /// grace to close the stream; after the first event that cannot be read it has none.
    pub(crate) async fn drain(mut self) -> Exchange {
        let mut grace: Option<(StateClass, Instant)> = None;
        loop {
            let until = grace.map_or(self.pending.deadline, |(_, until)| until.min(self.pending.deadline));
            match self.advance(until).await {
                Step::Event(..) => {
                    let class = self.pending.fold.class();
                    if class == StateClass::Running {
                        grace = None;
                    } else if grace.is_none_or(|(before, _)| before != class) {
                        grace = Some((class, Instant::now() + self.pending.limits.close_grace));
                    }
                }
                Step::Waited => match grace {
                    Some((class, _)) => {
                        if class == StateClass::Terminal {
                            let grace = self.pending.limits.close_grace.as_secs_f64();
                            let message =
                                format!("the agent did not close the stream within {grace} s of its last event");
                            self.pending.notes.whole("stream-left-open", message);
                        }
                        // The wait was ours; the agent's part ended with its last event.
                        self.pending.exchange.elapsed = self.last;
                        return self.close();
                    }
                    None => {
                        self.time_out();
                        return self.close();
                    }
                },
                Step::End => return self.close(),
                Step::Failed(_) => return self.finish(),
            }
        }
    }

    async fn advance(&mut self, until: Instant) -> Step {
        loop {
            while let Some(event) = self.queue.pop_front() {
                match self.take(event) {
                    Ok(Some((event, bytes))) => return Step::Event(event, bytes),
                    Ok(None) => {}
                    Err(error) => {
                        // A limit ends the exchange; anything else is about this event alone.
                        if matches!(error, ExchangeError::Limit { .. }) {
                            self.stop(Ending::Open);
                        }
                        self.pending.exchange.error.get_or_insert_with(|| error.clone());
                        return Step::Failed(error);
                    }
                }
            }
            let Some(response) = &mut self.response else {
                return Step::End;
            };
            match timeout_at(until, response.chunk()).await {
                Err(_) => return Step::Waited,
                Ok(Ok(Some(chunk))) => {
                    if let Err(error) = self.feed(&chunk) {
                        return self.fail(Ending::Open, error);
                    }
                }
                Ok(Ok(None)) => self.end(),
                Ok(Err(error)) => {
                    let (ending, error) = broken(&error, self.raw.len());
                    self.reader.finish(self.pending.started.elapsed());
                    return self.fail(ending, error);
                }
            }
        }
    }

    fn feed(&mut self, chunk: &[u8]) -> Result<(), ExchangeError> {
        let at = self.pending.started.elapsed();
        if self.raw.len() + chunk.len() > self.pending.limits.body_bytes {
            return Err(self.pending.too_long());
        }
        self.raw.extend_from_slice(chunk);
        let mut events = Vec::new();
        let fed = self.reader.push(chunk, at, &mut events);
        self.queue.extend(events);
        fed.map_err(|long| ExchangeError::Limit {
            what: format!("the event at byte {} of the stream is longer than {} bytes", long.offset, long.limit),
        })?;
        let most = self.pending.limits.frames;
        if self.reader.frames().len() > most {
            let what = format!("the stream has more than {most} events and comments");
            return Err(ExchangeError::Limit { what });
        }
        Ok(())
    }

    /// The agent closed the stream.
    fn end(&mut self) {
        let at = self.pending.started.elapsed();
        let ending = match self.reader.finish(at) {
            Some(_) => {
                let message = "the stream ended inside an event: no blank line came".into();
                self.pending.notes.whole("unfinished-event", message);
                Ending::Cut
            }
            None => Ending::Clean,
        };
        self.stop(ending);
    }

    fn stop(&mut self, ending: Ending) {
        self.response = None;
        self.pending.exchange.ending = ending;
        self.pending.exchange.elapsed = self.pending.started.elapsed();
    }

    fn fail(&mut self, ending: Ending, error: ExchangeError) -> Step {
        self.stop(ending);
        self.queue.clear();
        self.pending.exchange.error.get_or_insert_with(|| error.clone());
        Step::Failed(error)
    }

    fn time_out(&mut self) -> ExchangeError {
        let error = ExchangeError::Timeout { limit: self.pending.limit };
        self.fail(Ending::Open, error.clone());
        error
    }

    /// Decodes an event. None where it carries no data.
    fn take(&mut self, event: SseEvent) -> Result<Option<(Event, Bytes)>, ExchangeError> {
        let index = self.pending.exchange.events.len();
        self.pending.notes.event = Some(index);
        let taken = self.decode(index, event);
        self.pending.notes.event = None;
        taken
    }

    fn decode(&mut self, index: usize, event: SseEvent) -> Result<Option<(Event, Bytes)>, ExchangeError> {
        let notes = &mut self.pending.notes;
        if event.nul_in_id {
            notes.whole("sse-id", "the `id` of the event holds NUL and is ignored".into());
        }
        let data = match event.data {
            None => return Ok(None),
            Some(data) if data.is_empty() => {
                notes.whole("empty-event", "the event has empty data".into());
                return Ok(None);
            }
            Some(data) => data,
        };
        let frame = &self.reader.frames()[event.frame];
        let bytes = Bytes::copy_from_slice(&self.raw[frame.offset..frame.offset + frame.length]);
        let unreadable = |why: String| ExchangeError::Unreadable { why: format!("event {index}: {why}") };
        // On the frame, so that the offset is one into the body.
        if let Err(error) = std::str::from_utf8(&bytes) {
            return Err(unreadable(answer::bad_utf8(&bytes, &error, frame.offset)));
        }
        let value = answer::parse(&data, event.data_lines).map_err(unreadable)?;
        let body = match self.pending.codec.decode(&self.pending.sent, value, notes) {
            Ok(body) => body,
            Err(Undecoded::Error(error)) => return Err(error),
            Err(Undecoded::Odd(why)) => return Err(unreadable(format!("{why}: {}", excerpt(&data)))),
        };
        let event = Event { frame: event.frame, at: frame.at, body };
        self.last = event.at;
        let folded = self.pending.fold.push(&event.body, notes);
        // What is too much is not kept; what is no A2A event is evidence.
        if !matches!(folded, Err(ExchangeError::Limit { .. })) {
            self.pending.exchange.events.push(event.clone());
        }
        folded.map(|()| Some((event, bytes)))
    }

    fn close(mut self) -> Exchange {
        if self.reader.bom() {
            self.pending.notes.whole("byte-order-mark", "the stream begins with a byte order mark".into());
        }
        self.pending.exchange.frames = self.reader.frames().to_vec();
        self.pending.exchange.raw = self.raw.into();
        *self.pending.done()
    }
}
