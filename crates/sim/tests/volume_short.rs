//! Several data sets under a catalog, and IDCAMS commands: the part of the campaigns that runs with every build.

use std::collections::BTreeMap;

use cica_sim::campaign::{Budget, Campaign};
use cica_sim::draw::{crash, damage, fault, Draw};
use cica_sim::fault::{inject, FaultPlan};
use cica_sim::request::{Body, Intent, Order, Request};
use cica_sim::shape::Shape;
use cica_sim::store::Store;
use cica_sim::volume::action::{Card, VolumeAction};
use cica_sim::volume::shape::VolumeShape;
use cica_sim::volume::subject::VolumeRun;
use cica_sim::volume::workload::VolumeWorkload;

#[test]
fn every_image_has_each_data_set_at_an_acknowledged_moment() {
    let budget = Budget::new(6_000);
    let total = Campaign::new(1, 30).run(
        |seed| crash(Draw::new(Store::Volume, seed, 40), 600, &budget, None),
        |_| (),
    );
    assert!(total.failures.is_empty(), "{}", total.failures[0]);
    assert!(total.counts["images torn"] > 100, "{:?}", total.counts);
    let killed = total.counts["covered process killed in a command, and another goes on"];
    assert!(killed > 10, "{:?}", total.counts);
}

/// An ESDS of which spanned records do not begin where they would in smaller control areas.
#[test]
fn the_model_of_a_volume_has_the_control_areas_that_its_cards_make() {
    let total = Campaign::new(700_050, 1).run(
        |seed| crash(Draw::new(Store::Volume, seed, 40), 600, &Budget::new(600), None),
        |_| (),
    );
    assert!(total.failures.is_empty(), "{}", total.failures[0]);
}

#[test]
fn a_failing_call_leaves_what_was_or_what_a_command_makes() {
    let total = Campaign::new(1, 2).run(|seed| fault(Draw::new(Store::Volume, seed, 30), 25, None), |_| ());
    assert!(total.failures.is_empty(), "{}", total.failures[0]);
    assert!(total.counts["runs refused"] > 50, "{:?}", total.counts);
}

/// The RBA is looked up first, by a request of the harness: one that fails is not "no such record".
#[test]
fn a_failing_read_of_a_request_by_rba_is_told_whoever_meets_it() {
    let (shape, string) = (Shape::plain(), 0);
    let key = vec![0x41; shape.key_length];
    let body = Body {
        key: key.clone(),
        length: shape.least_record(),
        fill: 1,
    };
    let reopen = Request::Reopen {
        output: true,
        reset: false,
    };
    let order = Order::Sequential;
    let insert = Request::Insert { string, order, body };
    let intent = Intent::Read;
    let plus = 0;
    let read = Request::GetRba {
        string,
        key,
        plus,
        intent,
    };
    let requests = [insert, reopen, read].map(|request| VolumeAction::Request(0, request));
    let actions = [
        vec![VolumeAction::Card(0, Card::Define), VolumeAction::Open(0)],
        requests.into(),
    ]
    .concat();
    let workload = VolumeWorkload {
        shape: VolumeShape { slots: vec![shape] },
        copies: BTreeMap::new(),
        actions: actions.clone(),
    };
    let run = VolumeRun::new(&workload, actions, true).expect("an empty volume");
    let (seed, each, only) = (1, 1_000, Some(("eio".parse().expect("a kind"), None)));
    let (report, failure) = inject(&run, FaultPlan { seed, each, only });
    assert!(
        failure.is_none(),
        "{}",
        failure.map(|f| f.to_string()).unwrap_or_default()
    );
    assert!(report.refused > 50, "{report:?}");
}

#[test]
fn a_damaged_byte_of_a_volume_is_noticed_or_harmless() {
    let total = Campaign::new(1, 4).run(|seed| damage(Draw::new(Store::Volume, seed, 30), 150), |_| ());
    assert!(total.failures.is_empty(), "{}", total.failures[0]);
    assert!(total.counts["noticed"] > 50, "{:?}", total.counts);
}

#[test]
fn a_seed_draws_the_same_actions_every_time() {
    assert_eq!(VolumeWorkload::small(7, 80), VolumeWorkload::small(7, 80));
    assert_ne!(VolumeWorkload::small(7, 80), VolumeWorkload::small(8, 80));
}
