//! Results → what people read. Reporters only consume: [`text`] renders a finished run, [`Progress`] listens while it goes on.

mod findings;
mod progress;
mod table;
mod text;

pub use progress::Progress;
pub use text::{TextOptions, text};
