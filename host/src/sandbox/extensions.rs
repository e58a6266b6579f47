use std::sync::Arc;
use std::time::Duration;

use wasmtime::component::Resource;

use super::bindings::exports::a2a_host::plugin::extensions::Guest;
use super::convert;
use super::error::PluginError;
use super::inspect::Kind;
use super::plugin::{Instance, Plugin};
use super::ports::{
    BoxFuture, Contribution, ExtensionHandler, ExtensionInfo, ExtensionRequest, HandlerError, TaskPort,
};
use super::state::{Role, TaskHandle};

/// A handled task may wait for its client; an hour is longer than any test waits.
const HANDLE_DEADLINE: Duration = Duration::from_secs(3600);

/// An extension plugin in the dummy agent: a fresh instance for each handled task.
pub struct WasmExtension {
    plugin: Plugin,
    extensions: Vec<ExtensionInfo>,
}

impl WasmExtension {
    /// Asks the plugin what it offers.
    ///
    /// # Errors
    /// The plugin broke, or offers something that makes no sense.
    pub async fn open(plugin: &Plugin) -> Result<WasmExtension, PluginError> {
        let (mut instance, guest) = start(plugin).await?;
        let described = instance
            .call("describe", Role::Idle, plugin.limits().deadline, async |store, _| guest.call_describe(store).await)
            .await?;
        let extensions: Result<Vec<ExtensionInfo>, String> =
            described.into_iter().map(convert::extension_info).collect();
        let extensions = extensions.map_err(|why| instance.nonsense("describe", format!("is wrong: {why}")))?;
        instance.unique("extension", extensions.iter().map(|extension| extension.uri.as_str()))?;
        Ok(WasmExtension { plugin: plugin.clone(), extensions })
    }

    async fn run(&self, uri: &str, request: &ExtensionRequest, task: Arc<dyn TaskPort>) -> Result<(), HandlerError> {
        let broken = |error: PluginError| HandlerError::Plugin(error.to_string());
        let (mut instance, guest) = start(&self.plugin).await.map_err(broken)?;
        let request = convert::request_to(request);
        let handle = TaskHandle::new(task, self.plugin.limits());
        let answer = instance
            .call("handle", Role::Task, HANDLE_DEADLINE, async |store, _| {
                let owned = store.data_mut().table.push(handle)?;
                let borrowed = Resource::new_borrow(owned.rep());
                let answer = guest.call_handle(&mut *store, uri, &request, borrowed).await;
                store.data_mut().table.delete(owned)?;
                answer
            })
            .await
            .map_err(broken)?;
        answer.map_err(|error| convert::handler_error(error, self.plugin.limits()))
    }

    async fn contribute(&self, uri: &str, request: &ExtensionRequest) -> Result<Contribution, String> {
        let broken = |error: PluginError| error.to_string();
        let (mut instance, guest) = start(&self.plugin).await.map_err(broken)?;
        let request = convert::request_to(request);
        let answer = instance
            .call("activate", Role::Idle, self.plugin.limits().deadline, async |store, _| {
                guest.call_activate(store, uri, &request).await
            })
            .await
            .map_err(broken)?;
        let label = self.plugin.label();
        let contribution =
            answer.map_err(|why| format!("plugin {label}: {}", super::log::cut(&why, self.plugin.limits().text)))?;
        convert::contribution(contribution)
            .map_err(|why| broken(instance.nonsense("activate", format!("is wrong: {why}"))))
    }
}

impl ExtensionHandler for WasmExtension {
    fn label(&self) -> String {
        self.plugin.label().to_owned()
    }

    fn extensions(&self) -> &[ExtensionInfo] {
        &self.extensions
    }

    fn handle<'a>(
        &'a self,
        uri: &'a str,
        request: ExtensionRequest,
        task: Arc<dyn TaskPort>,
    ) -> BoxFuture<'a, Result<(), HandlerError>> {
        Box::pin(async move { self.run(uri, &request, task).await })
    }

    fn activate<'a>(&'a self, uri: &'a str, request: ExtensionRequest) -> BoxFuture<'a, Result<Contribution, String>> {
        Box::pin(async move { self.contribute(uri, &request).await })
    }
}

async fn start(plugin: &Plugin) -> Result<(Instance, Guest), PluginError> {
    let indices = plugin.inner.extensions.as_ref().ok_or_else(|| plugin.lacks(Kind::Extensions))?;
    let mut instance = plugin.instantiate().await?;
    let guest = indices.load(&mut instance.store, &instance.instance).map_err(|error| plugin.unfit(&error))?;
    Ok((instance, guest))
}
