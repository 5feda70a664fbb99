/**
 * The service's log: one logger for everything, errors without their input data, and no secrets, even if a text quotes
 * one.
 */

import { DrizzleQueryError } from "drizzle-orm/errors"
import { Cause, Effect } from "effect"
import { describe, expect, test } from "vitest"
import { newBearer } from "../../../src/http/access/bearer.ts"
import { layerServiceLog, makeServiceLog, relayTo } from "../../../src/live/observation/service-log.ts"
import type { ServiceLog, ServiceLogOptions } from "../../../src/live/observation/service-log.ts"
import { databaseFault } from "../../../src/engine/store/database.ts"

function logged(act: (log: ServiceLog) => void, options: Partial<ServiceLogOptions> = {}): readonly string[] {
  const lines: string[] = []
  act(makeServiceLog({ level: "debug", format: "json", write: (line) => lines.push(line), ...options }))
  return lines
}

function fields(line: string | undefined): Record<string, unknown> {
  return JSON.parse(line ?? "null") as Record<string, unknown>
}

const KEY = `ck_prod_${"A1".repeat(20)}`
const TOKEN = newBearer({ prefix: "ot", purpose: "operator token" }, "sandbox", "bits")
const SECRET = "A1b_".repeat(10)
const PHONE = "+15125550137"

describe("a line of the log", () => {
  test("is JSON with time, level and words", () => {
    const [line] = logged((log) => log.info({ route: "/x" }, "answered"))
    expect(line).toMatch(/\n$/)
    expect(fields(line)).toEqual({
      level: "info",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      route: "/x",
      msg: "answered",
    })
  })

  test("is logfmt for eyes", () => {
    const [line] = logged((log) => log.warn({ route: "/x", checks: { a: 1 } }, "two words"), {
      format: "logfmt",
    })
    expect(line).toMatch(/^time=\S+ level=warn msg="two words" route=\/x checks=\{"a":1\}\n$/)
  })

  test("is not written below the level", () => {
    expect(logged((log) => log.debug("quiet"), { level: "info" })).toEqual([])
  })

  test("of another thread says which, in this log's own form, with its error as it was shown there", () => {
    const [line] = logged(
      (log) => {
        const there = makeServiceLog({ level: "info", format: "json", write: relayTo(log, "calls") })
        there.error({ err: new Error("away"), at: "reservation/res_1" }, "the database is away")
      },
      { format: "logfmt" },
    )
    expect(line).toMatch(
      /^time=\S+ level=error msg="the database is away" thread=calls err=\{"type":"Error","message":"away","at":.* at=reservation\/res_1\n$/,
    )
  })

  test("comes from Effects too, with level, annotations and cause", () => {
    const program = Effect.logError("the wake-up failed", Cause.die(new Error("away"))).pipe(
      Effect.annotateLogs({ at: "reservation/res_1" }),
      Effect.zipRight(Effect.logWarning("later")),
    )
    const lines = logged((log) => Effect.runSync(Effect.provide(program, layerServiceLog(log))))
    expect(lines.map(fields)).toEqual([
      expect.objectContaining({
        level: "error",
        msg: "the wake-up failed",
        at: "reservation/res_1",
        err: expect.objectContaining({ type: "Error", message: "away" }),
      }),
      expect.objectContaining({ level: "warn", msg: "later" }),
    ])
  })
})

describe("an error in the log", () => {
  test("shows name, message, place and causes", () => {
    const [line] = logged((log) =>
      log.error({ err: new TypeError("outer", { cause: new Error("inner") }) }, "failed"),
    )
    expect(fields(line)["err"]).toMatchObject({
      type: "TypeError",
      message: "outer",
      at: expect.arrayContaining([expect.stringContaining("service-log.test.ts")]),
      cause: { type: "Error", message: "inner" },
    })
  })

  test("of a failed query does not show the values that were to be written, nor any other field", () => {
    const inner = Object.assign(new Error("value too long"), {
      code: "22001",
      detail: `Key (end_user_name)=(Ada)`,
    })
    const failed = new DrizzleQueryError(
      "insert into reservations values ($1, $2)",
      ["Ada Example", PHONE],
      inner,
    )
    const [line = ""] = logged((log) =>
      log.error({ err: databaseFault("booking", failed) }, "a request failed"),
    )
    expect(line).toContain("value too long")
    expect(line).toContain("insert into reservations")
    for (const secret of ["Ada", PHONE]) expect(line).not.toContain(secret)
  })
})

describe("a secret that a text quotes is removed from the log", () => {
  test.each([
    ["an API key", `unknown key ${KEY}`, KEY],
    ["an operator token", `unknown token ${TOKEN}`, TOKEN],
    ["an access token of the connector", `mca_${SECRET} is over`, SECRET],
    ["a refresh token of the connector", `mcr_${SECRET} is over`, SECRET],
    ["a code of the connector", `mcc_${SECRET} is over`, SECRET],
    ["a key of the payment processor", `No such key: rk_live_${SECRET}`, SECRET],
    ["a header", "Authorization: Bearer abc.def-123", "abc.def-123"],
    ["a webhook secret", "whsec_abcDEF123/+=", "abcDEF123"],
    ["a signature in a link", "/rs/v1/photos/1?exp=1&sig=00ff00ff", "00ff00ff"],
    ["a database's password", "postgres://curbline:hunter2@db/x", "hunter2"],
    ["a phone number, but for its last four digits", `sent to ${PHONE}`, "512555"],
  ])("%s", (_, text, secret) => {
    for (const format of ["json", "logfmt"] as const) {
      const [line = ""] = logged((log) => log.info({ text, err: new Error(text) }, text), { format })
      expect(line).toContain("removed")
      expect(line).not.toContain(secret)
    }
  })

  test("and what is none stays", () => {
    const text = "res_0192 at 2026-03-02T11:30:00.000+00:00, 4010 requests, +15 minutes"
    expect(fields(logged((log) => log.info(text))[0])["msg"]).toBe(text)
  })
})
