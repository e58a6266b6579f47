use std::sync::Arc;

use super::bindings::exports::a2a_host::plugin::assertions::Guest;
use super::convert;
use super::error::PluginError;
use super::inspect::Kind;
use super::plugin::{Instance, Plugin};
use super::state::Role;
use super::verdict::{AssertionInfo, ConfigProblem, Finding, ObservedTurn};

/// Judges turns with one plugin: an instance of its own, and the configs prepared in it. One is made per scenario and
/// worker, so that nothing leaks from case to case.
pub struct AssertionSession {
    plugin: Plugin,
    configs: Vec<(String, String)>,
    live: Option<Live>,
}

struct Live {
    instance: Instance,
    guest: Guest,
    /// The guest's handle for each config that was prepared in this instance.
    handles: Vec<Option<u32>>,
}

impl AssertionSession {
    /// Makes no instance yet: that happens with the first call.
    pub fn new(plugin: &Plugin) -> AssertionSession {
        AssertionSession { plugin: plugin.clone(), configs: Vec::new(), live: None }
    }

    /// What the plugin offers.
    ///
    /// # Errors
    /// The plugin broke, or offers something that makes no sense.
    pub async fn describe(&mut self) -> Result<Vec<AssertionInfo>, PluginError> {
        let limits = self.plugin.limits().clone();
        let live = self.live().await?;
        let guest = live.guest.clone();
        let answer = live
            .instance
            .call("describe", Role::Idle, limits.deadline, async |store, _| guest.call_describe(store).await)
            .await;
        let Ok(list) = answer else {
            self.live = None;
            return answer.map(|_| Vec::new());
        };
        let infos: Vec<AssertionInfo> =
            list.into_iter().map(|assertion| convert::assertion_info(assertion, &limits)).collect();
        live.instance.unique("check", infos.iter().map(|info| info.name.as_str()))?;
        Ok(infos)
    }

    /// Prepares a config. The answer is an index for [`AssertionSession::evaluate`], or what is wrong with the config.
    ///
    /// # Errors
    /// The plugin broke.
    pub async fn prepare(
        &mut self,
        name: &str,
        config: &str,
    ) -> Result<Result<usize, Vec<ConfigProblem>>, PluginError> {
        self.configs.push((name.to_owned(), config.to_owned()));
        let index = self.configs.len() - 1;
        match self.handle(index).await? {
            Ok(_) => Ok(Ok(index)),
            Err(problems) => {
                self.configs.pop();
                Ok(Err(problems))
            }
        }
    }

    /// Judges a turn with a prepared config. No finding means that the check passed; the inner error is the plugin's own
    /// sentence saying why it could not judge. After an outer error the next call works with a fresh instance.
    ///
    /// # Errors
    /// The plugin broke.
    pub async fn evaluate(
        &mut self,
        prepared: usize,
        turn: &Arc<ObservedTurn>,
    ) -> Result<Result<Vec<Finding>, String>, PluginError> {
        let limits = self.plugin.limits().clone();
        let handle = match self.handle(prepared).await? {
            Ok(handle) => handle,
            Err(problems) => {
                let why = problems.first().map_or("a problem without words", |problem| problem.message.as_str());
                return Ok(Err(format!("it no longer accepts the config it accepted before: {why}")));
            }
        };
        let live = self.live().await?;
        let guest = live.guest.clone();
        let data = convert::turn_to(turn);
        let role = Role::Turn(turn.clone());
        let answer = live
            .instance
            .call("evaluate", role, limits.deadline, async |store, _| guest.call_evaluate(store, handle, &data).await)
            .await;
        match answer {
            Ok(answer) => Ok(answer
                .map(|findings| convert::findings_from(findings, &limits))
                .map_err(|why| super::log::cut(&why, limits.text))),
            Err(error) => {
                self.live = None;
                Err(error)
            }
        }
    }

    /// The guest's handle for a config, prepared in the live instance if it is not yet.
    async fn handle(&mut self, index: usize) -> Result<Result<u32, Vec<ConfigProblem>>, PluginError> {
        let limits = self.plugin.limits().clone();
        let Some((name, config)) = self.configs.get(index).cloned() else {
            return Err(self.plugin.unusable(format!("no config was prepared with the index {index}")));
        };
        let live = self.live().await?;
        if let Some(Some(handle)) = live.handles.get(index) {
            return Ok(Ok(*handle));
        }
        let guest = live.guest.clone();
        let answer = live
            .instance
            .call("prepare", Role::Idle, limits.deadline, async |store, _| {
                guest.call_prepare(store, &name, &config).await
            })
            .await;
        match answer {
            Ok(Ok(handle)) => {
                live.handles.resize(live.handles.len().max(index + 1), None);
                live.handles[index] = Some(handle);
                Ok(Ok(handle))
            }
            Ok(Err(problems)) => Ok(Err(convert::config_problems(problems, &limits))),
            Err(error) => {
                self.live = None;
                Err(error)
            }
        }
    }

    async fn live(&mut self) -> Result<&mut Live, PluginError> {
        if self.live.is_none() {
            let indices = self.plugin.inner.assertions.as_ref().ok_or_else(|| self.plugin.lacks(Kind::Assertions))?;
            let mut instance = self.plugin.instantiate().await?;
            let guest =
                indices.load(&mut instance.store, &instance.instance).map_err(|error| self.plugin.unfit(&error))?;
            self.live = Some(Live { instance, guest, handles: Vec::new() });
        }
        match &mut self.live {
            Some(live) => Ok(live),
            None => unreachable!("made above"),
        }
    }
}
