//! Checks that a contract file can name.
//!
//! The host calls [`Assertion::prepare`] once for each check of a scenario and then [`Assertion::evaluate`] for each
//! turn, so what is costly (compiling a pattern, reading a schema) belongs into `prepare`.

use std::ops::Deref;

use serde_json::Value;

use crate::Finding;
use crate::bindings::assertion::exports::a2a_host::plugin::assertions as wit;
use crate::value::{Event, from_json};

pub use wit::{ObservedPart, PartKind, Problem, Source, Turn as TurnData};

/// One check. The type itself is the prepared config.
pub trait Assertion: Sized + 'static {
    /// The name in contract files: lower case, words joined by underscores.
    const NAME: &'static str;
    /// One line for people.
    const SUMMARY: &'static str;

    /// JSON Schema (Draft 2020-12) of the config, for editors. The default takes anything.
    fn config_schema() -> Value {
        Value::Bool(true)
    }

    /// Reads the config once: the value of `with:`, null without it. Report every problem in one go; the host shows each at its place in the file.
    ///
    /// # Errors
    /// What is wrong with the config.
    fn prepare(config: &Value) -> Result<Self, Vec<Problem>>;

    /// Judges a turn; no finding means that the check passed.
    ///
    /// # Errors
    /// A sentence saying why it could not judge, which is not the same as a failure of the agent.
    fn evaluate(&self, turn: &Turn) -> Result<Vec<Finding>, String>;
}

impl Problem {
    /// `path` is a JSON Pointer into the config; a pointer to an unknown key names the key itself.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Problem {
        Problem { path: path.into(), message: message.into(), help: None }
    }

    /// What to do about it.
    pub fn help(mut self, text: impl Into<String>) -> Problem {
        self.help = Some(text.into());
        self
    }
}

/// The turn under evaluation. Its plain members are those of [`TurnData`]; the methods fetch more from the host, so that a
/// check pays only for what it reads.
pub struct Turn<'a> {
    data: &'a TurnData,
    exchange: &'a dyn ExchangeApi,
}

impl Deref for Turn<'_> {
    type Target = TurnData;

    fn deref(&self) -> &TurnData {
        self.data
    }
}

impl<'a> Turn<'a> {
    pub(crate) fn new(data: &'a TurnData, exchange: &'a dyn ExchangeApi) -> Turn<'a> {
        Turn { data, exchange }
    }

    /// The request as sent.
    pub fn request(&self) -> Value {
        from_json(&self.exchange.request())
    }

    /// How many events the reply had; a reply that is no stream is one event.
    pub fn event_count(&self) -> u32 {
        self.exchange.event_count()
    }

    /// The event with that index.
    pub fn event(&self, index: u32) -> Option<Event> {
        self.exchange.get_event(index)
    }

    /// The task or message after all events.
    pub fn folded(&self) -> Value {
        from_json(&self.exchange.folded())
    }

    /// The agent's error object, where it answered with one.
    pub fn error(&self) -> Option<Value> {
        self.exchange.error().map(|text| from_json(&text))
    }

    /// Decoded bytes of a raw part, by its index in `parts`; none where the part is not raw.
    pub fn bytes(&self, part: u32, offset: u64, length: u32) -> Option<Vec<u8>> {
        self.exchange.bytes(part, offset, length)
    }
}

/// What a turn fetches from the host; tests have their own.
pub(crate) trait ExchangeApi {
    fn request(&self) -> String;
    fn event_count(&self) -> u32;
    fn get_event(&self, index: u32) -> Option<Event>;
    fn folded(&self) -> String;
    fn error(&self) -> Option<String>;
    fn bytes(&self, part: u32, offset: u64, length: u32) -> Option<Vec<u8>>;
}

/// The host's answers.
struct Host;

impl ExchangeApi for Host {
    fn request(&self) -> String {
        crate::bindings::assertion::a2a_host::plugin::exchange::request()
    }
    fn event_count(&self) -> u32 {
        crate::bindings::assertion::a2a_host::plugin::exchange::event_count()
    }
    fn get_event(&self, index: u32) -> Option<Event> {
        crate::bindings::assertion::a2a_host::plugin::exchange::get_event(index)
    }
    fn folded(&self) -> String {
        crate::bindings::assertion::a2a_host::plugin::exchange::folded()
    }
    fn error(&self) -> Option<String> {
        crate::bindings::assertion::a2a_host::plugin::exchange::error()
    }
    fn bytes(&self, part: u32, offset: u64, length: u32) -> Option<Vec<u8>> {
        crate::bindings::assertion::a2a_host::plugin::exchange::bytes(part, offset, length)
    }
}

