use std::fmt;

/// Why a plugin could not be loaded or did not answer. Its text is one line that names the plugin, its version, the
/// function and the limit, and says what to do where there is something to do.
#[derive(Clone, Debug, PartialEq)]
pub struct PluginError {
    /// Name and version, such as `assertions 0.1.0`.
    pub plugin: String,
    /// The exported function that was called; none while loading.
    pub function: Option<&'static str>,
    /// What went wrong.
    pub fault: Fault,
}

/// What went wrong with a plugin.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Fault {
    /// The bytes are no component that this program can load; the sentence says what they are and what to do.
    Unloadable(String),
    /// Built for an interface of another version.
    Version {
        /// As the component has it, such as `a2a-host:plugin/contracts@0.2.0`.
        found: String,
        /// As this program has it.
        offered: String,
        /// The component is newer than the program.
        newer: bool,
    },
    /// It asks for something that plugins do not get.
    ForeignImport(String),
    /// The call used up its CPU budget.
    Fuel(u64),
    /// It asked for more memory than it may have.
    Memory {
        /// Bytes asked for.
        wanted: usize,
        /// Bytes allowed.
        limit: usize,
    },
    /// It asked for more tables, table elements, memories or instances than it may have.
    Items(String),
    /// It handed over more bytes than it may.
    Transfer(usize),
    /// The call took too long, waiting included.
    Deadline(std::time::Duration),
    /// It trapped; the text is its own panic message where it sent one.
    Trap(String),
    /// It answered with something that makes no sense.
    Nonsense(String),
}

impl PluginError {
    /// Imports or exports have other types than the interface says.
    pub(super) fn unfit(plugin: &str, error: &wasmtime::Error) -> Self {
        PluginError::loading(plugin, Fault::Unloadable(format!("it does not fit this a2a-host: {error:#}")))
    }

    pub(crate) fn loading(plugin: impl Into<String>, fault: Fault) -> Self {
        PluginError { plugin: plugin.into(), function: None, fault }
    }
}

impl fmt::Display for PluginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "plugin {}: ", self.plugin)?;
        let call = self.function.unwrap_or("start");
        match &self.fault {
            Fault::Unloadable(why) => f.write_str(why),
            Fault::Version { found, offered, newer: true } => {
                write!(f, "it is built for {found}, this a2a-host offers {offered}; update a2a-host")
            }
            Fault::Version { found, offered, newer: false } => {
                write!(f, "it is built for {found}, this a2a-host offers {offered}; rebuild the plugin")
            }
            Fault::ForeignImport(what) => f.write_str(what),
            Fault::Fuel(budget) => {
                write!(f, "{call} used up its CPU budget ({} million units of fuel)", budget / 1_000_000)
            }
            Fault::Memory { wanted, limit } => write!(
                f,
                "{call} asked for {} MiB of memory, the limit is {} MiB",
                wanted.div_ceil(1024 * 1024),
                limit / (1024 * 1024)
            ),
            Fault::Items(what) => write!(f, "{call} asked for {what}"),
            Fault::Transfer(limit) => {
                write!(f, "{call} handed over more than {} MiB, the limit for one call", limit / (1024 * 1024))
            }
            Fault::Deadline(limit) => write!(f, "{call} was not done after {} s, its limit", limit.as_secs_f64()),
            Fault::Trap(why) => write!(f, "{call} trapped: {why}"),
            Fault::Nonsense(why) => write!(f, "{call} {why}"),
        }
    }
}

impl std::error::Error for PluginError {}
