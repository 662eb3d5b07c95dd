//! The results of a run, as a table for people and as JSON for programs.

use std::path::Path;
use std::time::Duration;
use std::{fs, thread};

use serde_json::{Value, json};

use crate::costs::{COST_HEAD, Cost, Costs};
use crate::error::Result;
use crate::load::Load;
use crate::process;
use crate::run::{Ratio, Run};

const BEGIN: &str = "<!-- results: written by `make bench ARGS=--write` -->";
const END: &str = "<!-- end of results -->";
const NONE: &str = "–";

/// The value that a figure should reach.
#[derive(Clone, Copy)]
pub(crate) enum Target {
    AtLeast(f64),
    AtMost(f64),
    /// The figure has no target.
    None,
}

impl Target {
    fn met(self, value: f64) -> Option<bool> {
        match self {
            Self::AtLeast(least) => Some(value >= least),
            Self::AtMost(most) => Some(value <= most),
            Self::None => None,
        }
    }
}

/// One line of the table of figures.
struct Line {
    cells: [String; 6],
    json: Value,
}

/// One line of the details: one kind of run.
struct Detail {
    cells: [String; 7],
    json: Value,
}

#[derive(Default)]
pub(crate) struct Report {
    lines: Vec<Line>,
    details: Vec<Detail>,
    costs: Costs,
}

const HEAD: [&str; 6] = ["figure", "measured", "ceiling", "ratio", "target", "met"];
const DETAIL_HEAD: [&str; 7] =
    ["what was run", "per second", "p50", "p99", "CPU per request", "of PostgreSQL", "memory"];

impl Report {
    /// Adds a rate and the rate that it is compared with.
    pub(crate) fn compare(
        &mut self,
        figure: &str,
        measured: &Run,
        ceiling: &Run,
        ratio: Ratio,
        target: Target,
    ) {
        // A ratio below 1 has three decimals, to show on which side of its target it is.
        let places = if ratio.median < 1.0 { 3 } else { 2 };
        let shown = format!("{:.places$} ({:.places$}–{:.places$})", ratio.median, ratio.least, ratio.most);
        let wanted = match target {
            Target::AtLeast(least) => format!("≥ {least}"),
            Target::AtMost(most) => format!("≤ {most}"),
            Target::None => NONE.to_owned(),
        };
        let rate = |run: &Run| format!("{}/s", per_second(run.rate));
        let met = target.met(ratio.median);
        let json = json!({
            "figure": figure, "measured": measured.rate, "ceiling": ceiling.rate, "met": met,
            "ratio": { "median": ratio.median, "least": ratio.least, "most": ratio.most },
        });
        let cells = [figure.to_owned(), rate(measured), rate(ceiling), shown, wanted, yes_or_no(met)];
        self.add(cells, json);
    }

    /// Adds a latency and the latency that it is compared with.
    pub(crate) fn compare_times(
        &mut self,
        figure: &str,
        measured: Option<Duration>,
        usual: Option<Duration>,
        ratio: Ratio,
        most: f64,
    ) {
        let met = Target::AtMost(most).met(ratio.median);
        let seconds = |time: Option<Duration>| time.map(|time| time.as_secs_f64());
        let json = json!({
            "figure": figure, "measured_seconds": seconds(measured), "ceiling_seconds": seconds(usual), "met": met,
            "ratio": { "median": ratio.median, "least": ratio.least, "most": ratio.most },
        });
        let time = |time| millis(time).unwrap_or_else(|| NONE.to_owned());
        let shown = format!("{:.2} ({:.2}–{:.2})", ratio.median, ratio.least, ratio.most);
        let cells =
            [figure.to_owned(), time(measured), time(usual), shown, format!("≤ {most}"), yes_or_no(met)];
        self.add(cells, json);
    }

    /// Stores a line and prints it immediately, because a whole run takes long.
    fn add(&mut self, cells: [String; 6], json: Value) {
        eprintln!("  {}", cells.join(" | "));
        self.lines.push(Line { cells, json });
    }

