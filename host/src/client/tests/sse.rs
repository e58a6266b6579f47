use std::convert::Infallible;
use std::time::Duration;

use futures_util::{FutureExt as _, StreamExt as _};
use proptest::prelude::*;

use crate::a2a::{Frame, FrameKind};
use crate::client::sse::{SseEvent, SseReader, TooLong};

const AT: Duration = Duration::ZERO;

struct Read {
    events: Vec<SseEvent>,
    unfinished: Option<SseEvent>,
    frames: Vec<Frame>,
    bom: bool,
}

fn read(chunks: &[&[u8]]) -> Read {
    let mut reader = SseReader::new(1 << 20);
    let mut events = Vec::new();
    for chunk in chunks {
        reader.push(chunk, AT, &mut events).unwrap();
    }
    let unfinished = reader.finish(AT);
    Read { events, unfinished, frames: reader.frames().to_vec(), bom: reader.bom() }
}

fn data(read: &Read) -> Vec<String> {
    read.events.iter().filter_map(|event| event.data.clone()).map(|data| String::from_utf8(data).unwrap()).collect()
}

fn slices(read: &Read, raw: &[u8]) -> Vec<(FrameKind, String)> {
    let text = |frame: &Frame| String::from_utf8_lossy(&raw[frame.offset..frame.offset + frame.length]).into_owned();
    read.frames.iter().map(|frame| (frame.kind, text(frame))).collect()
}

// C027.
#[test]
fn all_line_ends_are_one() {
    for end in ["\n", "\r\n", "\r"] {
        let raw = format!("data: a{end}{end}data: b{end}{end}");
        let whole = read(&[raw.as_bytes()]);
        assert_eq!(data(&whole), ["a", "b"], "{end:?}");
        let frame = format!("data: a{end}{end}");
        assert_eq!(slices(&whole, raw.as_bytes())[0], (FrameKind::Event, frame), "{end:?}");
        for cut in 0..raw.len() {
            let (left, right) = raw.as_bytes().split_at(cut);
            let halves = read(&[left, right]);
            assert_eq!(halves.events, whole.events, "{end:?} cut at {cut}");
            assert_eq!(halves.frames, whole.frames, "{end:?} cut at {cut}");
        }
    }
    let mixed = b"data: a\r\r\ndata: b\n\r";
    assert_eq!(data(&read(&[mixed])), ["a", "b"]);
}

#[test]
fn a_lone_cr_hands_the_event_out_at_once() {
    let mut reader = SseReader::new(100);
    let mut events = Vec::new();
    reader.push(b"data: a\r\r", Duration::from_secs(3), &mut events).unwrap();
    assert_eq!(events.len(), 1);
    reader.push(b"\n", Duration::from_secs(9), &mut events).unwrap();
    assert_eq!(events.len(), 1);
    assert_eq!(reader.frames()[0].at, Duration::from_secs(3));
    assert_eq!(reader.frames()[0].length, 10);
}

// C029.
#[test]
fn fields_are_read_with_and_without_their_blank() {
    let read = read(&[b"id: 1\nretry: 5000\nevent: message\nfoo: bar\ndata:{\"a\":  1}\ndata\ndata:  x\n\n"]);
    assert_eq!(data(&read), ["{\"a\":  1}\n\n x"]);
    let event = &read.events[0];
    assert_eq!(
        (event.id.as_deref(), event.retry, event.event.as_deref()),
        (Some(&b"1"[..]), Some(5000), Some(&b"message"[..]))
    );
    assert_eq!(event.data_lines, 3);
}

#[test]
fn odd_fields_are_ignored_and_seen() {
    let read = read(&[b"id: a\0b\nretry: 5x\nretry: 99999999999999999999999\n\ndata\n\n\n\ndata: \n\n"]);
    assert!(read.events[0].nul_in_id && read.events[0].id.is_none() && read.events[0].retry.is_none());
    assert_eq!(read.events[0].data, None);
    assert_eq!(data(&read), ["", ""]);
}

#[test]
fn comments_are_frames_and_a_byte_order_mark_is_no_data() {
    let raw = b"\xef\xbb\xbf: hi\n\n: ping\ndata: a\n: inside\ndata: b\n\n";
    for chunks in [vec![&raw[..]], vec![&raw[..1], &raw[1..2], &raw[2..]]] {
        let read = read(&chunks);
        assert!(read.bom);
        assert_eq!(data(&read), ["a\nb"]);
        assert_eq!(
            slices(&read, raw),
            [
                (FrameKind::Comment, ": hi\n".into()),
                (FrameKind::Comment, ": ping\n".into()),
                (FrameKind::Comment, ": inside\n".into()),
                (FrameKind::Event, "data: a\n: inside\ndata: b\n\n".into()),
            ]
        );
    }
    assert!(!read(&[b"data: a\n\n\xef\xbb\xbfdata: b\n\n"]).bom);
}

