//! `cica monitor`: its views, narrow and wide, what it serves, and the dashboard made for that.
#![allow(clippy::unwrap_used)]

mod common;

use common::Place;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, Stdio};

/// A process that ends with the test.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // One that has ended before is gone already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A data set that a step of a job has open: it waits for more to put.
fn open(place: &Place) -> (Ended, ChildStdin) {
    place.names("0001 ANNE\n0002 BERT\n");
    place.cards("ALTER A.NAMES STORAGECLASS(FAST)", &[]).done();
    let mut command = place.command(&["put", "A.NAMES"]);
    command.env("CICA_JOB", "NIGHTLY").env("CICA_STEP", "STEP010");
    let mut put = Ended(command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap());
    let mut lines = put.0.stdin.take().unwrap();
    (1000..5000).for_each(|n| writeln!(lines, "{n} SOMEBODY").unwrap());
    while !place
        .run(&["monitor", "--once", "--view", "rlsds"])
        .done()
        .contains("A.NAMES")
    {
        assert!(put.0.try_wait().unwrap().is_none(), "it ended");
    }
    (put, lines)
}

#[test]
fn each_view_fits_the_columns_there_are() {
    let place = Place::new();
    place.names("0001 ANNE\n");
    place.run(&["rm", "A.NAMES"]).done();
    for view in ["rlssc", "rlsds", "volumes", "jobs"] {
        let nothing = place.run(&["monitor", "--once", "--view", view]).done();
        assert!(nothing.contains("(none)"), "{nothing}");
    }
    let (put, _lines) = open(&place);
    let pid = put.0.id().to_string();
    for (view, words) in [
        ("rlssc", &["STORCLAS", "FAST", "SEQ", "BMF%"][..]),
        ("rlsds", &["A.NAMES", "GETS", "EXCP"]),
        ("rlslru", &["GOAL", "16M", "MODE", "normal", &pid]),
        ("volumes", &["CICA01", "EXCP"]),
        ("jobs", &["NIGHTLY", "STEP010", "CPU", &pid]),
        ("locks", &["CONTENDED", "LOST", &pid]),
        ("all", &["RLSSC", "RLSDS", "RLSLRU", "VOLUMES", "JOBS", "LOCKS"]),
    ] {
        for columns in ["80", "40", "20"] {
            let shown = place
                .run(&["monitor", "--once", "--view", view, "--columns", columns])
                .done();
            let width: usize = columns.parse().unwrap();
            assert!(shown.lines().all(|line| line.chars().count() <= width), "{shown}");
            let missing: Vec<_> = words.iter().filter(|word| !shown.contains(**word)).collect();
            assert!(
                missing.is_empty() || width < 40,
                "{view} {columns} {missing:?}: {shown}"
            );
        }
    }
    let json = place.run(&["monitor", "--json"]).json();
    let process = &json["processes"][0];
    assert_eq!([&process["job"], &process["step"]], ["NIGHTLY", "STEP010"]);
    assert!(process["elapsed_seconds"].as_f64().unwrap() > 0.0 && process["cpu_seconds"].is_number());
    let set = &process["data_sets"][0];
    assert_eq!([&set["storage_class"], &set["volume"]], ["FAST", "CICA01"]);
    assert!(
        set["open"] == 1 && set["opened"].as_u64() > process["started"].as_u64(),
        "{set}"
    );
}

#[test]
fn steps_that_have_ended_are_shown_with_their_codes() {
    let place = Place::new();
    place.names("0001 ANNE\n");
    let mut command = place.command(&["idcams"]);
    command.env("CICA_SMF", "on").env("CICA_JOB", "NIGHTLY");
    let done = common::finish(command, b" PRINT INDATASET(A.NONE)\n");
    assert_eq!(done.status, 12);
    let shown = place
        .run(&["monitor", "--once", "--view", "jobs", "--columns", "40"])
        .done();
    let line = shown.lines().find(|line| line.starts_with("NIGHTLY")).unwrap();
    assert!(line.contains("IDCAMS") && line.ends_with(" 0012"), "{shown}");
    assert_eq!(place.run(&["monitor", "--json"]).json()["ended"][0]["code"], "0012");
}

