//! The library's events → nodes that share their aliases → values.

use std::collections::HashMap;

use serde_yaml::granit_parser::{self, Event, Parser, ScalarStyle, ScanError, Tag};

use super::problems;
use crate::contract::diagnostic::Diagnostic;
use crate::contract::limits::{MAX_DEPTH, MAX_EXPANDED_WEIGHT, VALUE_WEIGHT};
use crate::contract::scalar;
use crate::contract::source::{SourceFile, Span, Spanned, offset};
use crate::contract::value::{Entry, Kind, Origin, SpannedValue};

/// Why reading stops.
type Stop = Box<Diagnostic>;

pub(super) struct Tree<'a> {
    source: &'a SourceFile,
    diagnostics: &'a mut Vec<Diagnostic>,
    nodes: Vec<Node>,
    /// By the parser's number of the anchor; none while the anchored list or map is still open.
    anchors: HashMap<usize, Option<usize>>,
    open: Vec<Open>,
    root: Option<Child>,
    /// Of everything so far, aliases expanded.
    weight: u64,
}

/// A finished value. Its members are numbers of other nodes, so aliases share them.
struct Node {
    content: Content,
    span: Span,
    origin: Origin,
    /// Levels of lists and maps, this one included.
    depth: u32,
    /// Memory once aliases are expanded, roughly.
    weight: u64,
}

enum Content {
    Scalar(Kind),
    List(Vec<Child>),
    Map(Vec<(Spanned<String>, Child)>),
}

/// A use of a node.
#[derive(Clone, Copy)]
struct Child {
    node: usize,
    alias: Option<Span>,
}

/// A list or map whose end has not come yet.
struct Open {
    span: Span,
    anchor: usize,
    is_map: bool,
    /// Items, or keys and values in turn.
    children: Vec<Child>,
}

impl<'a> Tree<'a> {
    pub(super) fn new(source: &'a SourceFile, diagnostics: &'a mut Vec<Diagnostic>) -> Self {
        Tree {
            source,
            diagnostics,
            nodes: Vec::new(),
            anchors: HashMap::new(),
            open: Vec::new(),
            root: None,
            weight: 0,
        }
    }

    /// The whole document as one value.
    pub(super) fn read(mut self) -> Option<SpannedValue> {
        match self.events() {
            Ok(()) => {
                // A file without a document is as good as null.
                let place = self.source.span(0..0);
                let nothing = SpannedValue { kind: Kind::Null, span: place, alias: None, origin: Origin::Explicit };
                Some(self.root.map_or(nothing, |root| self.build(&root)))
            }
            Err(diagnostic) => {
                self.diagnostics.push(*diagnostic);
                None
            }
        }
    }

