//! Spheres over a KSDS and over an ESDS against the model, and after crashes: the part that runs with every build.

use cica_sim::campaign::{Budget, Campaign, Total};
use cica_sim::draw::{crash, fault, Draw};
use cica_sim::random::Random;
use cica_sim::shape::Organization;
use cica_sim::sphere::shape::Sphere;
use cica_sim::sphere::trial::model;
use cica_sim::sphere::workload::SphereWorkload;
use cica_sim::store::Store;

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

/// An index as DEFINE would refuse it once answered 8/148 before it had as many pointers as its RECORDSIZE takes.
#[test]
fn an_alternate_index_takes_as_many_pointers_as_its_records_have_room_for() {
    sound(Campaign::new(32_700, 1).run(|seed| model(seed, 300, Organization::Ksds), |_| ()));
    for seed in 0..2000 {
        let sphere = Sphere::draw(BASES[seed as usize % 2], &mut Random::new(seed));
        for at in 0..sphere.alternates.len() {
            let (data, _) = sphere.attributes(at);
            let area = u32::from(data.ci_per_ca) * (data.ci_size - 10);
            let room = if data.spanned { area } else { data.ci_size - 7 };
            assert!(data.maximum_record <= room, "seed {seed}: {sphere:?}");
        }
    }
}

#[test]
fn some_records_have_an_alternate_key_that_is_suppressed_and_others_not() {
    let mut left_out = 0;
    for seed in 0..100 {
        let workload = SphereWorkload::model(seed, 0, BASES[seed as usize % 2]);
        let records: Vec<_> = workload
            .records
            .iter()
            .map(|body| body.bytes(&workload.shape.base))
            .collect();
        for of in workload.shape.alternates.iter().filter(|of| of.suppressed.is_some()) {
            let long = records.iter().filter(|record| record.len() >= of.offset + of.length);
            let (have, have_not): (Vec<_>, Vec<_>) = long.partition(|record| of.key_of(record).is_some());
            assert!(!have.is_empty(), "seed {seed}: an index without records");
            left_out += have_not.len();
        }
    }
    assert!(left_out > 200, "only {left_out} records were left out");
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
