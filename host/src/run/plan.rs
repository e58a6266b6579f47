//! Contract + catalogue → plan: names and configs resolved, packs selected. Everything that can be known without an agent
//! is known afterwards; this is all of `a2a-host check`.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

use crate::a2a::Binding;
use crate::contract::{Assertion, Contract, Diagnostic, PackUse, PassRate, Scenario, Span, Turn};
use crate::plugin::{Catalogue, CheckRef, Pack};
use crate::run::stimuli::Stimuli;
use crate::sandbox::{AssertionSession, ContractInfo, PluginError};
use crate::secrets::Redactor;

/// What will be run.
pub struct Plan {
    /// For the whole of a turn and for every single request.
    pub timeout: Duration,
    /// The scenarios of the file.
    pub scenarios: Vec<PlannedScenario>,
    /// The packs.
    pub packs: Vec<PlannedPack>,
    /// What the checks live in.
    pub catalogue: Catalogue,
    /// Hides secrets from guests and reports.
    pub redactor: Redactor,
}

/// A scenario whose checks are resolved.
pub struct PlannedScenario {
    /// Unique in the file.
    pub name: String,
    /// Repetitions.
    pub trials: u32,
    /// How many of them must pass.
    pub pass_rate: PassRate,
    /// What to do.
    pub turns: Vec<PlannedTurn>,
}

/// One operation and what its reply must be.
pub struct PlannedTurn {
    /// What to do.
    pub operation: TurnOperation,
    /// Values for `{{name}}` in what is sent; none are captured yet.
    pub variables: BTreeMap<String, Value>,
    /// In the order in which findings are reported.
    pub checks: Vec<PlannedCheck>,
    /// Where the turn stands.
    pub span: Span,
}

/// What a turn does.
pub enum TurnOperation {
    /// Sends a message.
    Send {
        /// A text part.
        message: Option<String>,
        /// Data parts behind it.
        data: Vec<Value>,
    },
}

/// A check with its config.
pub struct PlannedCheck {
    /// Index of the plugin in the catalogue.
    pub plugin: usize,
    /// The check's name.
    pub name: String,
    /// The config as JSON, secrets hidden.
    pub config: String,
    /// The config with places; the name alone where the contract does not have it.
    pub assertion: Option<Assertion>,
}

/// A pack and what of it to run.
pub struct PlannedPack {
    /// The pack.
    pub pack: Pack,
    /// The contracts selected, in the pack's order.
    pub contracts: Vec<ContractInfo>,
    /// Bindings to run over; empty for all that the agent offers.
    pub transports: Vec<Binding>,
    /// What the user says of the agent's behaviours.
    pub stimuli: Stimuli,
}

impl Plan {
    /// How many cases there are, a pack's contracts counted once.
    pub fn cases(&self) -> usize {
        self.scenarios.len() + self.packs.iter().map(|pack| pack.contracts.len()).sum::<usize>()
    }
}

/// Resolves a contract. `packs` are the packs of `contract.packs`, loaded.
///
/// # Errors
/// A plugin broke. What is wrong with the contract comes back as diagnostics; the plan may only be run without errors.
pub async fn plan(
    contract: &Contract,
    catalogue: Catalogue,
    packs: Vec<(Pack, &PackUse)>,
    redactor: Redactor,
) -> Result<(Plan, Vec<Diagnostic>), PluginError> {
    let mut resolver = Resolver::new(&catalogue, &redactor);
    let mut scenarios = Vec::with_capacity(contract.scenarios.len());
    for scenario in &contract.scenarios {
        scenarios.push(resolver.scenario(scenario).await?);
    }
    let mut diagnostics = resolver.diagnostics;
    let planned = packs.into_iter().map(|(pack, used)| select(pack, used, &redactor, &mut diagnostics));
    let packs = planned.collect();
    if let Some(transport) =
        contract.agent.transport.as_ref().filter(|transport| !crate::client::speaks(transport.value))
    {
        let message = format!("this version does not speak {} yet", transport.value);
        diagnostics
            .push(Diagnostic::error("not-supported-yet", message).at(transport.span).help("leave `transport` out"));
    }
    // What stands in the file may hold a secret that the environment put there.
    for diagnostic in &mut diagnostics {
        diagnostic.map_texts(|text| *text = redactor.redact_message(text));
    }
    Ok((Plan { timeout: contract.agent.timeout, scenarios, packs, catalogue, redactor }, diagnostics))
}