    fn events(&mut self) -> Result<(), Stop> {
        let options = granit_parser::options! {
            // Our own check comes first for blocks; brackets are counted by the scanner, ahead of the events.
            flow_nesting_limit: MAX_DEPTH as usize,
            block_nesting_limit: MAX_DEPTH as usize + 1,
            // All errors of a file in one go.
            emit_unresolved_aliases: true,
            // As PyYAML does: files keep their texts.
            block_scalar_eof_without_line_feed: true,
        };
        let mut documents = 0;
        for event in Parser::new_from_str_with_options(self.source.text(), options) {
            let (event, place) = event.map_err(|error| self.syntax(&error))?;
            let span = self.span(&place);
            let tag = match &event {
                Event::Scalar(_, _, _, Some(tag))
                | Event::SequenceStart(_, _, Some(tag))
                | Event::MappingStart(_, _, Some(tag)) => {
                    Some((tag.as_ref(), place.tag_span().map_or(span, |tag_place| self.span(&tag_place))))
                }
                _ => None,
            };
            match &event {
                Event::DocumentStart(..) => {
                    documents += 1;
                    if documents > 1 {
                        return Err(Box::new(problems::second_document(span)));
                    }
                }
                Event::Scalar(text, style, anchor, _) => self.scalar(text, *style, *anchor, tag, span),
                Event::SequenceStart(_, anchor, _) => self.start(false, *anchor, tag, span)?,
                Event::MappingStart(_, anchor, _) => self.start(true, *anchor, tag, span)?,
                Event::SequenceEnd | Event::MappingEnd => self.end(),
                Event::Alias(anchor) => self.alias(*anchor, span)?,
                Event::UnresolvedAlias(name) => {
                    self.diagnostics.push(problems::unknown_anchor(name, span));
                    self.broken(span);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn scalar(&mut self, text: &str, style: ScalarStyle, anchor: usize, tag: Option<(&Tag, Span)>, span: Span) {
        // The parser gives `~` for a value that is not there.
        let text = if style == ScalarStyle::Plain && span.start == span.end { "" } else { text };
        let (kind, origin) = match tag {
            None if style == ScalarStyle::Plain => (scalar::resolve(text), Origin::Plain),
            None => (Kind::String(text.to_owned()), Origin::Explicit),
            Some((tag, tag_span)) => (self.tagged(text, tag, tag_span, span), Origin::Explicit),
        };
        let weight = VALUE_WEIGHT + text.len() as u64;
        let node = self.add(Node { content: Content::Scalar(kind), span, origin, depth: 0, weight }, anchor);
        self.attach(Child { node, alias: None });
    }

    /// A scalar whose type a tag chooses.
    fn tagged(&mut self, text: &str, tag: &Tag, tag_span: Span, span: Span) -> Kind {
        if tag.original() == "!" {
            return Kind::String(text.to_owned());
        }
        let resolved = scalar::resolve(text);
        let expected = match (tag.core_suffix(), &resolved) {
            (Some("str"), _) => return Kind::String(text.to_owned()),
            (Some("null"), Kind::Null) | (Some("bool"), Kind::Bool(_)) => return resolved,
            (Some("int"), Kind::Number(number)) if scalar::exact(number).is_some() => return resolved,
            (Some("int" | "float"), Kind::Unrepresentable) => return resolved,
            (Some("float"), Kind::Number(number)) => {
                return number
                    .as_f64()
                    .and_then(serde_json::Number::from_f64)
                    .map_or(Kind::Unrepresentable, Kind::Number);
            }
            (Some("null"), _) => "`null`",
            (Some("bool"), _) => "`true` or `false`",
            (Some("int"), _) => "an integer",
            (Some("float"), _) => "a number",
            (Some("seq"), _) => "a list",
            (Some("map"), _) => "a map",
            _ => {
                self.diagnostics.push(problems::unknown_tag(tag, tag_span));
                return Kind::Broken;
            }
        };
        self.diagnostics.push(problems::tag_mismatch(tag, expected, span));
        Kind::Broken
    }

    fn start(&mut self, is_map: bool, anchor: usize, tag: Option<(&Tag, Span)>, span: Span) -> Result<(), Stop> {
        if self.open.len() >= MAX_DEPTH as usize {
            return Err(Box::new(problems::too_deep(span)));
        }
        if let Some((tag, tag_span)) = tag {
            let fits = tag.core_suffix() == Some(if is_map { "map" } else { "seq" });
            if !fits && tag.original() != "!" {
                self.diagnostics.push(problems::unknown_tag(tag, tag_span));
            }
        }
        if anchor != 0 {
            self.anchors.insert(anchor, None);
        }
        // Block lists and maps start with an empty span.
        let span = if span.start == span.end { Span { end: span.start + 1, ..span } } else { span };
        self.open.push(Open { span, anchor, is_map, children: Vec::new() });
        Ok(())
    }

    fn end(&mut self) {
        let Some(open) = self.open.pop() else { return };
        let weight = open.children.iter().map(|child| self.nodes[child.node].weight);
        let weight = weight.fold(VALUE_WEIGHT, u64::saturating_add);
        let depth = 1 + open.children.iter().map(|child| self.nodes[child.node].depth).max().unwrap_or(0);
        let mut span = open.span;
        let content = if open.is_map {
            if let Some(first) = open.children.first().filter(|first| first.alias.is_none()) {
                // A block map is known by its first key; one in braces by its brace.
                let first = self.nodes[first.node].span;
                span = if first.start == span.start { first } else { span };
            }
            Content::Map(self.members(&open.children))
        } else {
            Content::List(open.children)
        };
        let node = self.add(Node { content, span, origin: Origin::Explicit, depth, weight }, open.anchor);
        self.attach(Child { node, alias: None });
    }

    /// Keys and values in turn → members: keys are texts, each stands once, merge keys are resolved.
    fn members(&mut self, children: &[Child]) -> Vec<(Spanned<String>, Child)> {
        let mut members: Vec<(Spanned<String>, Child)> = Vec::with_capacity(children.len() / 2);
        let mut places: HashMap<String, Span> = HashMap::new();
        let mut merged = Vec::new();
        for pair in children.chunks_exact(2) {
            let (key, value) = (&self.nodes[pair[0].node], pair[1]);
            let place = pair[0].alias.unwrap_or(key.span);
            let Content::Scalar(Kind::String(name)) = &key.content else {
                let scalar = matches!(key.content, Content::Scalar(_)).then(|| self.source.slice(key.span));
                if !matches!(key.content, Content::Scalar(Kind::Broken)) {
                    self.diagnostics.push(problems::key_type(scalar, place));
                }
                continue;
            };
            let (name, is_merge) = (name.clone(), name == "<<" && key.origin == Origin::Plain);
            if let Some(first) = places.get(&name) {
                self.diagnostics.push(problems::duplicate_key(&name, *first, place));
                continue;
            }
            places.insert(name.clone(), place);
            if is_merge {
                merged = self.merge_sources(value);
            } else {
                members.push((Spanned::new(name, place), value));
            }
        }
        for (key, value) in merged {
            // What the map says itself wins, then the earlier of several merged maps.
            if !places.contains_key(&key.value) {
                places.insert(key.value.clone(), key.span);
                members.push((key, value));
            }
        }
        members
    }

    /// The members that `<<: *map` or `<<: [*map, *map]` brings.
    fn merge_sources(&mut self, value: Child) -> Vec<(Spanned<String>, Child)> {
        let maps = match &self.nodes[value.node].content {
            Content::List(items) => items.clone(),
            _ => vec![value],
        };
        let mut members = Vec::new();
        for map in maps {
            match &self.nodes[map.node].content {
                Content::Map(entries) => members.extend(entries.iter().cloned()),
                Content::Scalar(Kind::Broken) => {}
                _ => {
                    let place = map.alias.unwrap_or(self.nodes[map.node].span);
                    self.diagnostics.push(problems::merge_key(place));
                }
            }
        }
        members
    }

    fn alias(&mut self, anchor: usize, span: Span) -> Result<(), Stop> {
        let Some(node) = self.anchors.get(&anchor).copied().flatten() else {
            self.diagnostics.push(problems::recursive_alias(span));
            self.broken(span);
            return Ok(());
        };
        if self.open.len() as u32 + self.nodes[node].depth > MAX_DEPTH {
            return Err(Box::new(problems::too_deep(span)));
        }
        self.weight = self.weight.saturating_add(self.nodes[node].weight);
        if self.weight > MAX_EXPANDED_WEIGHT {
            return Err(Box::new(problems::too_heavy(span)));
        }
        self.attach(Child { node, alias: Some(span) });
        Ok(())
    }

    fn broken(&mut self, span: Span) {
        let content = Content::Scalar(Kind::Broken);
        let node = self.add(Node { content, span, origin: Origin::Explicit, depth: 0, weight: VALUE_WEIGHT }, 0);
        self.attach(Child { node, alias: None });
    }

    fn add(&mut self, node: Node, anchor: usize) -> usize {
        // The members of a list or map have been counted already.
        self.weight += match node.content {
            Content::Scalar(_) => node.weight,
            _ => VALUE_WEIGHT,
        };
        self.nodes.push(node);
        let number = self.nodes.len() - 1;
        if anchor != 0 {
            self.anchors.insert(anchor, Some(number));
        }
        number
    }

    fn attach(&mut self, child: Child) {
        match self.open.last_mut() {
            Some(open) => open.children.push(child),
            None => self.root = Some(child),
        }
    }

    /// The tree with every alias expanded. Recursion is bounded by the depth limit.
    fn build(&self, child: &Child) -> SpannedValue {
        let node = &self.nodes[child.node];
        let kind = match &node.content {
            Content::Scalar(kind) => kind.clone(),
            Content::List(items) => Kind::List(items.iter().map(|item| self.build(item)).collect()),
            Content::Map(members) => {
                let entries = members.iter().map(|(key, value)| {
                    let mut value = self.build(value);
                    if value.kind == Kind::Null && value.span.start == value.span.end {
                        // What is not there is shown at its key.
                        value.span = key.span;
                        value.origin = Origin::Explicit;
                    }
                    Entry { key: key.clone(), value }
                });
                Kind::Map(entries.collect())
            }
        };
        SpannedValue { kind, span: node.span, alias: child.alias.map(Box::new), origin: node.origin }
    }

    fn span(&self, place: &granit_parser::Span) -> Span {
        let start = place.start.byte_offset().unwrap_or(0);
        let end = place.end.byte_offset().unwrap_or(start).max(start);
        Span {
            start: offset(start),
            end: offset(end),
            line: offset(place.start.line()),
            column: offset(place.start.col() + 1),
        }
    }

    fn syntax(&self, error: &ScanError) -> Stop {
        let mark = error.marker();
        let start = mark.byte_offset().unwrap_or_else(|| {
            let (line, line_start) = self.source.line(offset(mark.line()));
            line_start + line.char_indices().nth(mark.col()).map_or(line.len(), |(at, _)| at)
        });
        let end = self
            .source
            .text()
            .get(start..)
            .and_then(|rest| rest.chars().next())
            .map_or(start, |c| start + c.len_utf8());
        let span = self.source.span(start.min(self.source.text().len())..end.min(self.source.text().len()));
        Box::new(problems::syntax(error.kind(), span))
    }
}