#[test]
fn an_event_without_its_blank_line_is_unfinished() {
    for raw in [&b"data: a\n\ndata: b\n"[..], b"data: a\n\ndata: b", b"data: a\n\r\ndata: b\r"] {
        let read = read(&[raw]);
        assert_eq!(data(&read), ["a"]);
        assert_eq!(read.unfinished.as_ref().and_then(|event| event.data.clone()).as_deref(), Some(&b"b"[..]));
        let last = read.frames.last().unwrap();
        assert_eq!(last.kind, FrameKind::Unfinished);
        assert!(raw[last.offset..last.offset + last.length].starts_with(b"data: b"));
    }
    assert_eq!(read(&[b"data: a\n\n"]).unfinished, None);
    let tail = read(&[b"data: a\n\n: bye"]);
    assert_eq!((tail.unfinished, tail.frames[1].kind), (None, FrameKind::Comment));
}

#[test]
fn lines_and_events_have_a_limit() {
    let run = |raw: &[u8], limit| {
        let mut reader = SseReader::new(limit);
        let mut events = Vec::new();
        reader.push(raw, AT, &mut events).map(|()| events.len())
    };
    assert_eq!(run(b"\ndata: 1234\n\n", 10), Ok(1));
    assert_eq!(run(b"\ndata: 1234\n\n", 9), Err(TooLong { offset: 1, limit: 9 }));
    // No line end needs to come.
    assert_eq!(run(b"data: 12345", 10), Err(TooLong { offset: 0, limit: 10 }));
    assert_eq!(run(b"data: 1234\ndata: 56789\n\n", 11), Ok(1));
    assert_eq!(run(b"data: 1234\ndata: 5678\ndata: 9\n\n", 11), Ok(1));
    assert_eq!(run(b"data: 1234\ndata: 5678\ndata: 90\n\n", 11), Err(TooLong { offset: 0, limit: 11 }));
}

/// What sse-stream makes of the same bytes.
fn second_opinion(chunks: Vec<Vec<u8>>) -> Vec<sse_stream::Sse> {
    let stream =
        futures_util::stream::iter(chunks.into_iter().map(|chunk| Ok::<_, Infallible>(bytes::Bytes::from(chunk))));
    sse_stream::SseByteStream::new(stream)
        .map(|event| event.expect("the bytes are UTF-8"))
        .collect()
        .now_or_never()
        .expect("a stream of ready chunks never waits")
}

/// Pieces that meet each other in every order: fields, line ends, comments, a mark in the wrong place, text.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => Just("\n"), 3 => Just("\r"), 3 => Just("\r\n"), 3 => Just("data:"), 2 => Just("data"), 1 => Just(" "),
        1 => Just(":"), 1 => Just("event: e"), 1 => Just("id: 7"), 1 => Just("id"), 1 => Just("retry: 10"),
        1 => Just("retry: x"), 1 => Just("\0"), 1 => Just("\u{feff}"), 2 => Just("naïve 日本 🚀"), 2 => Just("{\"a\":1}"),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn cut(raw: &[u8], cuts: &[usize]) -> Vec<Vec<u8>> {
    let mut at: Vec<usize> = cuts.iter().map(|cut| cut % (raw.len() + 1)).collect();
    at.sort_unstable();
    let mut chunks = Vec::new();
    let mut start = 0;
    for end in at.into_iter().chain([raw.len()]) {
        chunks.push(raw[start..end].to_vec());
        start = end;
    }
    chunks
}

proptest! {
    #[test]
    fn cuts_change_nothing_and_another_reader_agrees(text in pieces(), cuts in proptest::collection::vec(any::<usize>(), 0..12)) {
        let chunks = cut(text.as_bytes(), &cuts);
        let slices: Vec<&[u8]> = chunks.iter().map(Vec::as_slice).collect();
        let ours = read(&slices);
        let whole = read(&[text.as_bytes()]);
        prop_assert_eq!(&ours.events, &whole.events);
        prop_assert_eq!(&ours.frames, &whole.frames);
        prop_assert_eq!(&ours.unfinished, &whole.unfinished);

        let theirs = second_opinion(chunks.clone());
        // Blocks without any known field are frames here and nothing there.
        let known = |event: &&SseEvent| {
            event.data.is_some() || event.event.is_some() || event.id.is_some() || event.retry.is_some()
        };
        let text_of = |bytes: &Option<Vec<u8>>| bytes.clone().map(|bytes| String::from_utf8(bytes).unwrap());
        let ours: Vec<sse_stream::Sse> = ours.events.iter().filter(known).map(|event| sse_stream::Sse {
            event: text_of(&event.event), data: text_of(&event.data), id: text_of(&event.id), retry: event.retry,
        }).collect();
        prop_assert_eq!(ours, theirs);
    }

    #[test]
    fn frames_tile_the_stream_in_order(text in pieces()) {
        let read = read(&[text.as_bytes()]);
        for frame in &read.frames {
            prop_assert!(frame.length > 0 && frame.offset + frame.length <= text.len());
        }
        let blocks: Vec<&Frame> = read.frames.iter().filter(|frame| frame.kind != FrameKind::Comment).collect();
        for pair in blocks.windows(2) {
            prop_assert!(pair[0].offset + pair[0].length <= pair[1].offset);
        }
    }
}
