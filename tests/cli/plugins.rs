//! Plugins that break, and plugins that cannot be loaded.

use std::process::Stdio;
use std::time::Duration;

use crate::assert_code;
use crate::support::{ContractFile, Dummy, hostile};

const WITH_PLUGIN: &str = "version: 1
agent: {url: 'http://127.0.0.1:9000'}
plugins: [guest.wasm]
scenarios:
  - {name: judged, message: hello, expect: {checks: [{use: hostile}]}}
  - {name: plain, message: hello}
";

#[test]
fn a_plugin_that_breaks_costs_one_check_and_the_run_goes_on() {
    let dummy = Dummy::start();
    for (guest, words) in [
        ("trap", "plugin guest.wasm: evaluate trapped"),
        ("loop-in-evaluate", "plugin guest.wasm: evaluate used up its CPU budget"),
        ("memory-bomb", "plugin guest.wasm: evaluate asked for"),
        ("panics", "evaluate trapped: panicked at check.rs:7: no such part"),
    ] {
        let contract = ContractFile::new(WITH_PLUGIN).beside("guest.wasm", &hostile::component("assertions", guest));
        let outcome = contract.run("run", &["--url", dummy.url()]);
        assert_code(&outcome, 1);
        assert!(outcome.stdout.contains("error[plugin-broken]"), "{guest}: {}", outcome.stdout);
        assert!(outcome.stdout.contains(words), "{guest}: {}", outcome.stdout);
        assert!(outcome.stdout.contains("1 passed, 1 failed"), "{guest}: {}", outcome.stdout);
    }
    let contract = ContractFile::new(WITH_PLUGIN).beside("guest.wasm", &hostile::component("assertions", "harmless"));
    assert_code(&contract.run("run", &["--url", dummy.url()]), 0);
}

#[test]
fn a_plugin_that_cannot_be_loaded_is_exit_2_and_one_line() {
    let whole = hostile::component("assertions", "harmless");
    let missing =
        wat::parse_str(r#"(component (instance $i) (export "a2a-host:plugin/assertions@0.1.0" (instance $i)))"#);
    let foreign = wat::parse_str(
        r#"(component (import "evil:socket/raw@1.0.0" (instance)) (instance $i)
            (export "a2a-host:plugin/assertions@0.1.0" (instance $i)))"#,
    );
    let cases: [(&[u8], &str); 10] = [
        (&missing.unwrap(), "does not fit this a2a-host"),
        (&foreign.unwrap(), "it imports evil:socket/raw@1.0.0"),
        (b"\0asm\x01\0\0\0", "core module"),
        (&whole[..whole.len() / 2], "damaged or cut off"),
        (b"<html>", "HTML"),
        (b"", "empty"),
        (&hostile::component("assertions", "loop-in-start"), "start used up its CPU budget"),
        (&hostile::component("assertions", "memory-at-start"), "start asked for 4096 MiB"),
        (&hostile::component("assertions", "trap-in-describe"), "describe trapped"),
        (&hostile::component("extensions", "harmless"), "it exports extensions, not assertions"),
    ];
    for (bytes, words) in cases {
        let outcome = ContractFile::new(WITH_PLUGIN).beside("guest.wasm", bytes).run("check", &[]);
        assert_code(&outcome, 2);
        // The whole story is in the first line; the place in the file follows.
        let first = outcome.stderr.lines().next().unwrap();
        assert!(first.starts_with("error[plugin]: plugin guest.wasm: "), "{}", outcome.stderr);
        assert!(first.contains(words), "{words}: {}", outcome.stderr);
        assert!(first.chars().count() < 200, "{}", outcome.stderr);
        assert!(outcome.stderr.contains("contract.yaml:3:11"), "{}", outcome.stderr);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_memory_bomb_does_not_grow_the_process() {
    let dummy = Dummy::start();
    let peak = |guest: &str| {
        let contract = ContractFile::new(WITH_PLUGIN).beside("guest.wasm", &hostile::component("assertions", guest));
        let mut child = contract.command("run", &["--url", dummy.url()]).stdout(Stdio::null()).spawn().unwrap();
        let status = format!("/proc/{}/status", child.id());
        let mut peak = 0_u64;
        while child.try_wait().unwrap().is_none() {
            let text = std::fs::read_to_string(&status).unwrap_or_default();
            let line = text.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
            let kilobytes = line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or(0);
            peak = peak.max(kilobytes);
            std::thread::sleep(Duration::from_millis(1));
        }
        peak / 1024
    };
    // Both read the same plugins; the bomb takes what it can get of 4 GiB, and may have 64 MiB.
    peak("harmless");
    let (harmless, bomb) = (peak("harmless"), peak("memory-bomb"));
    assert!(harmless > 0 && bomb > 0);
    assert!(bomb < harmless + 96, "{bomb} MiB against {harmless} MiB");
}
