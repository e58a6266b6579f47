//! Finds plugins, loads them, and says what they offer.
//!
//! ```text
//! reference ─ locate ─► bytes ─ Sandbox::load ─► Plugin ─ describe ─► Catalogue
//! ```
//!
//! A reference is the name of a bundled plugin (`core`) or a path to a `.wasm` file, taken from the folder of the contract
//! that names it.

mod bundled;
mod catalogue;
mod locate;

pub use catalogue::{Catalogue, CheckRef, Pack};
pub use locate::{Located, locate};

use std::path::Path;
use std::sync::Arc;

use crate::sandbox::{CompileCache, Fault, Plugin, PluginError, Sandbox, WasmExtension};

/// Called before a plugin is compiled, with its name and its size in bytes: that may take seconds.
pub type Compiling = Arc<dyn Fn(&str, usize) + Send + Sync>;

/// Loads plugins. Cheap to clone.
#[derive(Clone)]
pub struct Loader {
    sandbox: Sandbox,
    compiling: Compiling,
}

impl Loader {
    /// With the user's compile cache.
    ///
    /// # Errors
    /// The machine cannot run compiled code.
    pub fn new(compiling: Compiling) -> Result<Loader, PluginError> {
        Loader::with_cache(CompileCache::of_user(), compiling)
    }

    /// With another compile cache, or none.
    ///
    /// # Errors
    /// The machine cannot run compiled code.
    pub fn with_cache(cache: Option<CompileCache>, compiling: Compiling) -> Result<Loader, PluginError> {
        Ok(Loader { sandbox: Sandbox::new(cache)?, compiling })
    }

    /// Loads one plugin. `folder` is where relative paths start.
    ///
    /// # Errors
    /// It is not found, or cannot be loaded.
    pub async fn load(&self, reference: &str, folder: &Path) -> Result<Plugin, PluginError> {
        let (loader, reference, folder) = (self.clone(), reference.to_owned(), folder.to_owned());
        // Reading and compiling block, the latter for seconds.
        let loading = tokio::task::spawn_blocking(move || {
            let located = locate(&reference, &folder)?;
            let name = located.name.clone();
            let mut compiling = |bytes: usize| {
                tracing::info!("compiling plugin {name} ({} KiB), once", bytes.div_ceil(1024));
                (loader.compiling)(&name, bytes);
            };
            loader.sandbox.load(&located.name, &located.bytes, located.code(), &mut compiling)
        });
        match loading.await {
            Ok(loaded) => loaded,
            Err(stopped) => Err(PluginError::loading("(loader)", Fault::Unloadable(stopped.to_string()))),
        }
    }

    /// Loads an extension plugin for the dummy agent.
    ///
    /// # Errors
    /// It is not found, cannot be loaded, or exports no extensions.
    pub async fn extension(&self, reference: &str, folder: &Path) -> Result<WasmExtension, PluginError> {
        WasmExtension::open(&self.load(reference, folder).await?).await
    }
}
