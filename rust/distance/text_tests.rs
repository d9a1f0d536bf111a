//! Tables that are computed row by row against the same numbers as one table, in all kernels.

use super::tests::{all_ways, prepare};
use crate::cost::texts::TextCosts;
use crate::cost::{CostTable, MeetingCosts};
use crate::naive::trees;
use crate::pair::Costs;
use proptest::prelude::*;

const LABELS: usize = 12;

proptest! {
    #[test]
    fn rows_of_texts_agree_with_a_table(
        x in trees(24, LABELS as i32),
        y in trees(24, LABELS as i32),
        classes in proptest::collection::vec(0u32..2, LABELS),
        texts in proptest::collection::vec(proptest::collection::vec(97u32..100, 0..6), LABELS),
        whole in any::<bool>(),
    ) {
        let (mut tokens, mut starts) = (Vec::new(), vec![0]);
        for text in texts {
            tokens.extend(text.iter().take(if whole { 1 } else { 6 }));
            starts.push(tokens.len());
        }
        let costs = TextCosts::new(classes, tokens, starts).unwrap();
        let meeting = MeetingCosts::Texts(&costs);
        let codes: Vec<u32> = (0..LABELS as u32).collect();
        let by_rows = meeting.table(&meeting.gather(&codes), &meeting.gather(&codes));
        prop_assert!(by_rows.is_by_rows());
        let saving = |cell: usize| by_rows.saving((cell / LABELS) as u32, (cell % LABELS) as u32);
        let savings = (0..LABELS * LABELS).map(saving).collect();
        let gaps = || vec![costs.gap(); LABELS];
        let dense = CostTable::from_savings(savings, gaps(), gaps(), costs.scale());
        let (x, y) = (prepare(&x), prepare(&y));
        let found = all_ways(&x, &y, Costs::Table(&by_rows));
        let expected = all_ways(&x, &y, Costs::Table(&dense));
        prop_assert!(found.iter().chain(&expected).all(|&d| d == expected[0]));
    }
}
