use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::run::{CaseVerdict, Listener, RunEvent};

/// A bar on stderr while a run goes on; nothing where stderr is no terminal.
pub struct Progress {
    bar: ProgressBar,
    failed: usize,
}

impl Progress {
    /// `live` says whether somebody watches.
    pub fn new(live: bool) -> Progress {
        let target = if live { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(None, target);
        if let Ok(style) = ProgressStyle::with_template("{bar:20} {pos}/{len} {msg}") {
            bar.set_style(style);
        }
        Progress { bar, failed: 0 }
    }

    /// Says that a plugin is being compiled, which may take seconds. Ends with [`Progress::quiet`].
    pub fn compiling(&self, plugin: &str, bytes: usize) {
        self.bar.set_message(format!("compiling plugin {plugin} ({} KiB), once", bytes.div_ceil(1024)));
        self.bar.enable_steady_tick(Duration::from_millis(100));
    }

    /// Clears the line.
    pub fn quiet(&self) {
        self.bar.disable_steady_tick();
        self.bar.finish_and_clear();
    }
}

impl Listener for Progress {
    fn event(&mut self, event: &RunEvent<'_>) {
        match event {
            RunEvent::Started { cases } => self.bar.set_length(*cases as u64),
            RunEvent::CaseStarted { name, trials, .. } => {
                let trials = if *trials > 1 { format!(" ({trials} trials)") } else { String::new() };
                let failed = if self.failed > 0 { format!("{} failed; ", self.failed) } else { String::new() };
                self.bar.set_message(format!("{failed}{}{trials}", crate::printable::printable(name)));
            }
            RunEvent::TrialFinished { .. } => self.bar.tick(),
            RunEvent::CaseFinished { case } => {
                self.failed += usize::from(case.verdict == CaseVerdict::Failed);
                self.bar.inc(1);
            }
            RunEvent::Finished => self.bar.finish_and_clear(),
        }
    }
}
