//! Spheres over a KSDS and over an ESDS against the model, and after crashes: the part that runs with every build.

use cica_sim::campaign::{Budget, Campaign, Total};
use cica_sim::shape::Organization;
use cica_sim::sphere::trial::model;
use cica_sim::store::Store;
use cica_sim::trial::{crash, fault, Draw};

const BASES: [Organization; 2] = [Organization::Ksds, Organization::Esds];

fn sound(total: Total) -> Total {
    assert!(total.failures.is_empty(), "{}", total.failures[0]);
    total
}

#[test]
fn runs_agree_with_the_model_and_meet_what_only_spheres_answer() {
    for (base, own) in BASES.into_iter().zip(["8/144 component 2", "8/80"]) {
        let campaign = Campaign::new(1, 40);
        let total = sound(campaign.run(|seed| model(seed, 300, base), |_| ()));
        for reply in [own, "8/8 component 4", "8/148 component 4", "8/4 component 2", "8/200"] {
            let counted = format!("reply {reply}");
            assert!(total.counts.contains_key(&counted), "{reply} was never answered");
        }
    }
}

#[test]
fn after_a_crash_base_and_alternate_indexes_are_of_one_moment() {
    for base in BASES {
        let budget = Budget::new(2500);
        let draw = |seed| Draw::new(Store::Sphere(Some(base)), seed, 30);
        let total = sound(Campaign::new(1, u64::MAX).run(|seed| crash(draw(seed), 500, &budget, None), |_| ()));
        assert!(total.counts["images"] >= 2500);
    }
}

#[test]
fn a_failing_call_leaves_base_and_alternate_indexes_of_one_moment() {
    let draw = |seed| Draw::new(Store::Sphere(None), seed, 30);
    let total = sound(Campaign::new(2, 2).run(|seed| fault(draw(seed), 40, None), |_| ()));
    assert!(total.counts["runs refused"] > 100, "{:?}", total.counts);
}
