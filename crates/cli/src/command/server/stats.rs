//! `cica server stats`: what was counted of requests, for the server, for each data set and for each client.

use super::{more, others};
use cica_share::figures::{bound, name, Sums, COUNTERS};
use cica_share::words::Status as Server;
use serde_json::{json, Map, Value};

/// As JSON.
pub fn value(server: &Server) -> Value {
    let data_sets = server.data_sets.iter().map(|used| {
        let mut value = sums(&used.sums);
        value.insert("data_set".into(), json!(used.name));
        value.insert("opens".into(), json!(used.opens));
        Value::Object(value)
    });
    let clients = others(server).map(|client| {
        let mut value = sums(&client.sums);
        value.insert("process".into(), json!(client.process));
        value.insert("program".into(), json!(client.program));
        Value::Object(value)
    });
    json!({
        "seconds": server.seconds,
        "server": sums(&server.sums),
        "data_sets": data_sets.collect::<Vec<Value>>(),
        "clients": clients.collect::<Vec<Value>>(),
        "unlisted_data_sets": server.unlisted_data_sets,
        "unlisted_clients": server.unlisted_clients,
    })
}

/// Counters, and the response times that there were: how many took less than so many microseconds, and not less than
/// the next lower number.
fn sums(of: &Sums) -> Map<String, Value> {
    let counters = COUNTERS.iter().zip(of.counters);
    let counters = counters.map(|(row, count)| (name(row).into(), json!(count)));
    let mut value: Map<String, Value> = counters.collect();
    let times = of.times.iter().enumerate().filter(|(_, count)| **count > 0);
    let times = times.map(|(class, count)| json!({ "below_microseconds": bound(class), "requests": count }));
    value.insert("response_times".into(), times.collect());
    value
}

/// For people.
pub fn lines(server: &Server) -> Vec<String> {
    let mut lines = Vec::new();
    for (row, count) in COUNTERS.iter().zip(server.sums.counters) {
        lines.push(format!("{:<16} {count:>12}  {}", name(row).replace('_', " "), row.text));
    }
    lines.push(String::new());
    lines.push(format!("{:>12} {:>12}  RESPONSE TIME", "REQUESTS", "SHARE"));
    let all = server.sums.all();
    for (class, count) in server.sums.times.iter().enumerate().filter(|(_, count)| **count > 0) {
        let share = *count as f64 * 100.0 / all as f64;
        lines.push(format!("{count:>12} {share:>10.1} %  {}", time(Some(class))));
    }
    lines.push(String::new());
    lines.push(head("DATA SET"));
    lines.extend(server.data_sets.iter().map(|used| line(&used.sums, &used.name)));
    lines.extend(more(server.unlisted_data_sets));
    lines.push(String::new());
    lines.push(head("CLIENT"));
    let client = |client: &cica_share::words::ClientInfo| {
        let name = format!("process {} ({})", client.process, client.program);
        line(&client.sums, &name)
    };
    lines.extend(others(server).map(client));
    lines.extend(more(server.unlisted_clients));
    lines
}

fn head(what: &str) -> String {
    format!(
        "{:>10} {:>8} {:>8} {:>9} {:>9} {:>8} {:>8} {:>10}  {what}",
        "REQUESTS", "REFUSED", "WAITS", "DEADLOCKS", "TIMEOUTS", "RETAINED", "HALF IN", "99 % IN"
    )
}

fn line(sums: &Sums, name: &str) -> String {
    let [requests, refused, waits, _, _, deadlocks, timeouts, retained] = sums.counters;
    let (half, most) = (time(sums.within(500)), time(sums.within(990)));
    format!(
        "{requests:>10} {refused:>8} {waits:>8} {deadlocks:>9} {timeouts:>9} {retained:>8} {half:>8} {most:>10}  {name}"
    )
}

/// The times of a class, in words.
fn time(class: Option<usize>) -> String {
    match class.map(bound) {
        None => "-".into(),
        Some(None) => "longer".into(),
        Some(Some(bound @ ..1000)) => format!("< {bound} us"),
        Some(Some(bound @ ..1_000_000)) => format!("< {} ms", bound / 1000),
        Some(Some(bound)) => format!("< {} s", bound / 1_000_000),
    }
}
