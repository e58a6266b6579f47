//! The portable contracts about A2A servers: one file per category; this one registers them.

mod card;
mod extension;
mod judgement;
mod replay;
mod request;
mod send;
mod shape;
mod stream;
#[cfg(test)]
mod test_support;

use a2a_host_sdk::pack::{Contract, Pack};

/// The pack `core`.
pub struct Core;

impl Pack for Core {
    const NAME: &'static str = "core";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    const DESCRIPTION: &'static str = "what every A2A 1.0 server keeps, whatever it is good for";

    fn contracts() -> Vec<Contract> {
        [card::contracts(), send::contracts(), stream::contracts(), extension::contracts()].concat()
    }
}

a2a_host_sdk::register_pack!(Core);

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn ids_are_unique_and_say_their_place() {
        let contracts = Core::contracts();
        let ids: HashSet<&str> = contracts.iter().map(|contract| contract.id).collect();
        assert_eq!(ids.len(), contracts.len());
        let all: Vec<(&str, &str)> = contracts.iter().map(|contract| (contract.id, contract.category)).collect();
        assert_eq!(
            all,
            [
                ("card.well-known", "agent-card"),
                ("card.required-fields", "agent-card"),
                ("send.completed", "send-message"),
                ("stream.sse-events", "streaming"),
                ("ext.negotiation-activates", "extensions"),
            ]
        );
        for contract in contracts {
            assert!(contract.spec.is_some_and(|section| section.starts_with('§')), "{}", contract.id);
            assert_eq!(contract.once_per_server, contract.category == "agent-card", "{}", contract.id);
        }
    }
}
