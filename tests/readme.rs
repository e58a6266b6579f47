//! The READMEs say what is so: the console block of README.md is what the program prints, its contract is the file, and the
//! behaviours of wit/README.md are those of the program.

mod support;

use a2a_host::run::BEHAVIOURS;
use support::{ContractFile, Dummy, finish, root, run, steady};

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

/// The fenced blocks of a language.
fn blocks<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    let fence = format!("```{language}\n");
    text.split(fence.as_str()).skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

#[test]
fn the_console_block_is_what_the_program_prints() {
    let readme = read("README.md");
    let block = blocks(&readme, "console").into_iter().find(|block| block.contains("$ a2a-host run")).unwrap();
    let (command, printed) = block.split_once('\n').unwrap();
    let arguments: Vec<&str> = command.strip_prefix("$ a2a-host ").unwrap().split(' ').collect();
    let dummy = Dummy::start();
    let outcome = run(&[&arguments[..], &["--url", dummy.url()]].concat());
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert_eq!(steady(printed), steady(&outcome.stdout));
}

#[test]
fn the_contract_is_the_file() {
    let readme = read("README.md");
    assert_eq!(blocks(&readme, "yaml")[0], read("examples/hello/contract.yaml"));
    assert!(readme.lines().count() <= 120);
}

#[test]
fn the_plugin_is_the_one_that_the_sdk_tests() {
    let sdk = read("guest-sdk/src/lib.rs");
    let example: String = sdk
        .lines()
        .skip_while(|line| *line != "//! ```")
        .skip(1)
        .take_while(|line| *line != "//! ```")
        .map(|line| line.trim_start_matches("//!").trim_start_matches(' '))
        .filter(|line| !line.starts_with("# "))
        .map(|line| line.to_owned() + "\n")
        .collect();
    let flat = |text: &str| text.lines().map(str::trim).collect::<Vec<_>>().join("\n").trim().to_owned();
    assert!(example.contains("register_assertions!"), "{example}");
    assert_eq!(flat(blocks(&read("README.md"), "rust")[0]), flat(&example));
}

#[test]
fn every_key_of_the_contract_page_is_read() {
    let page = read("docs/contract.md");
    let contract = ContractFile::new(blocks(&page, "yaml")[0]);
    let outcome = finish(contract.command("check", &[]).env("TOKEN", "some-token"));
    // The plugin of the example is not there; everything else is as the page says.
    let errors: Vec<&str> = outcome.stderr.lines().filter(|line| line.starts_with("error")).collect();
    assert_eq!(errors.len(), 1, "{}", outcome.stderr);
    assert!(errors[0].starts_with("error[plugin]: plugin shouts.wasm"), "{}", outcome.stderr);
    let without: String = blocks(&page, "yaml")[0]
        .lines()
        .filter(|line| !line.starts_with("plugins:") && !line.contains("checks:") && !line.contains("use: shouts"))
        .map(|line| line.to_owned() + "\n")
        .collect();
    let without =
        ContractFile::new(&without.replace("contracts: [card.well-known, stream.sse-events]", "contracts: []"));
    let outcome = finish(without.command("check", &[]).env("TOKEN", "some-token"));
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
}

#[test]
fn links_lead_somewhere() {
    for file in [
        "README.md",
        "wit/README.md",
        "CONTRIBUTING.md",
        "docs/performance.md",
        "docs/contract.md",
        "guest-sdk/README.md",
    ] {
        let text = read(file);
        let folder = root().join(file).parent().unwrap().to_owned();
        for link in text.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
            let local = !link.starts_with("http");
            assert!(!local || folder.join(link).exists(), "{file}: {link}");
        }
    }
}

#[test]
fn every_behaviour_is_listed() {
    let page = read("wit/README.md");
    for (name, skill, text) in BEHAVIOURS {
        let row =
            page.lines().find(|line| line.starts_with(&format!("| `{name}` |"))).unwrap_or_else(|| panic!("{name}"));
        assert!(row.contains(&format!("`{text}`")), "{row}");
        assert!(skill.is_none_or(|skill| row.ends_with(&format!("| `{skill}` |"))), "{row}");
    }
    let rows = page.split("## Behaviours").nth(1).unwrap().lines().filter(|line| line.starts_with("| `")).count();
    assert_eq!(rows, BEHAVIOURS.len());
}