/// Registers the checks of a component: `register_assertions!(Shouts, Whispers);`
#[macro_export]
macro_rules! register_assertions {
    ($($assertion:ty),+ $(,)?) => {
        // Holds the types to the trait, and keeps them in use where nothing is exported.
        const _: () = {
            const fn registered<T: $crate::assertion::Assertion>() {}
            $(registered::<$assertion>();)+
        };
        #[cfg(target_arch = "wasm32")]
        const _: () = {
            use $crate::assertion::__private as private;
            struct Component;
            impl private::Guest for Component {
                fn describe() -> Vec<private::Description> {
                    $crate::host::install_panic_hook();
                    vec![$(private::describe::<$assertion>()),+]
                }
                fn prepare(name: String, config: String) -> Result<u32, Vec<$crate::assertion::Problem>> {
                    $crate::host::install_panic_hook();
                    $(if name == <$assertion as $crate::assertion::Assertion>::NAME {
                        return private::prepare::<$assertion>(&config);
                    })+
                    Err(private::unknown(&name, &[$(<$assertion as $crate::assertion::Assertion>::NAME),+]))
                }
                fn evaluate(
                    prepared: u32,
                    turn: $crate::assertion::TurnData,
                ) -> Result<Vec<$crate::Finding>, String> {
                    $crate::host::install_panic_hook();
                    private::evaluate(prepared, &turn)
                }
            }
            $crate::bindings::assertion::export_assertions!(Component with_types_in $crate::bindings::assertion);
        };
    };
}

/// What the macro needs; no part of the face of this crate.
#[doc(hidden)]
pub mod __private {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::{Assertion, Finding, Host, Problem, Turn, TurnData};
    pub use crate::bindings::assertion::exports::a2a_host::plugin::assertions::{Assertion as Description, Guest};

    type Evaluate = Rc<dyn Fn(&Turn) -> Result<Vec<Finding>, String>>;

    thread_local! {
        /// The prepared configs of this instance; a handle is an index.
        static PREPARED: RefCell<Vec<Evaluate>> = const { RefCell::new(Vec::new()) };
    }

    pub fn describe<A: Assertion>() -> Description {
        Description { name: A::NAME.into(), summary: A::SUMMARY.into(), config_schema: A::config_schema().to_string() }
    }

    pub fn prepare<A: Assertion>(config: &str) -> Result<u32, Vec<Problem>> {
        let value = serde_json::from_str(config)
            .map_err(|error| vec![Problem::new("", format!("the config is no JSON: {error}"))])?;
        let assertion = A::prepare(&value)?;
        Ok(PREPARED.with_borrow_mut(|prepared| {
            prepared.push(Rc::new(move |turn: &Turn| assertion.evaluate(turn)));
            // A list longer than this does not fit into a guest's memory.
            u32::try_from(prepared.len() - 1).unwrap_or(u32::MAX)
        }))
    }

    pub fn evaluate(handle: u32, data: &TurnData) -> Result<Vec<Finding>, String> {
        // Cloned out of the list, so that a check may not find the list borrowed.
        let evaluate = PREPARED.with_borrow(|prepared| prepared.get(handle as usize).cloned());
        match evaluate {
            Some(evaluate) => evaluate(&Turn::new(data, &Host)),
            None => Err(format!("no check was prepared with handle {handle}")),
        }
    }

    pub fn unknown(name: &str, known: &[&str]) -> Vec<Problem> {
        vec![
            Problem::new("", format!("this plugin has no check `{name}`"))
                .help(format!("it has: {}", known.join(", "))),
        ]
    }

    #[cfg(test)]
    mod tests {
        use serde_json::Value;

        use super::*;
        use crate::testing::RecordedTurn;

        struct Equals(String);
        impl Assertion for Equals {
            const NAME: &'static str = "equals";
            const SUMMARY: &'static str = "the text is this one";
            fn prepare(config: &Value) -> Result<Self, Vec<Problem>> {
                config
                    .as_str()
                    .map(|text| Equals(text.into()))
                    .ok_or_else(|| vec![Problem::new("", "expected a string")])
            }
            fn evaluate(&self, turn: &Turn) -> Result<Vec<Finding>, String> {
                let found = (turn.text != self.0).then(|| Finding::new("differs", "the text differs"));
                Ok(found.into_iter().collect())
            }
        }

        #[test]
        fn handles_belong_to_their_configs() {
            let (one, two) = (prepare::<Equals>("\"one\"").unwrap(), prepare::<Equals>("\"two\"").unwrap());
            let recorded = RecordedTurn::with_text("two");
            assert_eq!(evaluate(one, &recorded.data).unwrap().len(), 1);
            assert_eq!(evaluate(two, &recorded.data).unwrap().len(), 0);
            assert!(evaluate(99, &recorded.data).unwrap_err().contains("99"));
        }

        #[test]
        fn problems_come_back() {
            assert_eq!(prepare::<Equals>("1").unwrap_err()[0].message, "expected a string");
            assert!(prepare::<Equals>("{").unwrap_err()[0].message.contains("no JSON"));
            assert_eq!(unknown("x", &["a", "b"])[0].help.as_deref(), Some("it has: a, b"));
        }
    }
}
