//! What can be wrong with YAML, in the words of this program.

use serde_yaml::granit_parser::{ErrorKind, Tag};

use crate::contract::diagnostic::Diagnostic;
use crate::contract::limits::MAX_DEPTH;
use crate::contract::source::Span;
use crate::printable::quoted;

pub(super) fn unknown_anchor(name: &str, span: Span) -> Diagnostic {
    let message = format!("no anchor {} stands before this alias", quoted(&format!("&{name}")));
    let diagnostic = Diagnostic::error("unknown-anchor", message).at(span).label("unknown anchor");
    diagnostic.help("a text that starts with `*` needs quotes")
}

pub(super) fn recursive_alias(span: Span) -> Diagnostic {
    let message = "this alias stands inside the very value that it refers to";
    Diagnostic::error("recursive-alias", message).at(span).label("would never end")
}

pub(super) fn tag_mismatch(tag: &Tag, expected: &str, span: Span) -> Diagnostic {
    let message = format!("the tag {} asks for {expected}", quoted(&tag.original()));
    Diagnostic::error("yaml-tag", message).at(span).label(format!("not {expected}"))
}

pub(super) fn unknown_tag(tag: &Tag, span: Span) -> Diagnostic {
    let message = format!("the tag {} has no meaning in a contract", quoted(&tag.original()));
    let diagnostic = Diagnostic::error("yaml-tag", message).at(span).label("unknown tag");
    diagnostic.help("remove the tag, or put the value in quotes if `!` belongs to it")
}

pub(super) fn duplicate_key(name: &str, first: Span, second: Span) -> Diagnostic {
    let message = format!("the key {} stands twice in this map", quoted(name));
    let diagnostic = Diagnostic::error("duplicate-key", message).at(second).label("second time");
    diagnostic.related(first, "first time").help("remove one of the two")
}

/// `scalar` is the key as it is written, where it is neither a list nor a map.
pub(super) fn key_type(scalar: Option<&str>, span: Span) -> Diagnostic {
    let diagnostic = Diagnostic::error("key-type", "keys are strings").at(span);
    match scalar {
        Some(written) => {
            diagnostic.label("not a string").help(format!("put the key in quotes: `\"{}\"`", written.trim()))
        }
        None => diagnostic.label("a list or a map"),
    }
}

pub(super) fn merge_key(span: Span) -> Diagnostic {
    let message = "a merge key `<<` takes a map or a list of maps";
    let diagnostic = Diagnostic::error("merge-key", message).at(span).label("neither");
    diagnostic.help("quote the key, `\"<<\"`, if it is meant as a name")
}

pub(super) fn syntax(kind: &ErrorKind, span: Span) -> Diagnostic {
    if matches!(kind, ErrorKind::RecursionLimitExceeded) {
        return too_deep(span);
    }
    let diagnostic = Diagnostic::error("yaml-syntax", "this is not YAML").at(span).label(kind.to_string());
    match syntax_help(kind) {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

fn syntax_help(kind: &ErrorKind) -> Option<&'static str> {
    Some(match kind {
        ErrorKind::MappingValueNotAllowed | ErrorKind::InvalidColonPlacement => {
            "a text that contains `: ` needs quotes; members of a map start in the same column"
        }
        ErrorKind::UnexpectedCharacter { .. } => "a text that starts with this character needs quotes",
        ErrorKind::TabNotAllowed | ErrorKind::TabInBlockIndentation | ErrorKind::TabInIndentation => {
            "indent with blanks, not with tabs"
        }
        ErrorKind::UnknownQuotedScalarEscape => {
            "in double quotes a backslash is written `\\\\`; in single quotes it stands for itself"
        }
        _ => return None,
    })
}

pub(super) fn second_document(span: Span) -> Diagnostic {
    let message = "a contract file holds one YAML document";
    Diagnostic::error("second-document", message)
        .at(span)
        .label("a second one starts here")
        .help("put the second contract into a file of its own")
}

pub(super) fn too_deep(span: Span) -> Diagnostic {
    let message = format!("lists and maps are nested more than {MAX_DEPTH} levels deep");
    Diagnostic::error("too-deep", message).at(span).label("one level too many")
}

pub(super) fn too_heavy(span: Span) -> Diagnostic {
    let message = "aliases expand this file beyond what a contract may hold";
    Diagnostic::error("alias-expansion", message)
        .at(span)
        .label("this alias brings too much")
        .help("write out what is needed; an alias copies everything below its anchor")
}
