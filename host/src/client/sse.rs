//! Event streams on bytes (WHATWG HTML, "server-sent events"). Knows nothing of A2A.
//!
//! Parsers at hand hide what a tester must see: comments, byte offsets, arrival times and an event that was cut off. An
//! event is handed out the moment its blank line ends, also where that end is a lone CR.

use std::time::Duration;

use crate::a2a::{Frame, FrameKind};

const BOM: &[u8] = b"\xef\xbb\xbf";

/// One event: a block of fields ended by a blank line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SseEvent {
    /// Index of its frame.
    pub(crate) frame: usize,
    /// The `data` lines joined with LF; none where the block had no `data` line at all.
    pub(crate) data: Option<Vec<u8>>,
    /// How many `data` lines there were.
    pub(crate) data_lines: usize,
    /// The last `event` field.
    pub(crate) event: Option<Vec<u8>>,
    /// The last `id` field without NUL.
    pub(crate) id: Option<Vec<u8>>,
    /// The last `retry` field made of digits.
    pub(crate) retry: Option<u64>,
    /// An `id` field held NUL and was ignored.
    pub(crate) nul_in_id: bool,
}

/// A line or an event is longer than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLong {
    /// Where the line or the event begins.
    pub(crate) offset: usize,
    /// The limit in bytes.
    pub(crate) limit: usize,
}

/// Cuts a stream into events. Feed it with [`push`](Self::push) and end it with [`finish`](Self::finish).
#[derive(Debug)]
pub(crate) struct SseReader {
    /// Bytes of a line without its end, and of the data of an event.
    limit: usize,
    /// Bytes seen so far.
    offset: usize,
    line: Vec<u8>,
    line_start: usize,
    /// The last byte was a CR, so that an LF right now belongs to the same line end.
    after_cr: bool,
    /// The CR ended a line that completed the last frame, whose length the LF then adds to.
    extends_frame: bool,
    /// Where the block under way begins.
    block_start: Option<usize>,
    block: SseEvent,
    frames: Vec<Frame>,
    bom: bool,
}

impl SseReader {
    /// A reader that bears lines and events of that many bytes.
    pub(crate) fn new(limit: usize) -> Self {
        SseReader {
            limit,
            offset: 0,
            line: Vec::new(),
            line_start: 0,
            after_cr: false,
            extends_frame: false,
            block_start: None,
            block: SseEvent::default(),
            frames: Vec::new(),
            bom: false,
        }
    }

    /// Events and comments so far, in the order in which they ended.
    pub(crate) fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// The stream began with a byte order mark.
    pub(crate) fn bom(&self) -> bool {
        self.bom
    }

    /// Takes the next bytes and appends the events that they complete. After an error the reader is of no more use.
    pub(crate) fn push(&mut self, chunk: &[u8], at: Duration, out: &mut Vec<SseEvent>) -> Result<(), TooLong> {
        let mut rest = chunk;
        while let Some(&first) = rest.first() {
            if self.after_cr {
                self.after_cr = false;
                if first == b'\n' {
                    if let (true, Some(frame)) = (self.extends_frame, self.frames.last_mut()) {
                        frame.length += 1;
                    }
                    self.offset += 1;
                    self.line_start = self.offset;
                    rest = &rest[1..];
                    continue;
                }
            }
            let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let taken = end.unwrap_or(rest.len());
            if self.line.len() + taken > self.limit {
                return Err(TooLong { offset: self.line_start, limit: self.limit });
            }
            self.line.extend_from_slice(&rest[..taken]);
            self.offset += taken;
            rest = &rest[taken..];
            if end.is_some() {
                self.after_cr = rest[0] == b'\r';
                self.offset += 1;
                rest = &rest[1..];
                let frames = self.frames.len();
                self.end_line(at, out)?;
                self.extends_frame = self.frames.len() > frames;
            }
        }
        Ok(())
    }

    /// Ends the stream. A block without its blank line is no event; it becomes an unfinished frame, and what it held is
    /// handed out for the record.
    pub(crate) fn finish(&mut self, at: Duration) -> Option<SseEvent> {
        if self.line_start == 0 && self.line.starts_with(BOM) {
            self.bom = true;
            self.line_start = BOM.len();
            self.line.drain(..BOM.len());
        }
        let start = match (self.block_start, self.line.is_empty()) {
            (Some(start), _) => start,
            (None, false) => self.line_start,
            (None, true) => return None,
        };
        let comment = self.block_start.is_none() && self.line.first() == Some(&b':');
        if !self.line.is_empty() {
            let line = std::mem::take(&mut self.line);
            self.field(&line);
        }
        let kind = if comment { FrameKind::Comment } else { FrameKind::Unfinished };
        self.frames.push(Frame { offset: start, length: self.offset - start, at, kind });
        let event = SseEvent { frame: self.frames.len() - 1, ..std::mem::take(&mut self.block) };
        (!comment).then_some(event)
    }

    fn end_line(&mut self, at: Duration, out: &mut Vec<SseEvent>) -> Result<(), TooLong> {
        let line = std::mem::take(&mut self.line);
        let mut start = std::mem::replace(&mut self.line_start, self.offset);
        let mut text = line.as_slice();
        if start == 0 && text.starts_with(BOM) {
            self.bom = true;
            start = BOM.len();
            text = &text[BOM.len()..];
        }
        if text.is_empty() {
            if let Some(start) = self.block_start.take() {
                self.frames.push(Frame { offset: start, length: self.offset - start, at, kind: FrameKind::Event });
                out.push(SseEvent { frame: self.frames.len() - 1, ..std::mem::take(&mut self.block) });
            }
        } else if text[0] == b':' {
            self.frames.push(Frame { offset: start, length: self.offset - start, at, kind: FrameKind::Comment });
        } else {
            let start = *self.block_start.get_or_insert(start);
            self.field(text);
            if self.block.data.as_ref().is_some_and(|data| data.len() > self.limit) {
                return Err(TooLong { offset: start, limit: self.limit });
            }
        }
        // The buffer is kept for the next line.
        self.line = line;
        self.line.clear();
        Ok(())
    }

    fn field(&mut self, line: &[u8]) {
        let (name, value) = match line.iter().position(|byte| *byte == b':') {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &[][..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => {
                self.block.data_lines += 1;
                match &mut self.block.data {
                    Some(data) => {
                        data.push(b'\n');
                        data.extend_from_slice(value);
                    }
                    None => self.block.data = Some(value.to_vec()),
                }
            }
            b"event" => self.block.event = Some(value.to_vec()),
            b"id" if value.contains(&0) => self.block.nul_in_id = true,
            b"id" => self.block.id = Some(value.to_vec()),
            b"retry" if !value.is_empty() && value.iter().all(u8::is_ascii_digit) => {
                // Digits are ASCII; a number that does not fit is ignored like any other odd value.
                let number = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok());
                self.block.retry = number.or(self.block.retry);
            }
            _ => {}
        }
    }
}