    /// Adds a figure that is not compared with another.
    pub(crate) fn state(&mut self, figure: &str, value: f64, unit: &str, most: f64) {
        let met = Target::AtMost(most).met(value);
        let json = json!({ "figure": figure, "measured": value, "unit": unit, "target": most, "met": met });
        let cells = [
            figure.to_owned(),
            format!("{value:.0} {unit}"),
            NONE.to_owned(),
            NONE.to_owned(),
            format!("< {most} {unit}"),
            yes_or_no(met),
        ];
        self.add(cells, json);
    }

    /// Adds a latency that has neither a comparison nor a target.
    pub(crate) fn note(&mut self, figure: &str, measured: Option<Duration>) {
        let json = json!({ "figure": figure, "measured_seconds": measured.map(|time| time.as_secs_f64()) });
        let none = || NONE.to_owned();
        let time = millis(measured).unwrap_or_else(none);
        let cells = [figure.to_owned(), time, none(), none(), none(), none()];
        self.add(cells, json);
    }

    pub(crate) fn detail(&mut self, what: &str, run: &Run) {
        let micros = |time: Option<Duration>| time.map(|time| format!("{:.0} µs", time.as_secs_f64() * 1e6));
        let cell = |text: Option<String>| text.unwrap_or_else(|| NONE.to_owned());
        let seconds = |time: Option<Duration>| time.map(|time| time.as_secs_f64());
        let json = json!({
            "what": what, "rate": run.rate, "p50_seconds": seconds(run.p50), "p99_seconds": seconds(run.p99),
            "cpu_seconds": seconds(run.cpu), "database_cpu_seconds": seconds(run.database_cpu),
            "memory_bytes": run.memory,
        });
        let cells = [
            what.to_owned(),
            per_second(run.rate),
            cell(millis(run.p50)),
            cell(millis(run.p99)),
            cell(micros(run.cpu)),
            cell(micros(run.database_cpu)),
            cell(run.memory.map(|bytes| format!("{:.0} MB", megabytes(bytes)))),
        ];
        self.details.push(Detail { cells, json });
    }

    /// Adds what an operation costs with some servers.
    pub(crate) fn cost(&mut self, what: &'static str, servers: usize, cost: Cost) {
        self.costs.add(what, servers, cost);
    }

    pub(crate) fn to_text(&self) -> String {
        let costs = aligned(&COST_HEAD, self.costs.cells().iter().map(|cells| &cells[..]), "  ");
        let lines = aligned(&HEAD, self.lines.iter().map(|line| &line.cells[..]), "  ");
        let details = aligned(&DETAIL_HEAD, self.details.iter().map(|detail| &detail.cells[..]), "  ");
        // The head alone is not shown.
        let tables = [lines, details, costs].into_iter().filter(|rows| rows.len() > 1);
        tables.map(|rows| rows.join("\n")).collect::<Vec<_>>().join("\n\n")
    }

    pub(crate) fn to_json(&self) -> Value {
        let lines: Vec<&Value> = self.lines.iter().map(|line| &line.json).collect();
        let details: Vec<&Value> = self.details.iter().map(|detail| &detail.json).collect();
        json!({ "figures": lines, "runs": details, "costs": self.costs.to_json() })
    }

    /// Replaces the results in the document.
    pub(crate) fn write_into(&self, document: &Path, load: &Load, rounds: usize) -> Result<()> {
        let text = fs::read_to_string(document)?;
        let results = self.to_markdown(load, rounds)?;
        Ok(fs::write(document, replaced(&text, &results).ok_or("the document has no place for results")?)?)
    }

    fn to_markdown(&self, load: &Load, rounds: usize) -> Result<String> {
        let how = format!(
            "On {} cores with {:.0} GB of memory, {} connections, {} s a run, {rounds} rounds.",
            thread::available_parallelism()?,
            process::machine_memory()? as f64 / f64::from(1 << 30),
            load.connections,
            load.measured.as_secs(),
        );
        let lines = marked(&HEAD, self.lines.iter().map(|line| &line.cells[..]));
        let details = marked(&DETAIL_HEAD, self.details.iter().map(|detail| &detail.cells[..]));
        Ok([how, lines, details].join("\n\n"))
    }
}

