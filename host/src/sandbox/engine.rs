use std::path::Path;
use std::sync::Arc;

use wasmtime::component::{Component, HasSelf, Linker};
use wasmtime::{Config, Engine};

use super::bindings::a2a_host::plugin;
use super::cache::{CompileCache, hex_digest};
use super::error::{Fault, PluginError};
use super::inspect::inspect;
use super::limits::Limits;
use super::plugin::Plugin;
use super::state::GuestState;

/// The one engine of a process, the linker with all that guests may be given, and the compile cache. Cheap to clone.
#[derive(Clone)]
pub struct Sandbox {
    engine: Engine,
    linker: Arc<Linker<GuestState>>,
    cache: Option<CompileCache>,
}

/// How a component's code is had.
pub enum Code<'a> {
    /// From the component itself: compiled, or found in the cache.
    Component,
    /// Compiled ahead of time by this very program.
    Compiled(&'a [u8]),
}

/// Characters of a version that a file claims; real ones have a dozen.
const MAX_VERSION: usize = 40;

/// The guest yields to the runtime after so much fuel (about 15 µs), so that one busy guest does not hold up a thread and a
/// deadline can end it.
const YIELD_INTERVAL: u64 = 100_000;

impl Sandbox {
    /// Makes the engine. Costs a fraction of a millisecond; call it once.
    ///
    /// # Errors
    /// The machine cannot run compiled code.
    pub fn new(cache: Option<CompileCache>) -> Result<Sandbox, PluginError> {
        let failed = |error: wasmtime::Error| PluginError::loading("(all)", Fault::Unloadable(format!("{error:#}")));
        let engine = Engine::new(&config()).map_err(failed)?;
        let mut linker = Linker::new(&engine);
        link(&mut linker).map_err(failed)?;
        Ok(Sandbox { engine, linker: Arc::new(linker), cache })
    }

    /// Loads a plugin: reads its names, compiles it or takes the compiled form, links it once.
    ///
    /// `compiling` is called before a compile that is not in the cache, with the size in bytes, so that somebody can say
    /// what takes so long. This call may take seconds; run it where blocking is allowed.
    ///
    /// # Errors
    /// The component cannot be loaded.
    pub fn load(
        &self,
        name: &str,
        bytes: &[u8],
        code: Code<'_>,
        compiling: &mut dyn FnMut(usize),
    ) -> Result<Plugin, PluginError> {
        let failed = |fault| PluginError::loading(name, fault);
        let inspection = inspect(bytes).map_err(failed)?;
        let label = match &inspection.version {
            Some(version) => format!("{name} {}", super::log::cut(version, MAX_VERSION)),
            None => name.to_owned(),
        };
        let failed = |fault| PluginError::loading(&label, fault);
        let component = match code {
            Code::Component => self.compile(bytes, compiling),
            // SAFETY: the bytes were made by this program's own `precompile` and embedded into it at build time.
            Code::Compiled(compiled) => unsafe { Component::deserialize(&self.engine, compiled) },
        }
        .map_err(|error| failed(Fault::Unloadable(format!("it cannot be compiled: {}", first_line(&error)))))?;
        let pre = self.linker.instantiate_pre(&component).map_err(|error| PluginError::unfit(&label, &error))?;
        Plugin::new(label.clone(), pre, inspection, Limits::for_component(bytes.len()))
    }

    fn compile(&self, bytes: &[u8], compiling: &mut dyn FnMut(usize)) -> wasmtime::Result<Component> {
        let digest = hex_digest(bytes);
        if let Some(compiled) = self.cache.as_ref().and_then(|cache| cache.find(&self.engine, &digest)) {
            // SAFETY: the cache vouches for what it finds: its folder is the user's alone and the digest fits these bytes.
            if let Ok(component) = unsafe { Component::deserialize(&self.engine, &compiled) } {
                return Ok(component);
            }
        }
        compiling(bytes.len());
        let component = Component::new(&self.engine, bytes)?;
        if let Some(cache) = &self.cache {
            cache.keep(&self.engine, &digest, &component.serialize()?);
        }
        Ok(component)
    }
}

/// Compiles a component ahead of time for a release, for any CPU of the target, not only the one at hand.
///
/// # Errors
/// The file cannot be read, is no plugin, or does not compile; the text names it.
pub fn precompile(file: &Path, target: &str) -> Result<Vec<u8>, String> {
    let failed = |why: String| format!("{}: {why}", file.display());
    let bytes = std::fs::read(file).map_err(|error| failed(error.to_string()))?;
    inspect(&bytes).map_err(|fault| PluginError::loading(file.display().to_string(), fault).to_string())?;
    let mut config = config();
    config.target(target).map_err(|error| failed(format!("{error:#}")))?;
    let engine = Engine::new(&config).map_err(|error| failed(format!("{error:#}")))?;
    engine.precompile_component(&bytes).map_err(|error| failed(format!("{error:#}")))
}

/// Everything that decides what compiled code looks like is set here, for this process and for code compiled ahead of time.
fn config() -> Config {
    let mut config = Config::new();
    config.consume_fuel(true);
    // A trap is reported as one line; nobody reads a backtrace of wasm offsets.
    config.wasm_backtrace_max_frames(None);
    config
}

fn link(linker: &mut Linker<GuestState>) -> wasmtime::Result<()> {
    // WASI 0.2 for guests of other toolchains; the context of each instance grants nothing.
    wasmtime_wasi::p2::add_to_linker_async(linker)?;
    type State = HasSelf<GuestState>;
    plugin::types::add_to_linker::<_, State>(linker, |state| state)?;
    plugin::host::add_to_linker::<_, State>(linker, |state| state)?;
    plugin::exchange::add_to_linker::<_, State>(linker, |state| state)?;
    plugin::agent::add_to_linker::<_, State>(linker, |state| state)?;
    plugin::webhook::add_to_linker::<_, State>(linker, |state| state)?;
    plugin::stimuli::add_to_linker::<_, State>(linker, |state| state)?;
    plugin::tasks::add_to_linker::<_, State>(linker, |state| state)
}

/// The cause without the engine's framing.
fn first_line(error: &wasmtime::Error) -> String {
    let text = format!("{error:#}");
    super::log::cut(text.lines().next().unwrap_or_default(), super::plugin::MAX_CAUSE)
}

/// How much fuel a guest uses before it yields.
pub(super) fn yield_interval() -> Option<u64> {
    Some(YIELD_INTERVAL)
}
