/** The words and flags of `curbline fleet`. Their code is loaded only when one of them is called. */

import { Option } from "commander"
import type { Command } from "commander"
import { ENVIRONMENTS } from "../../model/caller.ts"
import type { ExitStatus } from "../kit/exit-codes.ts"
import type { FleetFlags } from "./fleet.ts"
import type { WorkFlags } from "./fleet-database.ts"
import type { FitFlags } from "./fleet-fit.ts"
import type { InspectTableFlags } from "./fleet-inspect-table.ts"
import type { ForecastFlags } from "./fleet-forecast.ts"
import type { WatchFlags } from "./fleet-watch.ts"

const PRODUCTS = ["reservation", "delivery", "courier"]

type Act = (run: () => Promise<ExitStatus>) => Promise<void>

const WATCH = new Option(
  "--watch",
  "show one run as it moves, on a page of this machine, until Ctrl-C",
).conflicts(["checkDeterminism", "csv", "database", "full", "json", "record", "report", "workers"])
const PORT = new Option("--port <n>", "of the page of --watch (a free one)").implies({ watch: true })

export function addFleetCommand(curbline: Command, act: Act): void {
  const fleet = curbline
    .command("fleet")
    .enablePositionalOptions()
    .description("run a fleet model on many seeds: waits, utilisation, promises")
    .argument("<file>", "a fleet model (YAML)")
    .option("--seeds <n|a..b>", "on these seeds instead of the model's")
    .option("--workers <n>", "worker threads, or all processors (1)")
    .option("--full", "print every figure of every case, not only the answer")
    .option("--json", "print one JSON object")
    .option("--csv <file>", "write every replication's figures, one a row")
    .option("--report <file>", "write a report: one HTML file that needs no network")
    .option("--record <file>", "write the journals of one replication, for inspect and replay")
    .addOption(WATCH)
    .addOption(PORT)
    .option("--check-determinism", "make every replication twice and compare")
    .option(
      "--database <url>",
      "let the workers of this PostgreSQL make them; PGPASSWORD may hold the password",
    )
    .action((file: string, flags: FleetFlags & WatchFlags & { readonly watch?: true }) =>
      act(() =>
        flags.watch === true
          ? import("./fleet-watch.ts").then(({ fleetWatchCommand }) => fleetWatchCommand(file, flags))
          : import("./fleet.ts").then(({ fleetCommand }) => fleetCommand(file, flags)),
      ),
    )
  addInspectTableCommand(fleet, act)
  addFitCommand(fleet, act)
  fleet
    .command("forecast")
    .description(
      "say which promises break in the next hours, from the present of a site or the end of a record",
    )
    .option("--database <url>", "the PostgreSQL of a service; PGPASSWORD may hold the password")
    .option("--site <id|name>", "the site of --database")
    .addOption(new Option("--environment <name>", "of that site (production)").choices([...ENVIRONMENTS]))
    .option("--journal <file>", "a run record (NDJSON) instead of a database")
    .option("--model <file>", "a fleet model with promises, instead of one that is fitted from the journal")
    .option(
      "--promise <bound...>",
      "what must hold beside the promises of --model, such as 'reservations.wait_p95 < 8m'",
    )
    .option("--ahead <duration>", "how far to look, at most 7d", "2h")
    .option("--replications <n>", "how many", "200")
    .option("--seed <n>", "of the first replication", "1")
    .option("--json", "print one JSON object")
    .action((flags: ForecastFlags) =>
      act(() =>
        import("./fleet-forecast.ts").then(({ fleetForecastCommand }) => fleetForecastCommand(flags)),
      ),
    )
  addWorkCommand(fleet, act)
}

function addFitCommand(fleet: Command, act: Act): void {
  fleet
    .command("fit")
    .description("write a fleet model from the journal of a run or of a site, or from a log of orders")
    .option("--journal <file>", "a run record (NDJSON), also a live journal")
    .option("--database <url>", "the PostgreSQL of a service; PGPASSWORD may hold the password")
    .option("--site <id|name>", "the site of --database")
    .addOption(new Option("--environment <name>", "of that site (production)").choices([...ENVIRONMENTS]))
    .option("--from <date>", "leave out what was booked before this local date or time")
    .option("--to <date>", "leave out what was booked from this local date or time on")
    .option(
      "--timezone <zone>",
      "of the hours of arrivals, instead of the record's or the site's; of --bind (UTC)",
    )
    .option("--table <file>", "a log of orders: CSV, TSV, NDJSON, a JSON array or Parquet")
    .option(
      "--bind <key=column...>",
      "what columns of --table mean, as in a model's replay: time=created_at preparation.to=ready_at",
    )
    .option("--model <file>", "a model with a demand that replays --table, instead of --bind")
    .addOption(new Option("--product <name>", "of --bind (delivery)").choices(PRODUCTS))
    .option("--out <file>", "write the model here instead of stdout")
    .option("--report <file>", "write a page with a picture of each fitted duration")
    .action((flags: FitFlags) =>
      act(() => import("./fleet-fit.ts").then(({ fleetFitCommand }) => fleetFitCommand(flags))),
    )
}

function addInspectTableCommand(fleet: Command, act: Act): void {
  fleet
    .command("inspect-table")
    .description("show the columns of a log of orders, and write a demand that replays it")
    .argument("<file>", "a table: CSV, TSV, NDJSON, a JSON array or Parquet")
    .option("--json", "print one JSON object")
    .option("--out <file>", "write the demand (YAML) here instead of stdout")
    .action((file: string, flags: InspectTableFlags) =>
      act(() =>
        import("./fleet-inspect-table.ts").then(({ fleetInspectTableCommand }) =>
          fleetInspectTableCommand(file, flags),
        ),
      ),
    )
}

function addWorkCommand(fleet: Command, act: Act): void {
  fleet
    .command("work")
    .description("make the replications that are sent to a shared PostgreSQL")
    .requiredOption("--database <url>", "the PostgreSQL; PGPASSWORD may hold the password")
    .option("--threads <n>", "replications at once (all processors)")
    .action((flags: WorkFlags) =>
      act(() => import("./fleet-database.ts").then(({ fleetWorkCommand }) => fleetWorkCommand(flags))),
    )
}
