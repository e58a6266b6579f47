use std::path::Path;

use super::Loader;
use crate::sandbox::{AssertionInfo, AssertionSession, PackInfo, Plugin, PluginError, describe_pack};

/// A pack that was loaded.
#[derive(Clone)]
pub struct Pack {
    /// What it says of itself.
    pub info: PackInfo,
    /// The plugin it lives in.
    pub plugin: Plugin,
}

/// A check of the catalogue.
#[derive(Clone, Copy)]
pub struct CheckRef<'a> {
    /// What it is.
    pub info: &'a AssertionInfo,
    /// Index of its plugin, for [`Catalogue::plugin`].
    pub plugin: usize,
}

/// What the loaded plugins offer to contracts: the bundled assertions first, then those of further plugins in order.
#[derive(Clone, Default)]
pub struct Catalogue {
    plugins: Vec<Plugin>,
    checks: Vec<(usize, AssertionInfo)>,
    /// How many checks are keys of `expect`: those of the bundled plugin.
    bundled: usize,
}

impl Catalogue {
    /// Loads the bundled assertions.
    ///
    /// # Errors
    /// They are not there, or broken.
    pub async fn open(loader: &Loader) -> Result<Catalogue, PluginError> {
        let mut catalogue = Catalogue::default();
        catalogue.add(loader, "assertions", Path::new(".")).await?;
        catalogue.bundled = catalogue.checks.len();
        Ok(catalogue)
    }

    /// Loads a further plugin of assertions.
    ///
    /// # Errors
    /// It is not there, broken, or exports no assertions.
    pub async fn add(&mut self, loader: &Loader, reference: &str, folder: &Path) -> Result<(), PluginError> {
        let plugin = loader.load(reference, folder).await?;
        let infos = AssertionSession::new(&plugin).describe().await?;
        let index = self.plugins.len();
        self.plugins.push(plugin);
        self.checks.extend(infos.into_iter().map(|info| (index, info)));
        Ok(())
    }

    /// The names that may stand as keys of `expect`, in the order in which their findings are reported.
    pub fn expect_keys(&self) -> impl Iterator<Item = &str> {
        self.checks[..self.bundled].iter().map(|(_, info)| info.name.as_str())
    }

    /// The check behind a key of `expect`.
    pub fn expect_check(&self, key: &str) -> Option<CheckRef<'_>> {
        find(&self.checks[..self.bundled], key)
    }

    /// The check that `expect.checks` names. Among plugins the first one wins.
    pub fn check(&self, name: &str) -> Option<CheckRef<'_>> {
        find(&self.checks[self.bundled..], name).or_else(|| self.expect_check(name))
    }

    /// The names that `use:` may have.
    pub fn check_names(&self) -> impl Iterator<Item = &str> {
        self.checks.iter().map(|(_, info)| info.name.as_str())
    }

    /// The plugin with that index.
    pub fn plugin(&self, index: usize) -> &Plugin {
        &self.plugins[index]
    }

    /// How many plugins there are.
    pub fn plugin_count(&self) -> usize {
        self.plugins.len()
    }
}

fn find<'a>(checks: &'a [(usize, AssertionInfo)], name: &str) -> Option<CheckRef<'a>> {
    checks.iter().find(|(_, info)| info.name == name).map(|(plugin, info)| CheckRef { info, plugin: *plugin })
}

impl Pack {
    /// Loads a pack.
    ///
    /// # Errors
    /// It is not there, broken, or exports no contracts.
    pub async fn open(loader: &Loader, reference: &str, folder: &Path) -> Result<Pack, PluginError> {
        let plugin = loader.load(reference, folder).await?;
        let info = describe_pack(&plugin).await?;
        Ok(Pack { info, plugin })
    }
}
