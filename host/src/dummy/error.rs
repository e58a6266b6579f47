use std::io;

/// Why a dummy agent did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Two plugins, or one plugin twice, offer the same extension.
    #[error("extension {uri} is offered twice: by plugin {first} and by plugin {second}; load only one of them")]
    DuplicateExtension {
        /// The extension.
        uri: String,
        /// Label of the plugin that was loaded first.
        first: String,
        /// Label of the other.
        second: String,
    },
    /// An extension without a URI cannot be asked for.
    #[error("plugin {plugin}: an extension has an empty URI; `describe` must give one")]
    EmptyUri {
        /// Label of the plugin.
        plugin: String,
    },
    /// A command that no message can name.
    #[error(
        "plugin {plugin}: extension {uri} has the command {command:?}, which no message can name; expected one word"
    )]
    UnusableCommand {
        /// Label of the plugin.
        plugin: String,
        /// The extension.
        uri: String,
        /// What it wants to be called.
        command: String,
    },
    /// The agent cannot listen there.
    #[error("cannot listen on {host} port {port}: {source}")]
    Listen {
        /// Host as given.
        host: String,
        /// Port as given.
        port: u16,
        /// What the system says.
        source: io::Error,
    },
    /// The public URL is not one.
    #[error(
        "public URL {value:?}: {why}; expected an http or https URL with a host, such as https://agent.example/a2a"
    )]
    PublicUrl {
        /// As given.
        value: String,
        /// What is wrong.
        why: String,
    },
    /// There must be room for the task under work.
    #[error("max_tasks is 0; expected at least 1")]
    NoTasks,
}
