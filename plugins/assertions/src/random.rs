//! The hash maps of the JSON Schema library want a seed, and this target has no source of randomness but the host.

use a2a_host_sdk::host;

/// What getrandom 0.3 calls when it is built with `--cfg getrandom_backend="custom"`, as guests are. It fills `length`
/// bytes at `destination`.
///
/// # Safety
/// `destination` must be valid for writes of `length` bytes, which getrandom promises.
#[unsafe(no_mangle)]
unsafe extern "Rust" fn __getrandom_v03_custom(destination: *mut u8, length: usize) -> Result<(), getrandom::Error> {
    /// The host ends a call that asks for more.
    const AT_ONCE: usize = 64 * 1024;
    // SAFETY: getrandom hands over a buffer of its own that nobody else sees; the bytes are written before they are read.
    let buffer = unsafe {
        destination.write_bytes(0, length);
        std::slice::from_raw_parts_mut(destination, length)
    };
    for piece in buffer.chunks_mut(AT_ONCE) {
        let bytes = host::random(u32::try_from(piece.len()).unwrap_or(0));
        if bytes.len() != piece.len() {
            return Err(getrandom::Error::UNEXPECTED);
        }
        piece.copy_from_slice(&bytes);
    }
    Ok(())
}
