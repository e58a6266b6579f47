use snapbox::{assert_data_eq, str};

use super::{codes, contract, report};
use crate::a2a::Binding;

fn pack(members: &str) -> String {
    format!("version: 1\nagent: {{url: http://h}}\npacks:\n  - use: core\n{members}")
}

#[test]
fn a_pack_with_everything() {
    let contract = contract(&pack(
        "    categories: [send, stream]\n    contracts: send.completed\n    transports: [GRPC, JSONRPC]\n    stimuli:\n      echo: say \
         ${THREE}\n      data:\n        parts: [{data: {a: 1}}, {text: x}]\n        metadata: {k: [1]}\n        extensions: [urn:a]\n        \
         expect_text: done\n      ask: {text: q}\nplugins: [shout.wasm, ./more.wasm]\n",
    ));
    let pack = &contract.packs[0];
    assert_eq!(pack.pack.value, "core");
    assert_eq!(pack.categories.iter().map(|c| c.value.as_str()).collect::<Vec<_>>(), ["send", "stream"]);
    assert_eq!(pack.contracts[0].value, "send.completed");
    assert_eq!(pack.transports.iter().map(|t| t.value).collect::<Vec<_>>(), [Binding::Grpc, Binding::JsonRpc]);
    let roles: Vec<_> = pack.stimuli.iter().map(|(role, _)| role.value.as_str()).collect();
    assert_eq!(roles, ["echo", "data", "ask"]);
    assert_eq!(pack.stimuli[0].1.parts[0].to_json(), serde_json::json!({"text": "say 3"}));
    let data = &pack.stimuli[1].1;
    assert_eq!(data.parts.len(), 2);
    assert_eq!(serde_json::Value::from(data.metadata.clone().unwrap()), serde_json::json!({"k": [1]}));
    assert_eq!(data.extensions[0].value, "urn:a");
    assert_eq!(data.expect_text.as_deref(), Some("done"));
    assert_eq!(contract.plugins.iter().map(|p| p.value.as_str()).collect::<Vec<_>>(), ["shout.wasm", "./more.wasm"]);
}

#[test]
fn what_packs_refuse() {
    assert_data_eq!(
        report("version: 1\nagent: {url: http://h}\npacks: [{uses: core}]\n"),
        str![[r#"
error[unknown-key]: unknown key `uses`
 --> contract.yaml:3:10
  |
3 | packs: [{uses: core}]
  |          ^^^^ not a key of a pack
  |
  = help: did you mean `use`?
  = note: known keys: `use`, `categories`, `contracts`, `stimuli`, `transports`
"#]]
    );
    assert_eq!(codes("version: 1\nagent: {url: http://h}\npacks: core\n"), ["wrong-type 3:8"]);
    for (members, expected) in [
        ("    transports: [http]\n", "transport 5:18"),
        ("    transports: [GRPC, GRPC]\n", "duplicate-transport 5:24"),
        ("    transports: auto\n", "transport 5:17"),
        ("    stimuli: []\n", "wrong-type 5:14"),
        ("    stimuli: {echo: 5}\n", "wrong-type 5:21"),
        ("    stimuli: {echo: ''}\n", "length 5:21"),
        ("    stimuli: {echo: {}}\n", "missing-key 5:21"),
        ("    stimuli: {echo: {text: a, parts: []}}\n", "stimulus-shape 5:31"),
        ("    stimuli: {echo: {parts: []}}\n", "length 5:29"),
        ("    stimuli: {echo: {parts: [a]}}\n", "wrong-type 5:30"),
        ("    stimuli: {echo: {text: a, metadata: 1}}\n", "wrong-type 5:41"),
        ("    stimuli: {echo: {text: a, extensions: [x]}}\n", "extension-uri 5:44"),
        ("    stimuli: {echo: {text: a, expect: x}}\n", "unknown-key 5:31"),
        ("    stimuli: {echo: {parts: [{data: yes}]}}\n", "yaml-1.1 5:37"),
        ("    categories: {}\n", "wrong-type 5:17"),
        ("    contracts: [1]\n", "wrong-type 5:17"),
    ] {
        assert_eq!(codes(&pack(members)), [expected], "{members}");
    }
}
