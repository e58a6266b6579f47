use std::time::Duration;

use super::bindings::exports::a2a_host::plugin::contracts::Guest;
use super::convert;
use super::error::PluginError;
use super::inspect::Kind;
use super::plugin::{Instance, Plugin};
use super::state::{PackPorts, Role};
use super::verdict::{PackInfo, Verdict};

/// What the pack holds.
///
/// # Errors
/// The plugin broke, or describes something that makes no sense.
pub async fn describe_pack(plugin: &Plugin) -> Result<PackInfo, PluginError> {
    let (mut instance, guest) = start(plugin).await?;
    let pack = instance
        .call("describe", Role::Idle, plugin.limits().deadline, async |store, _| guest.call_describe(store).await)
        .await?;
    let info = convert::pack_info(pack, plugin.limits());
    instance.unique("contract", info.contracts.iter().map(|contract| contract.id.as_str()))?;
    Ok(info)
}

/// Runs one contract in a fresh instance. The inner error is the pack's own sentence saying why it could not judge.
///
/// # Errors
/// The plugin broke, or took longer than `deadline`.
pub async fn verify_contract(
    plugin: &Plugin,
    id: &str,
    ports: PackPorts,
    deadline: Duration,
) -> Result<Result<Verdict, String>, PluginError> {
    let (mut instance, guest) = start(plugin).await?;
    let answer = instance
        .call("verify", Role::Pack(ports), deadline, async |store, _| guest.call_verify(store, id).await)
        .await?;
    let limits = plugin.limits();
    Ok(answer.map(|verdict| convert::verdict(verdict, limits)).map_err(|why| super::log::cut(&why, limits.text)))
}

async fn start(plugin: &Plugin) -> Result<(Instance, Guest), PluginError> {
    let indices = plugin.inner.contracts.as_ref().ok_or_else(|| plugin.lacks(Kind::Contracts))?;
    let mut instance = plugin.instantiate().await?;
    let guest = indices.load(&mut instance.store, &instance.instance).map_err(|error| plugin.unfit(&error))?;
    Ok((instance, guest))
}
