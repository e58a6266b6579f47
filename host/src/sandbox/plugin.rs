use std::sync::Arc;
use std::time::Duration;

use wasmtime::component::InstancePre;
use wasmtime::{Store, Trap};

use super::bindings::exports::a2a_host::plugin::{assertions, contracts, extensions};
use super::engine::yield_interval;
use super::error::{Fault, PluginError};
use super::inspect::{Inspection, Kind};
use super::limits::Limits;
use super::state::{GuestState, Refused, Role};

/// A plugin that is compiled and linked; instances are made from it. Cheap to clone.
#[derive(Clone)]
pub struct Plugin {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    label: String,
    pre: InstancePre<GuestState>,
    inspection: Inspection,
    limits: Arc<Limits>,
    pub(super) assertions: Option<assertions::GuestIndices>,
    pub(super) contracts: Option<contracts::GuestIndices>,
    pub(super) extensions: Option<extensions::GuestIndices>,
}

impl Plugin {
    pub(super) fn new(
        label: String,
        pre: InstancePre<GuestState>,
        inspection: Inspection,
        limits: Limits,
    ) -> Result<Plugin, PluginError> {
        let has = |kind| inspection.kinds.contains(&kind);
        let unfit = |error: wasmtime::Error| PluginError::unfit(&label, &error);
        let assertions =
            has(Kind::Assertions).then(|| assertions::GuestIndices::new(&pre)).transpose().map_err(unfit)?;
        let contracts = has(Kind::Contracts).then(|| contracts::GuestIndices::new(&pre)).transpose().map_err(unfit)?;
        let extensions =
            has(Kind::Extensions).then(|| extensions::GuestIndices::new(&pre)).transpose().map_err(unfit)?;
        let limits = Arc::new(limits);
        Ok(Plugin { inner: Arc::new(Inner { label, pre, inspection, limits, assertions, contracts, extensions }) })
    }

    /// Name and version, for messages.
    pub fn label(&self) -> &str {
        &self.inner.label
    }

    /// What it exports.
    pub fn kinds(&self) -> &[Kind] {
        &self.inner.inspection.kinds
    }

    /// What its instances may use.
    pub fn limits(&self) -> &Limits {
        &self.inner.limits
    }

    /// The same plugin under other limits.
    pub fn with_limits(&self, limits: Limits) -> Plugin {
        let inner = &self.inner;
        Plugin {
            inner: Arc::new(Inner {
                label: inner.label.clone(),
                pre: inner.pre.clone(),
                inspection: inner.inspection.clone(),
                limits: Arc::new(limits),
                assertions: inner.assertions.clone(),
                contracts: inner.contracts.clone(),
                extensions: inner.extensions.clone(),
            }),
        }
    }

    /// It works, but not as this program needs it.
    pub(crate) fn unusable(&self, why: impl Into<String>) -> PluginError {
        PluginError::loading(self.label(), Fault::Nonsense(why.into()))
    }

    /// It was asked for what it does not export.
    pub(super) fn lacks(&self, kind: Kind) -> PluginError {
        let exports: Vec<&str> = self.kinds().iter().map(|kind| kind.interface()).collect();
        let why = format!("it exports {}, not {}", exports.join(" and "), kind.interface());
        PluginError::loading(self.label(), Fault::Unloadable(why))
    }

    /// Its functions have other types than the interface says.
    pub(super) fn unfit(&self, error: &wasmtime::Error) -> PluginError {
        PluginError::unfit(self.label(), error)
    }

    /// Makes an instance and drops it again, to see whether the plugin starts and to measure how long that takes.
    ///
    /// # Errors
    /// It does not start within its limits.
    pub async fn try_start(&self) -> Result<(), PluginError> {
        self.instantiate().await.map(drop)
    }

    /// Makes a fresh instance.
    pub(super) async fn instantiate(&self) -> Result<Instance, PluginError> {
        let limits = self.inner.limits.clone();
        let mut store = Store::new(self.inner.pre.engine(), GuestState::new(&self.inner.label, limits.clone()));
        store.limiter(|state| &mut state.meter);
        store.set_hostcall_fuel(limits.transfer);
        let prepared =
            store.set_fuel(limits.start_fuel).and_then(|()| store.fuel_async_yield_interval(yield_interval()));
        let starting = async {
            prepared?;
            self.inner.pre.instantiate_async(&mut store).await
        };
        let Ok(started) = tokio::time::timeout(limits.deadline, starting).await else {
            return Err(self.late(None, limits.deadline));
        };
        match started {
            Ok(instance) => Ok(Instance { plugin: self.clone(), store, instance }),
            Err(error) => Err(self.explain(None, limits.start_fuel, &store, &error)),
        }
    }

