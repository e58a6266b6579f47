use std::time::Duration;

use url::Url;

use super::Decoder;
use super::fields::Shape;
use crate::a2a::{A2A_EXTENSIONS, Binding};
use crate::contract::diagnostic::Diagnostic;
use crate::contract::limits::{
    MAX_CARD_PATH_CHARS, MAX_EXTENSION_CHARS, MAX_EXTENSIONS, MAX_EXTENSIONS_CHARS, MAX_URL_CHARS,
};
use crate::contract::model::{Agent, Header};
use crate::contract::source::{Span, Spanned};
use crate::contract::value::{Entry, Kind, SpannedValue};
use crate::printable::quoted;

const AGENT: Shape = Shape {
    name: "`agent`",
    keys: &[
        "url",
        "timeout",
        "transport",
        "grpc_tls",
        "allow_cross_origin_interfaces",
        "card_path",
        "headers",
        "extensions",
    ],
    later: &[],
};

/// Seconds for a turn where the contract says nothing; the contract language's default.
const DEFAULT_TIMEOUT: f64 = 30.0;

/// Headers that say where a request ends: another value would make it another request.
const FRAMING: [&str; 2] = ["content-length", "transfer-encoding"];

impl Decoder<'_> {
    /// `agent`. None where its URL cannot be used.
    pub(super) fn agent(&mut self, value: &SpannedValue) -> Option<Agent> {
        let fields = self.fields(value, &AGENT)?;
        let url = match fields.value("url") {
            Some(url) => self.url(url),
            None => {
                self.missing(&fields, &AGENT, "url", "url: https://…");
                None
            }
        };
        let timeout = fields.value("timeout").and_then(|value| self.seconds(value, "timeout"));
        let transport = fields.value("transport").and_then(|value| self.transport(value));
        let grpc_tls = fields.value("grpc_tls").and_then(|value| self.boolean(value, "grpc_tls"));
        let cross = "allow_cross_origin_interfaces";
        let cross_origin = fields.value(cross).and_then(|value| self.boolean(value, cross));
        let card_path = fields.present("card_path");
        let card_path = card_path.and_then(|value| self.bounded(value, "card_path", 1..=MAX_CARD_PATH_CHARS));
        let mut extensions = fields.value("extensions").map(|value| self.extensions(value)).unwrap_or_default();
        let headers = fields.value("headers").map(|value| self.headers(value, &mut extensions)).unwrap_or_default();
        if let Some(place) = fields.get("extensions").or(fields.get("headers")) {
            self.bound_extensions(&extensions, place.key.span);
        }
        Some(Agent {
            url: url?,
            timeout: Duration::from_secs_f64(timeout.unwrap_or(DEFAULT_TIMEOUT)),
            headers,
            extensions,
            transport: transport.flatten(),
            card_path,
            allow_cross_origin_interfaces: cross_origin.unwrap_or(false),
            grpc_tls: grpc_tls.unwrap_or(true),
            span: fields.span(),
        })
    }

    /// Messages about the URL never show it: it may come from the environment and hold a secret.
    fn url(&mut self, value: &SpannedValue) -> Option<Spanned<Url>> {
        let text = self.bounded(value, "url", 1..=MAX_URL_CHARS)?;
        let problem = match Url::parse(&text.value) {
            Err(error) => (error.to_string(), "write it as `https://host/path`"),
            Ok(url) if !matches!(url.scheme(), "http" | "https") => {
                ("neither http nor https".to_owned(), "write it as `https://host/path`")
            }
            Ok(url) if !url.username().is_empty() || url.password().is_some() => {
                ("has a user or password".to_owned(), "send credentials in a header: `headers: {Authorization: …}`")
            }
            Ok(url) => return Some(Spanned::new(url, text.span)),
        };
        let message = "`url` takes an http or https URL without credentials";
        self.report(value, Diagnostic::error("url", message).label(problem.0).help(problem.1));
        None
    }

    /// Some(None) for `auto`.
    fn transport(&mut self, value: &SpannedValue) -> Option<Option<Spanned<Binding>>> {
        let text = self.text(value, "transport")?;
        if text.value == "auto" {
            return Some(None);
        }
        self.binding(value, &text, "transport", "`auto`, ").map(Some)
    }

    /// One of the three bindings, spelled as agent cards do.
    pub(super) fn binding(
        &mut self,
        value: &SpannedValue,
        text: &Spanned<String>,
        key: &str,
        also: &str,
    ) -> Option<Spanned<Binding>> {
        if let Ok(binding) = text.value.parse::<Binding>() {
            return Some(Spanned::new(binding, text.span));
        }
        let message = format!("`{key}` takes {also}`JSONRPC`, `HTTP+JSON` or `GRPC`");
        let diagnostic = Diagnostic::error("transport", message).label("not one of them");
        let letters = |text: &str| text.replace(|c: char| !c.is_ascii_alphanumeric(), "").to_ascii_uppercase();
        let wanted = letters(&text.value);
        let near = Binding::ALL.into_iter().find(|binding| letters(binding.as_str()) == wanted);
        let near = near.or((wanted == "REST").then_some(Binding::HttpJson));
        let help = near.map(|near| format!("did you mean `{near}`?"));
        self.report(value, Diagnostic { help, ..diagnostic });
        None
    }

    fn extensions(&mut self, value: &SpannedValue) -> Vec<Spanned<String>> {
        let mut uris: Vec<Spanned<String>> = Vec::new();
        for item in self.items(value, "extensions", 0..=MAX_EXTENSIONS).unwrap_or_default() {
            let Some(uri) = self.bounded(item, "extensions", 1..=MAX_EXTENSION_CHARS) else { continue };
            if !self.extension_uri(item, &uri.value) {
                continue;
            }
            if let Some(first) = uris.iter().find(|first| first.value == uri.value) {
                let diagnostic = Diagnostic::error("duplicate-extension", "this extension is in the list already");
                let diagnostic = diagnostic.label("second time").related(first.span, "first time");
                self.report(item, diagnostic);
            } else {
                uris.push(uri);
            }
        }
        uris
    }

    /// A list of URIs that a pack's stimulus activates, under the same rules.
    pub(super) fn stimulus_extensions(&mut self, value: &SpannedValue) -> Vec<Spanned<String>> {
        let uris = self.extensions(value);
        self.bound_extensions(&uris, value.span);
        uris
    }

    fn extension_uri(&mut self, value: &SpannedValue, uri: &str) -> bool {
        let problem = if !uri.bytes().all(|byte| byte.is_ascii_graphic()) {
            "has characters that a URI cannot have"
        } else if uri.contains(',') {
            "has a comma"
        } else if Url::parse(uri).is_err() {
            "not an absolute URI"
        } else {
            return true;
        };
        let message = "an extension is named by an absolute URI without commas, such as `urn:example:audit`";
        self.report(value, Diagnostic::error("extension-uri", message).label(problem));
        false
    }

    fn headers(&mut self, value: &SpannedValue, extensions: &mut Vec<Spanned<String>>) -> Vec<Header> {
        let entries = match &value.kind {
            Kind::Map(entries) => entries,
            Kind::Broken => return Vec::new(),
            _ => {
                self.wrong_type(value, "headers", "a map of names and values");
                return Vec::new();
            }
        };
        let mut headers = Vec::new();
        for entry in entries {
            let Some(header) = self.header(entry) else { continue };
            if FRAMING.iter().any(|name| header.name.value.eq_ignore_ascii_case(name)) {
                let message = format!("the header `{}` follows from the request itself", header.name.value);
                let diagnostic = Diagnostic::error("framing-header", message).at(header.name.span);
                self.diagnostics.push(diagnostic.label("cannot be set").help("leave it out"));
            } else if header.name.value.eq_ignore_ascii_case(A2A_EXTENSIONS) {
                self.extensions_header(&entry.value, &header.value, extensions);
            } else {
                headers.push(header);
            }
        }
        headers
    }

    /// Messages about headers never show a value.
    fn header(&mut self, entry: &Entry) -> Option<Header> {
        let name = &entry.key;
        let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+.^_`|~-".contains(&byte);
        let named = !name.value.is_empty() && name.value.bytes().all(is_token);
        if !named {
            let message = format!("{} cannot be the name of a header", quoted(&name.value));
            let diagnostic = Diagnostic::error("header-name", message).at(name.span).label("not a header name");
            let help = "a name has letters, digits and the characters ``!#$%&'*+.^_`|~-``";
            self.diagnostics.push(diagnostic.help(help));
        }
        let value = self.text(&entry.value, &name.value)?.value;
        if value.contains(|character: char| character.is_control() && character != '\t') {
            let message = format!(
                "the value of the header {} has a line break or another control character",
                quoted(&name.value)
            );
            let diagnostic = Diagnostic::error("header-value", message).label("cannot be sent");
            self.report(&entry.value, diagnostic.help("a block text (`|`) ends with a line break; `|-` does not"));
            return None;
        }
        named.then(|| Header { name: name.clone(), value })
    }

    /// The older way to ask for extensions.
    fn extensions_header(&mut self, value: &SpannedValue, list: &str, extensions: &mut Vec<Spanned<String>>) {
        for uri in list.split(',').map(str::trim) {
            if uri.is_empty() {
                let diagnostic = Diagnostic::error("extension-uri", "this list of extensions has an empty item");
                self.report(value, diagnostic.label("empty between commas"));
            } else if self.extension_uri(value, uri) && !extensions.iter().any(|known| known.value == uri) {
                extensions.push(Spanned::new(uri.to_owned(), value.span));
            }
        }
    }

    /// What fits into one header.
    fn bound_extensions(&mut self, extensions: &[Spanned<String>], place: Span) {
        let joined = extensions.iter().map(|uri| uri.value.chars().count() + 1).sum::<usize>().saturating_sub(1);
        if extensions.len() > MAX_EXTENSIONS || joined > MAX_EXTENSIONS_CHARS {
            let message = format!(
                "a request activates at most {MAX_EXTENSIONS} extensions, of {MAX_EXTENSIONS_CHARS} characters together"
            );
            let label = format!("{} extensions, {joined} characters", extensions.len());
            self.diagnostics.push(Diagnostic::error("length", message).at(place).label(label));
        }
    }
}