/// Resolves names and has every config read by its plugin once. One session per plugin serves the whole file.
struct Resolver<'a> {
    catalogue: &'a Catalogue,
    redactor: &'a Redactor,
    sessions: Vec<AssertionSession>,
    /// Configs that were read already: the same text needs no second reading.
    accepted: std::collections::HashSet<(usize, String, String)>,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Resolver<'a> {
    fn new(catalogue: &'a Catalogue, redactor: &'a Redactor) -> Self {
        let sessions =
            (0..catalogue.plugin_count()).map(|index| AssertionSession::new(catalogue.plugin(index))).collect();
        Resolver { catalogue, redactor, sessions, accepted: Default::default(), diagnostics: Vec::new() }
    }

    async fn scenario(&mut self, scenario: &Scenario) -> Result<PlannedScenario, PluginError> {
        let mut turns = Vec::with_capacity(scenario.turns.len());
        for turn in &scenario.turns {
            turns.push(self.turn(turn).await?);
        }
        Ok(PlannedScenario {
            name: self.redactor.redact_str(&scenario.name.value).into_owned(),
            trials: scenario.trials,
            pass_rate: scenario.pass_rate,
            turns,
        })
    }

    async fn turn(&mut self, turn: &Turn) -> Result<PlannedTurn, PluginError> {
        let catalogue = self.catalogue;
        let mut checks = Vec::new();
        // The order of the report is that of the catalogue, not that of the file.
        for key in catalogue.expect_keys() {
            let assertion = turn.expect.assertions.iter().find(|assertion| assertion.name.value == key);
            // A failure state fails a turn even where nothing is expected, so `state` is judged always.
            if assertion.is_none() && key != "state" {
                continue;
            }
            if let Some(check) = catalogue.expect_check(key) {
                checks.push(self.check(check, assertion).await?);
            }
        }
        for assertion in &turn.expect.assertions {
            if catalogue.expect_check(&assertion.name.value).is_none() {
                self.diagnostics.push(unknown_key(assertion, catalogue));
            }
        }
        for assertion in &turn.expect.checks {
            match catalogue.check(&assertion.name.value) {
                Some(check) => checks.push(self.check(check, Some(assertion)).await?),
                None => self.diagnostics.push(unknown_check(assertion, catalogue)),
            }
        }
        let operation = TurnOperation::Send {
            message: turn.message.as_ref().map(|message| message.value.clone()),
            data: turn.data.iter().map(|value| value.to_json()).collect(),
        };
        Ok(PlannedTurn { operation, variables: BTreeMap::new(), checks, span: turn.span })
    }

    async fn check(&mut self, check: CheckRef<'_>, assertion: Option<&Assertion>) -> Result<PlannedCheck, PluginError> {
        let mut config = assertion.map_or(Value::Null, Assertion::config_json);
        if let Some(assertion) = assertion {
            for pointer in secret_places(&config, self.redactor) {
                // What must not be there may be a secret: it is masked on both sides, and a masked reply only fails more.
                if check.info.name == "text" && pointer.starts_with("/not_contains") {
                    continue;
                }
                let name = &check.info.name;
                let message =
                    format!("the config of `{name}` holds a secret, which would be masked and mean something else");
                let help = "expect something without the value of a variable that `headers` uses; only `text: {not_contains: …}` may hold one";
                self.diagnostics
                    .push(Diagnostic::error("secret-in-check", message).at(assertion.at(&pointer)).help(help));
            }
        }
        self.redactor.redact_json(&mut config);
        let config = config.to_string();
        let known = (check.plugin, check.info.name.clone(), config.clone());
        if !self.accepted.contains(&known) {
            match self.sessions[check.plugin].prepare(&check.info.name, &config).await? {
                Ok(_) => {
                    self.accepted.insert(known);
                }
                Err(problems) => {
                    let plugin = self.catalogue.plugin(check.plugin).label();
                    for problem in problems {
                        let mut diagnostic = Diagnostic::error("check-config", problem.message);
                        diagnostic.span = assertion.map(|assertion| assertion.at(&problem.path));
                        diagnostic.help = problem.help;
                        if assertion.is_none() {
                            diagnostic =
                                diagnostic.note(format!("said by the check `{}` of {plugin}", check.info.name));
                        }
                        self.diagnostics.push(diagnostic);
                    }
                }
            }
        }
        Ok(PlannedCheck { plugin: check.plugin, name: check.info.name.clone(), config, assertion: assertion.cloned() })
    }
}

