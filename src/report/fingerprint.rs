//! Names of findings that survive edits elsewhere in the file, for baselines and `scuba confirm`.

use finding::Finding;
use rustc_hash::FxHashMap;
use std::path::Path;

/// Assigns every finding its fingerprint: 16 hexadecimal digits of blake3 over rule, file name, kernel, array, index
/// expression, and the number of earlier findings with the same five. Findings must be in their final order.
pub fn assign(findings: &mut [Finding]) {
    let mut seen: FxHashMap<[u8; 32], u64> = FxHashMap::default();
    for f in findings {
        let file = Path::new(&f.access.position.file).file_name().unwrap_or_default().to_string_lossy();
        let mut hasher = blake3::Hasher::new();
        for part in [f.rule.name(), &file, &f.access.kernel, &f.access.array, &f.access.index] {
            // The length distinguishes ("ab", "c") from ("a", "bc").
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        let count = seen.entry(*hasher.finalize().as_bytes()).or_insert(0);
        hasher.update(&count.to_le_bytes());
        *count += 1;
        f.fingerprint = hasher.finalize().to_hex()[..16].to_owned();
    }
}

#[cfg(test)]
mod tests {
    use super::assign;
    use finding::samples;

    #[test]
    fn fingerprints_depend_on_neither_lines_nor_folders_and_tell_equal_findings_apart() {
        let mut before = vec![samples::finding(), samples::finding(), samples::finding()];
        before[1].access.index = "i + 1".into();
        assign(&mut before);
        let mut after = before.clone();
        for f in &mut after {
            f.access.position.line += 40;
            f.access.position.file = "/elsewhere/scale.cu".into();
        }
        assign(&mut after);
        let prints = |fs: &[finding::Finding]| fs.iter().map(|f| f.fingerprint.clone()).collect::<Vec<_>>();
        assert_eq!(prints(&before), prints(&after));
        let mut distinct = prints(&before);
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), 3);
        assert!(distinct.iter().all(|p| p.len() == 16));
    }
}
