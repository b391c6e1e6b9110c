//! The quarters that the cases of long tests are dealt out to (`DOMINDS_QUARTER`).

use crate::common::quarter::is_in;

fn quarters_of(at: usize, count: usize) -> Vec<usize> {
    (0..4).filter(|quarter| is_in(*quarter, at, count)).collect()
}

#[test]
fn each_case_is_in_one_quarter_and_the_first_and_the_last_are_in_all() {
    for count in [1, 2, 5, 16, 250] {
        for at in 0..count {
            let expected = if at == 0 || at + 1 == count { 4 } else { 1 };
            assert_eq!(quarters_of(at, count).len(), expected, "{at} of {count}");
        }
    }
}

#[test]
fn a_quarter_has_all_values_of_each_factor_of_a_product_and_about_a_fourth_of_the_cases() {
    for inner in [2, 3, 4, 5, 6, 8, 12, 16] {
        let count = inner * 64;
        for quarter in 0..4 {
            let cases: Vec<usize> = (0..count).filter(|at| is_in(quarter, *at, count)).collect();
            assert!(cases.len() <= inner * 16 + 2, "{inner} {quarter}: {}", cases.len());
            for value in 0..inner {
                let share = cases.iter().filter(|at| **at % inner == value).count();
                assert!(share > 8, "{inner} {quarter}: {value} is in {share} of 64 cases");
            }
        }
    }
}