/// JSON Pointers to every text, number and key of a config that holds a secret.
fn secret_places(config: &Value, redactor: &Redactor) -> Vec<String> {
    let held = |text: &str| matches!(redactor.redact_str(text), std::borrow::Cow::Owned(_));
    let below = |step: String, value: &Value| -> Vec<String> {
        secret_places(value, redactor).into_iter().map(|rest| format!("/{step}{rest}")).collect()
    };
    match config {
        Value::Null | Value::Bool(_) => Vec::new(),
        Value::Number(number) => {
            if held(&number.to_string()) {
                vec![String::new()]
            } else {
                Vec::new()
            }
        }
        Value::String(text) => {
            if held(text) {
                vec![String::new()]
            } else {
                Vec::new()
            }
        }
        Value::Array(items) => {
            items.iter().enumerate().flat_map(|(index, item)| below(index.to_string(), item)).collect()
        }
        Value::Object(members) => members
            .iter()
            .flat_map(|(key, value)| {
                let step = key.replace('~', "~0").replace('/', "~1");
                if held(key) { vec![format!("/{step}")] } else { below(step, value) }
            })
            .collect(),
    }
}

fn unknown_key(assertion: &Assertion, catalogue: &Catalogue) -> Diagnostic {
    let name = &assertion.name.value;
    let known: Vec<&str> = catalogue.expect_keys().chain(["checks"]).collect();
    let help = match catalogue.check(name) {
        Some(_) => format!("a check of a plugin stands under `checks`: `- use: {name}`"),
        None => crate::contract::suggest(name, &known),
    };
    Diagnostic::error("unknown-key", format!("unknown key `{name}` in `expect`")).at(assertion.name.span).help(help)
}

fn unknown_check(assertion: &Assertion, catalogue: &Catalogue) -> Diagnostic {
    let name = &assertion.name.value;
    let known: Vec<&str> = catalogue.check_names().collect();
    Diagnostic::error("unknown-check", format!("no loaded plugin offers the check `{name}`"))
        .at(assertion.name.span)
        .help(crate::contract::suggest(name, &known))
        .note("plugins are loaded with the key `plugins`, a list of files")
}

/// Selects what of a pack to run.
fn select(pack: Pack, used: &PackUse, redactor: &Redactor, diagnostics: &mut Vec<Diagnostic>) -> PlannedPack {
    let all = &pack.info.contracts;
    let before = diagnostics.len();
    for category in &used.categories {
        if !all.iter().any(|contract| contract.category == category.value) {
            let mut known: Vec<&str> = all.iter().map(|contract| contract.category.as_str()).collect();
            known.sort_unstable();
            known.dedup();
            let message = format!("pack {} has no category `{}`", pack.info.name, category.value);
            let help = crate::contract::suggest(&category.value, &known);
            diagnostics.push(Diagnostic::error("unknown-category", message).at(category.span).help(help));
        }
    }
    for id in &used.contracts {
        if !all.iter().any(|contract| contract.id == id.value) {
            let known: Vec<&str> = all.iter().map(|contract| contract.id.as_str()).collect();
            let message = format!("pack {} has no contract `{}`", pack.info.name, id.value);
            let help = crate::contract::suggest(&id.value, &known);
            diagnostics.push(Diagnostic::error("unknown-contract", message).at(id.span).help(help));
        }
    }
    let wanted = |list: &[crate::contract::Spanned<String>], name: &str| {
        list.is_empty() || list.iter().any(|entry| entry.value == name)
    };
    let contracts: Vec<ContractInfo> = all
        .iter()
        .filter(|contract| wanted(&used.categories, &contract.category) && wanted(&used.contracts, &contract.id))
        .cloned()
        .collect();
    // Unknown names were reported already.
    if contracts.is_empty() && diagnostics.len() == before {
        let message = format!(
            "nothing of pack {} is selected: no contract has one of the ids in one of the categories",
            pack.info.name
        );
        diagnostics.push(Diagnostic::error("nothing-selected", message).at(used.pack.span));
    }
    let stimuli = Stimuli::of_contract(used, redactor, diagnostics);
    let transports = used.transports.iter().map(|binding| binding.value).collect();
    PlannedPack { pack, contracts, transports, stimuli }
}
