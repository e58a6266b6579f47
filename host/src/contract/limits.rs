//! Every limit of a contract file, each with its unit. Where nothing else is said, the number is the contract language's:
//! files that were written for it must fit, and reports and memory must stay bounded.

/// Size of a contract file in bytes.
pub const MAX_FILE_BYTES: usize = 1_000_000;
/// Nesting of lists and maps. A JSON Schema of 50 levels (the language's limit) inside a turn's `expect` is 60 deep.
pub const MAX_DEPTH: u32 = 128;
/// What a value counts beyond its text when aliases are expanded: about the memory that it takes.
pub(crate) const VALUE_WEIGHT: u64 = 32;
/// Weight of a file once its aliases are expanded. A file of the greatest size holds at most 500,000 values and so weighs
/// 17,000,000 without any alias: what is above that comes from aliases only.
pub const MAX_EXPANDED_WEIGHT: u64 = 20_000_000;

/// Scenarios of a file.
pub const MAX_SCENARIOS: usize = 1_000;
/// Turns of a scenario.
pub const MAX_TURNS: usize = 50;
/// Trials of a scenario. The contract language's own 100 makes most pass rates above 0.97 impossible to prove; 10,000
/// prove 0.999 at a confidence of 0.95 and still end within a working day at a second each.
pub const MAX_TRIALS: u32 = 10_000;
/// Characters of a scenario's name.
pub const MAX_NAME_CHARS: usize = 200;
/// Characters of a message, and of any text that is sent.
pub const MAX_MESSAGE_CHARS: usize = 100_000;
/// Data parts of a turn.
pub const MAX_DATA_PARTS: usize = 100;
/// Bytes of all data parts of a turn, as compact JSON.
pub const MAX_DATA_BYTES: usize = 1_000_000;
/// Any number of seconds.
pub const MAX_SECONDS: f64 = 600.0;

/// Characters of `agent.url`.
pub const MAX_URL_CHARS: usize = 2_083;
/// Characters of `agent.card_path`.
pub const MAX_CARD_PATH_CHARS: usize = 500;
/// Extension URIs of a request.
pub const MAX_EXTENSIONS: usize = 20;
/// Characters of an extension URI.
pub const MAX_EXTENSION_CHARS: usize = 1_000;
/// Characters of all extension URIs joined with commas: servers refuse header lines above 8 KiB.
pub const MAX_EXTENSIONS_CHARS: usize = 8_000;

/// Members of every list that this program adds to the language (plugins, packs, categories, contracts, stimuli,
/// checks): the language's own bound for lists.
pub const MAX_LIST: usize = 100;
/// Characters of a path, as the language has it for input files.
pub const MAX_PATH_CHARS: usize = 1_000;