fn replaced(document: &str, results: &str) -> Option<String> {
    let (before, rest) = document.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n\n{results}\n\n{END}{after}"))
}

fn yes_or_no(met: Option<bool>) -> String {
    met.map_or(NONE, |met| if met { "yes" } else { "no" }).to_owned()
}

fn millis(time: Option<Duration>) -> Option<String> {
    time.map(|time| format!("{:.2} ms", time.as_secs_f64() * 1e3))
}

pub(crate) fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// Small rates keep a decimal.
fn per_second(rate: f64) -> String {
    if rate < 100.0 { format!("{rate:.1}") } else { thousands(rate.round() as u64) }
}

/// `12,345`
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Rows in aligned columns. The first line is the head.
fn aligned<'r>(head: &[&str], rows: impl Iterator<Item = &'r [String]>, between: &str) -> Vec<String> {
    let mut all = vec![head.iter().map(ToString::to_string).collect::<Vec<_>>()];
    all.extend(rows.map(<[String]>::to_vec));
    let width = |at: usize| all.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join(between).trim_end().to_owned()
    };
    all.iter().map(line).collect()
}

fn marked<'r>(head: &[&str], rows: impl Iterator<Item = &'r [String]>) -> String {
    let row = |cells: &[String]| format!("| {} |", cells.join(" | "));
    let mut lines = vec![row(&head.iter().map(ToString::to_string).collect::<Vec<_>>())];
    lines.push(format!("|{}", "---|".repeat(head.len())));
    lines.extend(rows.map(row));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let run = |rate: f64| Run { rate, p50: Some(Duration::from_micros(1500)), ..Run::default() };
        let mut report = Report::default();
        let ratio = Ratio { median: 0.25, least: 0.2, most: 0.3 };
        report.compare("GET", &run(12_345.6), &run(49_382.4), ratio, Target::AtLeast(0.15));
        report.state("idle memory", 51.0, "MB", 40.0);
        let [slow, quick] = [3, 2].map(|millis| Some(Duration::from_millis(millis)));
        report.compare_times("p99", slow, quick, Ratio { median: 1.5, least: 1.5, most: 1.5 }, 1.3);
        report.note("latency", slow);
        report.detail("GET", &run(12_345.6));
        report
    }

    #[test]
    fn results_stand_in_columns() {
        let text = report().to_text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "figure       measured  ceiling   ratio                target   met");
        assert_eq!(lines[1], "GET          12,346/s  49,382/s  0.250 (0.200–0.300)  ≥ 0.15   yes");
        assert_eq!(lines[2], "idle memory  51 MB     –         –                    < 40 MB  no");
        assert_eq!(lines[3], "p99          3.00 ms   2.00 ms   1.50 (1.50–1.50)     ≤ 1.3    no");
        assert_eq!(lines[4], "latency      3.00 ms   –         –                    –        –");
        assert!(lines[7].starts_with("GET           12,346      1.50 ms  –"), "{}", lines[7]);
        assert_eq!(report().to_json()["figures"][1]["met"], false);
    }

    #[test]
    fn the_document_keeps_everything_but_its_results() {
        let document = format!("before\n{BEGIN}\nold\n{END}\nafter\n");
        assert_eq!(replaced(&document, "new").unwrap(), format!("before\n{BEGIN}\n\nnew\n\n{END}\nafter\n"));
        assert_eq!(replaced("nothing", "new"), None);
        let rows = [["a".to_owned(), "b".to_owned()]];
        assert_eq!(marked(&["x", "y"], rows.iter().map(|row| &row[..])), "| x | y |\n|---|---|\n| a | b |");
    }

    #[test]
    fn numbers_are_easy_to_read() {
        assert_eq!([12.34, 999.6, 1_234_567.0].map(per_second), ["12.3", "1,000", "1,234,567"]);
        assert_eq!([7, 5_000].map(thousands), ["7", "5,000"]);
    }
}
