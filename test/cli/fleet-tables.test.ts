/** `curbline fleet inspect-table` and `fleet fit --table`, and `check` of a model with a table. */

import { existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { textOfBeside } from "../../src/cli/fleets/fleet-files.ts"
import { TABLE_BYTES_MAX } from "../../src/model/values/limits.ts"
import { fileWith, folder } from "./command-line.ts"
import { curblineHere } from "./same-process.ts"

const MODEL = "scenarios/fleets/order-log.yaml"
const LOG = "scenarios/fleets/order-log.csv"

test("the columns of a log are shown with their meanings, and a demand that replays it", async () => {
  const { status, out } = await curblineHere("fleet", "inspect-table", LOG)
  expect(status).toBe(0)
  expect(out).toMatch(/^6 +door_lat +number +100% .* door\.lat$/m)
  expect(out).toMatch(/^12:00 +█+ 182$/m)
  expect(out).toContain("      preparation: { from: accepted_at, to: ready_at }\n")
})

test("the demand goes into a file that is not there yet, and JSON has the same", async () => {
  const path = join(folder(), "demand.yaml")
  const { out } = await curblineHere("fleet", "inspect-table", LOG, "--json", "--out", path)
  expect((JSON.parse(out) as { readonly demand: string }).demand).toBe(readFileSync(path, "utf8"))
  expect(await curblineHere("fleet", "inspect-table", LOG, "--out", path)).toMatchObject({
    status: 2,
    err: `error: ${path} exists; name another file or remove it\n`,
  })
})

test("what is no table is a mistake", async () => {
  const wrong = fileWith("wrong.json", "[1, 2]")
  expect(await curblineHere("fleet", "inspect-table", wrong)).toMatchObject({
    status: 2,
    err: `error: ${wrong} is no table: row 1 is no object\n`,
  })
})

test("a file that gives no table is said: none, a folder, or how large it is", async () => {
  const here = folder()
  const large = join(here, "large.csv")
  writeFileSync(large, "")
  truncateSync(large, TABLE_BYTES_MAX + 1)
  const size = `has ${TABLE_BYTES_MAX + 1} bytes, more than ${TABLE_BYTES_MAX}`
  for (const [file, says] of [
    [join(here, "none.csv"), `there is no file ${join(here, "none.csv")}`],
    [here, `${here} is a folder, not a file`],
    [large, `${large} ${size}`],
  ] as const)
    expect(await curblineHere("fleet", "inspect-table", file)).toMatchObject({
      status: 2,
      err: `error: ${says}\n`,
    })
  const model = join(here, "model.yaml")
  writeFileSync(model, readFileSync(MODEL, "utf8").replaceAll("order-log.csv", "large.csv"))
  expect((await curblineHere("check", model)).err).toContain(`large.csv ${size}`)
})

test("text beside a model that is too large to be read at once has its size", () => {
  for (const name of [fileWith("large.geojson", ""), fileWith("large.osm.pbf", "")]) {
    truncateSync(name, 2 ** 31)
    const streets = { near: { west: 0, south: 0, east: 1, north: 1 }, profile: null }
    expect(textOfBeside(name, streets)).toEqual({ fault: "has 2147483648 bytes, more than 2147483647" })
  }
})

test("check says how a table was read, and which rows are no orders", async () => {
  const { status, err } = await curblineHere("check", MODEL)
  expect(status).toBe(0)
  expect(err).toMatch(/^! .*order-log\.yaml:\d+:\d+: order-log\.csv: CSV with "," between cells; UTF-8; /m)
  expect(err).toContain(
    "472 of 483 rows are orders; left out are 11 whose door is outside of the service area (first in line 62)",
  )
})

test.each([
  ["--bind", ["time=ordered_at", "preparation.from=accepted_at", "preparation.to=ready_at"]],
  ["--model", [MODEL]],
])("a model fitted from a log by %s is read, and its page has the pictures", async (flag, values) => {
  const [model, report] = [join(folder(), "fitted.yaml"), join(folder(), "fit.html")]
  const asked = ["fleet", "fit", "--table", LOG, "--out", model, "--report", report, flag, ...values]
  const { status, err } = await curblineHere(...asked)
  expect(status).toBe(0)
  expect(err).toMatch(/^preparation of \w+: .*n \d+, .*KS 0\.\d+, p /m)
  expect(await curblineHere("check", model)).toMatchObject({ status: 0 })
  expect(readFileSync(report, "utf8")).toContain("preparation of ")
})

test.each([
  [[], "--table needs the meaning of its columns"],
  [["--bind", "time=nowhere"], '--bind: order-log.csv has no column "nowhere"'],
  [["--bind", "time"], '--bind takes such as time=created_at or preparation.to=ready_at, not "time"'],
  [
    ["--model", "scenarios/fleets/quiet-site.yaml"],
    "no demand of scenarios/fleets/quiet-site.yaml replays a table",
  ],
])("a fit that does not know its columns writes nothing: %j", async (flags, message) => {
  const path = join(folder(), "fitted.yaml")
  const { status, err } = await curblineHere("fleet", "fit", "--table", LOG, "--out", path, ...flags)
  expect(status).toBe(2)
  expect(err).toContain(message)
  expect(existsSync(path)).toBe(false)
})