    fn late(&self, function: Option<&'static str>, deadline: Duration) -> PluginError {
        PluginError { plugin: self.inner.label.clone(), function, fault: Fault::Deadline(deadline) }
    }

    /// Turns what wasmtime says into our words.
    fn explain(
        &self,
        function: Option<&'static str>,
        fuel: u64,
        store: &Store<GuestState>,
        error: &wasmtime::Error,
    ) -> PluginError {
        let state = store.data();
        let trap = error.downcast_ref::<Trap>().copied();
        // A guest that is refused memory goes on to trap with something else, so what was refused counts first.
        let fault = match (state.meter.refused, trap) {
            (Some(Refused::Memory(wanted)), _) => Fault::Memory { wanted, limit: state.meter.memory_limit },
            (Some(Refused::Elements(wanted)), _) => {
                Fault::Items(format!("{wanted} table elements, the limit is {}", state.meter.elements_limit))
            }
            (None, Some(Trap::OutOfFuel)) => Fault::Fuel(fuel),
            (None, Some(Trap::StackOverflow)) => Fault::Trap("it ran out of stack (too deep a recursion)".into()),
            (None, Some(trap)) => match state.last_error() {
                // The panic hook of the SDK sends place and message on two lines.
                Some(message) => Fault::Trap(message.replace("\\n", " ")),
                None => Fault::Trap(trap.to_string().trim_start_matches("wasm trap: ").to_owned()),
            },
            (None, None) => self.explain_host_error(error),
        };
        PluginError { plugin: self.inner.label.clone(), function, fault }
    }

    /// Errors that are no trap of wasm: raised by the host's own imports, or by wasmtime while it read what the guest
    /// handed over.
    fn explain_host_error(&self, error: &wasmtime::Error) -> Fault {
        let cause = super::log::cut(&error.root_cause().to_string(), MAX_CAUSE).replace('\n', " ");
        if cause.contains("fuel allocated for hostcalls") {
            return Fault::Transfer(self.inner.limits.transfer);
        }
        if cause.contains("resource limit exceeded") {
            return Fault::Items(format!("too many instances, memories or tables: {cause}"));
        }
        Fault::Trap(cause)
    }
}

/// Characters of the engine's own words: a line or two.
pub(super) const MAX_CAUSE: usize = 300;

/// A live instance. After an error it is dropped: a call that was cut off leaves it unusable.
pub(super) struct Instance {
    plugin: Plugin,
    pub(super) store: Store<GuestState>,
    pub(super) instance: wasmtime::component::Instance,
}

impl Instance {
    /// Runs one exported function: sets the part the instance plays and its budget. The deadline is for what waits: even a
    /// description may, through WASI's clocks.
    pub(super) async fn call<T>(
        &mut self,
        function: &'static str,
        role: Role,
        deadline: Duration,
        call: impl AsyncFnOnce(&mut Store<GuestState>, &wasmtime::component::Instance) -> wasmtime::Result<T>,
    ) -> Result<T, PluginError> {
        let limits = self.plugin.inner.limits.clone();
        self.store.data_mut().begin_call(role);
        if let Err(error) = self.store.set_fuel(limits.fuel) {
            return Err(self.plugin.explain(Some(function), limits.fuel, &self.store, &error));
        }
        let running = call(&mut self.store, &self.instance);
        let Ok(result) = tokio::time::timeout(deadline, running).await else {
            return Err(self.plugin.late(Some(function), deadline));
        };
        self.store.data_mut().role = Role::Idle;
        result.map_err(|error| self.plugin.explain(Some(function), limits.fuel, &self.store, &error))
    }

    /// Refuses a description that offers the same thing twice, or something without a name. `what` is the noun for it.
    pub(super) fn unique<'a>(&self, what: &str, names: impl IntoIterator<Item = &'a str>) -> Result<(), PluginError> {
        let mut seen = std::collections::HashSet::new();
        match names.into_iter().find(|name| name.is_empty() || !seen.insert(*name)) {
            Some(name) => Err(self.nonsense("describe", format!("offers the {what} `{name}` twice or without a name"))),
            None => Ok(()),
        }
    }

    /// An answer that makes no sense.
    pub(super) fn nonsense(&self, function: &'static str, why: impl Into<String>) -> PluginError {
        PluginError {
            plugin: self.plugin.inner.label.clone(),
            function: Some(function),
            fault: Fault::Nonsense(why.into()),
        }
    }
}
