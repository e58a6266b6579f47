//! A2A extensions for the dummy agent.
//!
//! A fresh instance of the component serves each handled task, so nothing is remembered in statics: state comes from
//! [`Request::task`].

use serde_json::{Map, Value};

use crate::bindings::extension::a2a_host::plugin::tasks as wit_tasks;
use crate::bindings::extension::exports::a2a_host::plugin::extensions as wit;
use crate::value::{Artifact, Message, TaskState, to_json};

pub use wit::{A2aError, Contribution, Extension as Description, HandlerError, Request, Skill};

/// One A2A extension.
pub trait Extension: 'static {
    /// What the card says about it, and its command. Must always answer the same.
    fn describe() -> Description;

    /// Runs the extension's command. Returning success without a terminal or interrupted state completes the task.
    ///
    /// # Errors
    /// An A2A error for the client, or the status message of a failed task.
    fn handle(_request: &Request, _task: &Task) -> Result<(), HandlerError> {
        Err(HandlerError::Failed("this extension has no command".into()))
    }

    /// What it adds to the artifact of the `ext` command when a client activates it. The default adds nothing.
    ///
    /// # Errors
    /// A sentence for the task's status message.
    fn activate(_request: &Request) -> Result<Contribution, String> {
        Ok(Contribution::none())
    }
}

impl Description {
    /// An optional extension without parameters, command or skill.
    pub fn new(uri: impl Into<String>, description: impl Into<String>) -> Description {
        Description {
            uri: uri.into(),
            description: description.into(),
            required: false,
            params: None,
            command: None,
            skill: None,
        }
    }

    /// Clients must activate it.
    pub fn required(mut self) -> Description {
        self.required = true;
        self
    }

    /// Shown in the card.
    pub fn params(mut self, params: &Map<String, Value>) -> Description {
        self.params = Some(to_json(params));
        self
    }

    /// The keyword that runs [`Extension::handle`], and the card's entry for it.
    pub fn command(mut self, keyword: impl Into<String>, skill: Skill) -> Description {
        self.command = Some(keyword.into());
        self.skill = Some(skill);
        self
    }
}

impl Skill {
    /// A skill that reads and writes plain text and has the tag `extension`.
    pub fn new(id: impl Into<String>, name: impl Into<String>, description: impl Into<String>) -> Skill {
        let id = id.into();
        Skill {
            examples: vec![id.clone()],
            id,
            name: name.into(),
            description: description.into(),
            tags: vec!["extension".into()],
            input_modes: vec!["text/plain".into()],
            output_modes: vec!["text/plain".into()],
        }
    }
}

impl Contribution {
    /// Adds nothing.
    pub fn none() -> Contribution {
        Contribution { fields: "{}".into(), metadata: None }
    }

    /// Members for the data part of the artifact.
    pub fn fields(fields: &Map<String, Value>) -> Contribution {
        Contribution { fields: to_json(fields), metadata: None }
    }
}

impl HandlerError {
    /// An A2A error for the client, such as `HandlerError::a2a(-32602, "…")`.
    pub fn a2a(code: i32, message: impl Into<String>) -> HandlerError {
        HandlerError::A2a(A2aError { code, reason: None, message: message.into(), details: "[]".into() })
    }
}

impl From<String> for HandlerError {
    fn from(message: String) -> HandlerError {
        HandlerError::Failed(message)
    }
}

/// The task that a handler drives. Each error says what was not allowed; nothing was sent then.
pub struct Task<'a>(&'a dyn TaskApi);

