//! Rows of deals.

use std::sync::Arc;

use frontdesk_crm::deals::{self, CloseDeal, DealError, DealOutcome, NewDeal, Title};
use frontdesk_crm::pipelines::{self, Pipeline, PipelineId, StageId};
use frontdesk_db::{ReadTx, Tx};
use frontdesk_kernel::{Currency, Date, Money, Patch, Text};
use frontdesk_platform::Error as PlatformError;
use frontdesk_platform::imports::ImportedKind;

use super::batch::{Import, Refused, Summary};
use super::people;
use super::reader::CsvRow;
use crate::error::{Error, Result};

const SOURCE: &str = "csv";

/// A deal to be made, and how it has ended.
struct Wanted {
    new: NewDeal,
    end: Option<CloseDeal>,
}

type Read<T> = std::result::Result<T, Refused>;

impl Import {
    pub(crate) async fn deals(&self, rows: Vec<CsvRow>) -> Result<Summary> {
        let (import, rows) = (self.clone(), Arc::new(rows));
        if self.dry_run {
            return self.store.scan(move |tx| import.preview_deals(tx, &rows)).await;
        }
        self.store.write(move |tx| import.write_deals(tx, &rows)).await
    }

    fn kind_of_deals(&self) -> ImportedKind {
        ImportedKind { account: self.account, source: SOURCE.to_owned(), kind: "deal" }
    }

    fn preview_deals(&self, tx: &mut ReadTx<'_>, rows: &[CsvRow]) -> Result<Summary> {
        let (mut summary, kind) = (Summary::default(), self.kind_of_deals());
        let pipelines = pipelines::list(tx, self.account)?;
        for row in rows {
            if kind.find(tx, self.number_of(row))?.is_some() {
                summary.unchanged += 1;
                continue;
            }
            match self.deal(tx, &pipelines, row)? {
                Ok(_) => summary.created += 1,
                Err(refused) => summary.refuse(row, vec![refused]),
            }
        }
        Ok(summary)
    }

    fn write_deals(&self, tx: &mut Tx<'_>, rows: &[CsvRow]) -> Result<Summary> {
        let (mut summary, kind) = (Summary::default(), self.kind_of_deals());
        let pipelines = pipelines::list(tx, self.account)?;
        for row in rows {
            let number = self.number_of(row);
            if kind.find(tx, number)?.is_some() {
                summary.unchanged += 1;
                continue;
            }
            let wanted = match self.deal(tx, &pipelines, row)? {
                Ok(wanted) => wanted,
                Err(refused) => {
                    summary.refuse(row, vec![refused]);
                    continue;
                }
            };
            let made = deals::create(tx, &self.by, &wanted.new).map_err(told)?;
            if let Some(end) = &wanted.end {
                deals::close(tx, &self.by, made.id, end).map_err(told)?;
            }
            kind.note(tx, number, made.id.uuid())?;
            summary.created += 1;
        }
        Ok(summary)
    }

    fn deal(&self, tx: &mut ReadTx<'_>, pipelines: &[Pipeline], row: &CsvRow) -> Result<Read<Wanted>> {
        let contact = match people::contact(tx, self, row)? {
            Ok(contact) => contact,
            Err(refused) => return Ok(Err(refused)),
        };
        let owner = match people::member(tx, self, row, "owner_email")? {
            Ok(owner) => owner,
            Err(refused) => return Ok(Err(refused)),
        };
        Ok(self.read_deal(pipelines, row).map(|(mut new, end)| {
            new.contact_id = contact;
            new.owner_user_id = owner.map_or(Patch::Keep, Patch::Set);
            Wanted { new, end }
        }))
    }

    /// What a row says on its own.
    fn read_deal(&self, pipelines: &[Pipeline], row: &CsvRow) -> Read<(NewDeal, Option<CloseDeal>)> {
        let cell = |target: &str| self.cell(row, target);
        let refused = |target: &str, reason: String| Refused::new(row.line, target, reason, cell(target));
        let title = cell("title").ok_or_else(|| refused("title", "is needed".to_owned()))?;
        let (pipeline_id, stage_id) = place(pipelines, cell("pipeline"), cell("stage"))
            .map_err(|(target, reason)| refused(target, reason))?;
        let value = cell("value").map(|text| self.mapping.plain_number(text).parse::<Money>()).transpose();
        let currency = cell("currency").map(|text| text.to_uppercase().parse::<Currency>()).transpose();
        let expected = cell("expected_close_date").map(str::parse::<Date>).transpose();
        let new = NewDeal {
            title: title.parse::<Title>().map_err(|wrong| refused("title", wrong.to_string()))?,
            value: value.map_err(|wrong| refused("value", format!("must be an amount: {wrong}")))?,
            currency: currency.map_err(|_| refused("currency", "must be a code such as EUR".to_owned()))?,
            pipeline_id,
            stage_id,
            contact_id: None,
            owner_user_id: Patch::Keep,
            expected_close_date: expected.map_err(|_| {
                refused("expected_close_date", "must be a date such as 2026-01-31".to_owned())
            })?,
        };
        let outcome = match cell("status").map(str::to_lowercase).as_deref() {
            None | Some("open") => None,
            Some("won") => Some(DealOutcome::Won),
            Some("lost") => Some(DealOutcome::Lost),
            Some(_) => return Err(refused("status", "must be open, won or lost".to_owned())),
        };
        let reason = cell("lost_reason")
            .filter(|_| outcome == Some(DealOutcome::Lost))
            .map(str::parse::<Text<1_000>>)
            .transpose();
        let reason = reason.map_err(|wrong| refused("lost_reason", wrong.to_string()))?;
        Ok((new, outcome.map(|outcome| CloseDeal { outcome, reason })))
    }
}

type Place = (Option<PipelineId>, Option<StageId>);

/// The pipeline and the stage of these names.
fn place(
    pipelines: &[Pipeline],
    pipeline: Option<&str>,
    stage: Option<&str>,
) -> std::result::Result<Place, (&'static str, String)> {
    let is = |name: &str, wanted: &str| name.to_lowercase() == wanted.to_lowercase();
    let known: Vec<&str> = pipelines.iter().map(|pipeline| pipeline.name.as_str()).collect();
    let chosen = match pipeline {
        Some(name) => Some(
            pipelines
                .iter()
                .find(|pipeline| is(&pipeline.name, name))
                .ok_or_else(|| ("pipeline", format!("is no pipeline; there are {}", known.join(", "))))?,
        ),
        None => None,
    };
    let Some(stage) = stage else { return Ok((chosen.map(|pipeline| pipeline.id), None)) };
    let among = pipelines.iter().filter(|pipeline| chosen.is_none_or(|chosen| chosen.id == pipeline.id));
    let stages: Vec<_> =
        among.flat_map(|pipeline| pipeline.stages.iter().map(move |stage| (pipeline.id, stage))).collect();
    let found = stages.iter().find(|(_, known)| is(&known.name, stage)).ok_or_else(|| {
        let known: Vec<&str> = stages.iter().map(|(_, stage)| stage.name.as_str()).collect();
        ("stage", format!("is no stage; there are {}", known.join(", ")))
    })?;
    Ok((Some(found.0), Some(found.1.id)))
}

fn told(error: DealError) -> Error {
    match error {
        DealError::Platform(PlatformError::Store(error)) => Error::Store(error),
        error => Error::Invalid(error.to_string()),
    }
}
