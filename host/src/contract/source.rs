use std::ops::Range;

/// A place in a contract file. Lines and columns count from 1; columns count characters, not bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// Byte offset of the first byte. Files are far below 4 GB, so 32 bits keep the tree small.
    pub start: u32,
    /// Byte offset after the last byte.
    pub end: u32,
    /// Line of the first character.
    pub line: u32,
    /// Column of the first character.
    pub column: u32,
}

impl Span {
    /// The bytes as a range.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// From the start of this span to the end of the other one.
    pub fn to(self, other: Span) -> Span {
        Span { end: self.end.max(other.end), ..self }
    }
}

/// A value together with the place it was read from.
#[derive(Clone, Debug, PartialEq)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// Puts the two together.
    pub fn new(value: T, span: Span) -> Self {
        Spanned { value, span }
    }
}

/// The text of a contract file and the name to show for it.
#[derive(Clone, Debug)]
pub struct SourceFile {
    path: String,
    text: String,
    line_starts: Vec<usize>,
}

impl SourceFile {
    /// Keeps the path as the user wrote it. Byte-order marks at the start of the text are dropped, so that every
    /// offset and column counts from the first visible character.
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        let mut text = text.into();
        text.drain(..text.len() - text.trim_start_matches('\u{feff}').len());
        let line_starts = line_starts(&text);
        SourceFile { path: path.into(), text, line_starts }
    }

    /// The path as the user wrote it.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The whole text, without a byte-order mark.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The characters of a span.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or("")
    }

    /// The place of a byte range. Costs one pass over the line, so it is for diagnostics, not for every value of a file.
    pub fn span(&self, bytes: Range<usize>) -> Span {
        let line = self.line_starts.partition_point(|start| *start <= bytes.start).max(1);
        let line_start = self.line_starts[line - 1];
        let column = self.text.get(line_start..bytes.start).map_or(0, |before| before.chars().count()) + 1;
        Span { start: offset(bytes.start), end: offset(bytes.end), line: offset(line), column: offset(column) }
    }

    /// Text and byte offset of a line, without its line break. Empty for a line that the file does not have.
    pub fn line(&self, line: u32) -> (&str, usize) {
        let index = (line as usize).saturating_sub(1);
        let Some(&start) = self.line_starts.get(index) else { return ("", self.text.len()) };
        let end = self.line_starts.get(index + 1).copied().unwrap_or(self.text.len());
        (self.text[start..end].trim_end_matches(['\r', '\n']), start)
    }
}

/// A number that fits, because files are limited to a megabyte.
pub(crate) fn offset(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// Where lines start. YAML breaks lines at LF, CR LF and a lone CR.
fn line_starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let mut starts = vec![0];
    for (index, byte) in bytes.iter().enumerate() {
        let breaks = match byte {
            b'\n' => true,
            b'\r' => bytes.get(index + 1) != Some(&b'\n'),
            _ => false,
        };
        if breaks {
            starts.push(index + 1);
        }
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_every_line_break_counts() {
        let source = SourceFile::new("c.yaml", "a\r\n日本x\rb\n");
        let x = source.text().find('x').unwrap();
        let span = source.span(x..x + 1);
        assert_eq!((span.line, span.column), (2, 3));
        assert_eq!(source.slice(span), "x");
        assert_eq!(source.line(2), ("日本x", 3));
        let b = source.text().find('b').unwrap();
        assert_eq!((source.span(b..b + 1).line, source.span(b..b + 1).column), (3, 1));
        assert_eq!(source.line(9).0, "");
    }

    #[test]
    fn a_byte_order_mark_takes_no_column() {
        let source = SourceFile::new("c.yaml", "\u{feff}version: 1");
        assert_eq!(source.text(), "version: 1");
        assert_eq!(source.span(0..7).column, 1);
    }
}
