//! The READMEs say what is so: the console block of README.md is what the program prints, its contract is the file, and the
//! behaviours of wit/README.md are those of the program.

mod support;

use a2a_host::run::BEHAVIOURS;
use support::{Dummy, root, run, steady};

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
fn links_lead_somewhere() {
    for file in ["README.md", "wit/README.md", "CONTRIBUTING.md", "docs/performance.md"] {
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