impl<'a> Task<'a> {
    #[doc(hidden)]
    pub fn new(api: &'a dyn TaskApi) -> Task<'a> {
        Task(api)
    }

    /// The task's id.
    pub fn id(&self) -> String {
        self.0.id()
    }

    /// The task's context.
    pub fn context_id(&self) -> String {
        self.0.context_id()
    }

    /// Oldest first; the message under work is the last.
    pub fn history(&self) -> Vec<Message> {
        self.0.history()
    }

    /// Records and publishes a state.
    ///
    /// # Errors
    /// The life cycle does not allow it.
    pub fn status(&self, state: TaskState) -> Result<(), String> {
        self.0.status(state, None)
    }

    /// Records and publishes a state with the agent's words.
    ///
    /// # Errors
    /// The life cycle does not allow it.
    pub fn say(&self, state: TaskState, text: impl Into<String>) -> Result<(), String> {
        self.0.status(state, Some(&Message::agent(text)))
    }

    /// Publishes a whole artifact.
    ///
    /// # Errors
    /// The life cycle does not allow it.
    pub fn artifact(&self, artifact: &Artifact) -> Result<(), String> {
        self.0.artifact(artifact, false, true)
    }

    /// Publishes a piece of an artifact; pieces carry the same artifact id.
    ///
    /// # Errors
    /// The life cycle does not allow it.
    pub fn chunk(&self, artifact: &Artifact, append: bool, last_chunk: bool) -> Result<(), String> {
        self.0.artifact(artifact, append, last_chunk)
    }

    /// Answers with a bare message in place of a task; only as the first and only event.
    ///
    /// # Errors
    /// The task has already begun.
    pub fn reply(&self, message: &Message) -> Result<(), String> {
        self.0.reply(message)
    }

    /// Waits; true as soon as the client cancels the task.
    pub fn sleep(&self, milliseconds: u32) -> bool {
        self.0.sleep(milliseconds)
    }
}

/// What a task handle can do; the host's resource and the recorder of [`crate::testing`] implement it.
#[doc(hidden)]
pub trait TaskApi {
    fn id(&self) -> String;
    fn context_id(&self) -> String;
    fn history(&self) -> Vec<Message>;
    fn status(&self, state: TaskState, message: Option<&Message>) -> Result<(), String>;
    fn artifact(&self, artifact: &Artifact, append: bool, last_chunk: bool) -> Result<(), String>;
    fn reply(&self, message: &Message) -> Result<(), String>;
    fn sleep(&self, milliseconds: u32) -> bool;
}

impl TaskApi for wit_tasks::Task {
    fn id(&self) -> String {
        wit_tasks::Task::id(self)
    }
    fn context_id(&self) -> String {
        wit_tasks::Task::context_id(self)
    }
    fn history(&self) -> Vec<Message> {
        wit_tasks::Task::history(self)
    }
    fn status(&self, state: TaskState, message: Option<&Message>) -> Result<(), String> {
        wit_tasks::Task::status(self, state, message)
    }
    fn artifact(&self, artifact: &Artifact, append: bool, last_chunk: bool) -> Result<(), String> {
        wit_tasks::Task::artifact(self, artifact, append, last_chunk)
    }
    fn reply(&self, message: &Message) -> Result<(), String> {
        wit_tasks::Task::reply(self, message)
    }
    fn sleep(&self, milliseconds: u32) -> bool {
        wit_tasks::Task::sleep(self, milliseconds)
    }
}

/// Registers the extensions of a component: `register_extensions!(Timestamp, EchoMetadata);`
#[macro_export]
macro_rules! register_extensions {
    ($($extension:ty),+ $(,)?) => {
        // Holds the types to the trait, and keeps them in use where nothing is exported.
        const _: () = {
            const fn registered<T: $crate::extension::Extension>() {}
            $(registered::<$extension>();)+
        };
        #[cfg(target_arch = "wasm32")]
        const _: () = {
            use $crate::extension::__private as private;
            use $crate::extension::Extension;
            struct Component;
            impl private::Guest for Component {
                fn describe() -> Vec<$crate::extension::Description> {
                    $crate::host::install_panic_hook();
                    vec![$(<$extension as Extension>::describe()),+]
                }
                fn handle(
                    uri: String,
                    request: $crate::extension::Request,
                    task: &private::Task,
                ) -> Result<(), $crate::extension::HandlerError> {
                    $crate::host::install_panic_hook();
                    $(if <$extension as Extension>::describe().uri == uri {
                        return <$extension as Extension>::handle(&request, &$crate::extension::Task::new(task));
                    })+
                    Err($crate::extension::HandlerError::Failed(format!("this plugin has no extension {uri}")))
                }
                fn activate(
                    uri: String,
                    request: $crate::extension::Request,
                ) -> Result<$crate::extension::Contribution, String> {
                    $crate::host::install_panic_hook();
                    $(if <$extension as Extension>::describe().uri == uri {
                        return <$extension as Extension>::activate(&request);
                    })+
                    Err(format!("this plugin has no extension {uri}"))
                }
            }
            $crate::bindings::extension::export_extensions!(Component with_types_in $crate::bindings::extension);
        };
    };
}

/// What the macro needs; no part of the face of this crate.
#[doc(hidden)]
pub mod __private {
    pub use crate::bindings::extension::a2a_host::plugin::tasks::Task;
    pub use crate::bindings::extension::exports::a2a_host::plugin::extensions::Guest;
}
