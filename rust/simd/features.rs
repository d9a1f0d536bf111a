//! Features of the processor, for reports of users. Kernels have detectors of their own.

macro_rules! detected {
    ($is_detected:ident: $($feature:tt)*) => {
        [$(($feature, std::arch::$is_detected!($feature)),)*]
            .into_iter()
            .filter_map(|(feature, detected)| detected.then_some(feature))
            .collect()
    };
}

/// Vector instructions of this processor.
#[cfg(target_arch = "x86_64")]
pub fn features() -> Vec<&'static str> {
    detected!(is_x86_feature_detected:
        "sse2" "ssse3" "sse4.1" "sse4.2" "avx" "avx2" "bmi2" "avx512f" "avx512bw" "avx512vl"
        "avx512vbmi")
}

/// Vector instructions of this processor.
#[cfg(target_arch = "aarch64")]
pub fn features() -> Vec<&'static str> {
    detected!(is_aarch64_feature_detected: "neon" "dotprod" "i8mm" "sve" "sve2")
}

/// Vector instructions of this processor: none are known.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub fn features() -> Vec<&'static str> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Instructions;

    #[test]
    fn instructions_that_kernels_use_are_listed() {
        let features = features();
        for set in Instructions::detected() {
            if set == Instructions::Portable {
                continue;
            }
            assert!(features.iter().any(|name| name.starts_with(set.name())), "{features:?}");
        }
        if cfg!(target_arch = "x86_64") {
            assert!(features.contains(&"sse2"));
        }
    }
}