/// The monitor, serving, and its address.
fn serve(place: &Place) -> (Ended, String) {
    serve_on(place, "0")
}

fn serve_on(place: &Place, listen: &str) -> (Ended, String) {
    let mut command = place.command(&["monitor", "--listen", listen]);
    let mut served = Ended(command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap());
    let mut line = String::new();
    BufReader::new(served.0.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let address = line.trim_start_matches("http://").split('/').next().unwrap().to_owned();
    (served, address)
}

fn ask(address: &str, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let mut answer = Vec::new();
    // Who sends more than is read may be cut off.
    let sent = stream.write_all(request);
    let _ = sent.and_then(|()| stream.shutdown(std::net::Shutdown::Write));
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8(answer).unwrap()
}

/// Labels of the samples by name of the sample.
fn samples(page: &str) -> BTreeMap<String, BTreeSet<String>> {
    let lines = page.lines().filter(|line| !line.starts_with('#'));
    let sample = |line: &str| {
        let Some((name, rest)) = line.split_once('{') else {
            let (name, number) = line.split_once(' ').unwrap();
            assert!(number.parse::<f64>().is_ok(), "{line}");
            return (name.to_owned(), BTreeSet::new());
        };
        let (labels, number) = rest.rsplit_once("} ").unwrap();
        assert!(number.parse::<f64>().is_ok(), "{line}");
        let labels = labels
            .split("\",")
            .map(|label| label.split('=').next().unwrap().to_owned());
        (name.to_owned(), labels.collect())
    };
    lines.map(sample).collect()
}

/// The names that an expression uses: of samples, and of labels.
fn names(expression: &str) -> Vec<&str> {
    let all = expression.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    const WORDS: [&str; 4] = ["sum", "by", "rate", "1m"];
    all.filter(|word| !word.is_empty() && !WORDS.contains(word) && word.parse::<u32>().is_err())
        .collect()
}

#[test]
fn the_dashboard_asks_for_what_is_served() {
    let place = Place::new();
    let (_put, _lines) = open(&place);
    let (_served, address) = serve(&place);
    let answer = ask(&address, b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let (head, page) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK") && page.ends_with("# EOF\n"));
    let samples = samples(page);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packages/grafana/cica.json");
    let dashboard: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let variables = dashboard["templating"]["list"].as_array().unwrap();
    let variables: Vec<&str> = variables
        .iter()
        .map(|variable| variable["name"].as_str().unwrap())
        .collect();
    let (mut ids, mut places) = (BTreeSet::new(), BTreeSet::new());
    for panel in dashboard["panels"].as_array().unwrap() {
        let title = panel["title"].as_str().unwrap();
        assert!(
            ids.insert(panel["id"].as_u64().unwrap()),
            "{title}: its id is another's"
        );
        let number = |name: &str| panel["gridPos"][name].as_u64().unwrap();
        let [x, y, w, h] = ["x", "y", "w", "h"].map(number);
        assert!(x + w <= 24, "{title}: the grid has 24 columns");
        let free = (x..x + w).all(|x| (y..y + h).all(|y| places.insert((x, y))));
        assert!(free, "{title}: it lies over another");
        let mut letters = BTreeSet::new();
        for target in panel["targets"].as_array().unwrap() {
            assert!(letters.insert(target["refId"].as_str().unwrap()), "{title}: refId");
            let uid = target["datasource"]["uid"].as_str().unwrap();
            assert!(
                variables.contains(&uid.trim_matches(&['$', '{', '}'][..])),
                "{title}: {uid}"
            );
            let expression = target["expr"].as_str().unwrap();
            let (metrics, mut labels): (Vec<&str>, Vec<&str>) = names(expression)
                .into_iter()
                .partition(|name| name.starts_with("cica_"));
            assert!(!metrics.is_empty(), "{title}");
            let legend = target["legendFormat"].as_str().unwrap();
            labels.extend(legend.split("{{").skip(1).map(|rest| rest.split("}}").next().unwrap()));
            for metric in metrics {
                let there = samples.get(metric);
                let there = there.unwrap_or_else(|| panic!("{title}: {metric} is not served"));
                let missing: Vec<_> = labels.iter().filter(|label| !there.contains(**label)).collect();
                assert!(missing.is_empty(), "{title}: {metric} has no {missing:?}");
            }
        }
    }
}

#[test]
fn who_sends_garbage_is_answered_and_a_port_that_is_taken_is_told() {
    let place = Place::new();
    place.names("0001 ANNE\n");
    let (_served, address) = serve(&place);
    for (request, status) in [
        (&b"GET / HTTP/1.1\r\n\r\n"[..], "200"),
        (b"GET /json HTTP/1.1\r\n\r\n", "200"),
        (b"GET /../catalog HTTP/1.1\r\n\r\n", "404"),
        (b"DELETE / HTTP/1.1\r\n\r\n", "400"),
        (b"\xFF\x00\r\n\r\n", "400"),
        (b"", "400"),
    ] {
        let answer = ask(&address, request);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
    }
    // All that is sent is read, or the answer would be lost with the connection.
    for garbage in [8_192, 20_000, 500_000] {
        let answer = ask(&address, &vec![b'x'; garbage]);
        assert!(answer.starts_with("HTTP/1.1 400 "), "{garbage}: {answer}");
    }
    assert!(ask(&address, b"GET / HTTP/1.1\r\n\r\n").contains("<title>Cica monitor</title>"));
    let head = ask(&address, b"HEAD / HTTP/1.1\r\n\r\n");
    assert!(
        head.starts_with("HTTP/1.1 200 OK") && head.ends_with("\r\n\r\n"),
        "{head}"
    );
    let taken = place.run(&["monitor", "--listen", &address]);
    taken.failed(8, &["CICA1081E", &address, "another program listens there", "ss -ltnp"]);
    for (listen, remedy) in [
        ("abc", "say 9100"),
        ("10.0.0.5", "say 10.0.0.5:9100"),
        ("65536", "65535"),
    ] {
        let wrong = place.run(&["monitor", "--listen", listen]);
        wrong.failed(8, &[&format!("CICA1081E --listen {listen}: "), remedy]);
    }
}

#[test]
fn a_client_that_sends_slowly_keeps_nobody_waiting() {
    let place = Place::new();
    place.names("AAAAone\n");
    let (_ended, address) = serve(&place);
    let mut slow = TcpStream::connect(&address).unwrap();
    let started = std::time::Instant::now();
    slow.write_all(b"G").unwrap();
    let dripping = std::thread::spawn(move || {
        while started.elapsed().as_secs() < 20 && slow.write_all(b"G").is_ok() {
            std::thread::sleep(std::time::Duration::from_millis(200));
        }
    });
    assert!(ask(&address, b"GET /metrics HTTP/1.1\r\n\r\n").contains("200 OK"));
    assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
    dripping.join().unwrap();
}

/// More than are served at the same time: the first of them are closed.
#[test]
fn three_hundred_clients_that_send_no_request_keep_nobody_waiting() {
    let place = Place::new();
    place.names("AAAAone\n");
    let (_ended, address) = serve(&place);
    for sent in [&b""[..], b"GET /metrics HTTP/1.1\r\n", &[b'x'; 8191]] {
        let mut idle = Vec::new();
        for _ in 0..300 {
            let mut stream = TcpStream::connect(&address).unwrap();
            stream.write_all(sent).unwrap();
            idle.push(stream);
        }
        let started = std::time::Instant::now();
        assert!(ask(&address, b"GET /metrics HTTP/1.1\r\n\r\n").contains("200 OK"));
        assert!(started.elapsed().as_millis() < 1500, "{:?}", started.elapsed());
        // Those that are kept are closed as well, in a while.
        let mut end = Vec::new();
        let closed = idle.last_mut().unwrap().read_to_end(&mut end);
        assert!(closed.is_err() || end.is_empty(), "{end:?}");
    }
}

/// Who asks for much and reads nothing of it is a client like others.
#[test]
fn clients_that_do_not_read_keep_nobody_waiting() {
    let place = Place::new();
    place.names("AAAAone\n");
    let (_ended, address) = serve(&place);
    let mut deaf = Vec::new();
    for _ in 0..100 {
        let mut stream = TcpStream::connect(&address).unwrap();
        stream.write_all(b"GET /metrics HTTP/1.1\r\n\r\n").unwrap();
        deaf.push(stream);
    }
    let started = std::time::Instant::now();
    assert!(ask(&address, b"GET /metrics HTTP/1.1\r\n\r\n").contains("200 OK"));
    assert!(started.elapsed().as_millis() < 1500, "{:?}", started.elapsed());
    let mut late = String::new();
    deaf[0].read_to_string(&mut late).unwrap();
    assert!(late.ends_with("# EOF\n"), "{late}");
}

/// As from a page of another site, whose name was made to lead here after the page was read.
#[test]
fn who_calls_the_machines_own_address_by_another_name_reads_nothing() {
    let place = Place::new();
    place.names("AAAAone\n");
    let (_ended, address) = serve(&place);
    for path in ["/", "/json", "/metrics"] {
        for host in ["localhost", "127.0.0.1", &address] {
            let answer = ask(
                &address,
                format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes(),
            );
            assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        }
        let answer = ask(
            &address,
            format!("GET {path} HTTP/1.1\r\nHost: evil.example:9100\r\n\r\n").as_bytes(),
        );
        assert!(
            answer.starts_with("HTTP/1.1 421 ") && answer.contains("localhost"),
            "{answer}"
        );
    }
    // Where it listens on another address it can be asked by any name.
    let (_ended, address) = serve_on(&place, "0.0.0.0:0");
    let port = address.rsplit(':').next().unwrap();
    let answer = ask(
        &format!("127.0.0.1:{port}"),
        b"GET /metrics HTTP/1.1\r\nHost: name.example\r\n\r\n",
    );
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
}

/// Who cannot look knows nothing of what runs, and says so.
#[test]
fn a_directory_that_cannot_be_looked_at_is_told() {
    let place = Place::new();
    place.names("0001 ANNE\n");
    let directory = place.path("catalog/stat");
    let shown = place.run(&["monitor", "--json"]).json();
    assert_eq!(shown["not_shown"].as_array().unwrap().len(), 0, "{shown}");
    std::fs::remove_dir_all(&directory).unwrap_or_default();
    std::fs::write(&directory, b"").unwrap();
    let shown = place.run(&["monitor", "--json"]).json();
    let path = shown["not_shown"][0]["path"].as_str().unwrap();
    assert!(path.ends_with("/stat"), "{shown}");
    let text = place.run(&["monitor", "--once"]).done();
    assert!(text.contains("not shown: "), "{text}");
    let stat = place.run(&["stat", "A.NAMES", "--json"]).json();
    assert!(stat["not_shown"][0].as_str().unwrap().contains("/stat"), "{stat}");
    let mut monitor = place.command(&["monitor", "--listen", "0"]);
    let mut monitor = Ended(monitor.stdout(Stdio::piped()).spawn().unwrap());
    let mut line = String::new();
    BufReader::new(monitor.0.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let address = line
        .split("http://")
        .nth(1)
        .unwrap()
        .trim_end_matches([' ', '/'])
        .split('/')
        .next()
        .unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(b"GET /metrics HTTP/1.0\r\n\r\n").unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    assert!(page.contains("\ncica_not_shown 1\n"), "{page}");
}

#[test]
fn options_that_would_do_nothing_are_refused() {
    let place = Place::new();
    for other in [&["--json"][..], &["--listen", "0"]] {
        let run = place.run(&[&["monitor", "--view", "locks"], other].concat());
        assert!(run.status == 64 && run.err.contains("--view"), "{}", run.err);
    }
}
