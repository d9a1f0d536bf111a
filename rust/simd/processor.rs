//! Processors that have instructions which they do not do well.

/// Whether this processor takes two steps for a vector of 512 bits: Zen 4, and those of Zen 5 that
/// are made for laptops.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, unused_unsafe)] // the instruction was unsafe up to Rust 1.93
pub(super) fn halves_wide_vectors() -> bool {
    use std::arch::x86_64::{__cpuid, CpuidResult};
    // SAFETY: all processors with 64 bits have this instruction.
    let ask = |leaf| unsafe { __cpuid(leaf) };
    let CpuidResult { ebx, ecx, edx, .. } = ask(0);
    let name = [ebx, edx, ecx].map(u32::to_le_bytes).concat();
    name == b"AuthenticAMD" && is_half(family_and_model(ask(1).eax))
}

/// There are no such vectors.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn halves_wide_vectors() -> bool {
    false
}

/// The family and the model of a processor by its signature.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // tested everywhere
fn family_and_model(signature: u32) -> (u32, u32) {
    let part = |from: u32, bits: u32| signature >> from & ((1 << bits) - 1);
    (part(8, 4) + part(20, 8), part(4, 4) | part(16, 4) << 4)
}

/// Among processors of AMD.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
fn is_half((family, model): (u32, u32)) -> bool {
    match family {
        0x19 => true,
        0x1a => matches!(model, 0x20..=0x3f | 0x60..=0x7f),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_name_processors() {
        // Genoa, Raphael, Turin, Strix Point.
        let signatures = [0x00a1_0f11, 0x00a6_0f12, 0x00b0_0f21, 0x00b2_0f40];
        let named = signatures.map(family_and_model);
        assert_eq!(named, [(0x19, 0x11), (0x19, 0x61), (0x1a, 0x02), (0x1a, 0x24)]);
        assert_eq!(named.map(is_half), [true, true, false, true]);
        assert!(!is_half((0x17, 0x31)));
        halves_wide_vectors();
    }
}
