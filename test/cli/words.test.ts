import { describe, expect, test } from "vitest"
import { fileWith } from "./command-line.ts"
import { curblineHere } from "./same-process.ts"

describe("curbline words", () => {
  test("without a word it lists all by group, one line each", async () => {
    const { status, out } = await curblineHere("words")
    expect(status).toBe(0)
    expect(out).toContain("Commands, for do and refuse\n  reservation.create ")
    expect(out).toMatch(/^ {2}bot\.report +the bot of ‹for› reports ‹status›$/m)
    expect(out).toMatch(/^Faults, for inject$/m)
    expect(out).toMatch(/^ {2}no stall is shared without need$/m)
  })

  test("with a word it prints its fields and an example that `check` accepts", async () => {
    const { status, out } = await curblineHere("words", "runner.measure")
    expect(status).toBe(0)
    expect(out).toMatch(/^ {2}weight_kg +its weight, kilograms \(in kilograms\)$/m)
    const example = out.slice(out.indexOf("scenario:"))
    const checked = await curblineHere("check", fileWith("example.yaml", example))
    // It shows a command, and expects nothing.
    expect(checked).toMatchObject({ status: 0, out: "1 scenario in 1 file, no problem, 1 warning\n" })
  })

  test("a word in other letters, or with other signs between its parts, is the word", async () => {
    const { out } = await curblineHere("words", "reservation.create")
    expect(out).toContain("reservation.create  Commands, for do and refuse\n")
    for (const written of [["Reservation.Create"], ["reservation_create"], ["reservation", "create"]])
      expect(await curblineHere("words", ...written)).toMatchObject({ status: 0, out, err: "" })
  })

  test("a reason code says when it is published, and `exception` lists them", async () => {
    const { status, out, err } = await curblineHere("words", "payload_rejected")
    expect({ status, err }).toEqual({ status: 0, err: "" })
    expect(out).toContain("runner.measure finds it at the counter, before runner.order_in_hand")
    expect(out).toContain("with: { weight_kg: 21 }")
    const { out: list } = await curblineHere("words", "exception")
    expect(list).toContain("the exception ‹exception› is published for ‹for›\n")
    expect(list).toMatch(/^ {2}stall_blocked +the stall is blocked; .* raises it \(exception\.raise\)/m)
  })

  test("the example of a slow processor shows what the agent is answered", async () => {
    const { out } = await curblineHere("words", "payments.take")
    expect(out).toContain("- refuse: { do: errand.pay, for: dinner, code: internal_error }")
  })

  test("an errand has its article", async () => {
    const { out } = await curblineHere("words", "errand.reserve")
    expect(out).toContain("the name of an errand\n")
  })

  test("an invariant is a sentence", async () => {
    const { status, out } = await curblineHere("words", "no", "stall", "is", "shared", "without", "need")
    expect(status).toBe(0)
    expect(out).toContain("  - no stall is shared without need")
  })

  test("an invariant that only the swarm checks says where, and its example runs", async () => {
    const { out: list } = await curblineHere("words", "invariants")
    expect(list).toContain("Invariants that only the swarm checks\n")
    expect(list).toMatch(/^ {2}a message is taken exactly once$/m)
    expect(list).toContain('npx curbline words "no reservation leaves a final status"')
    const { out } = await curblineHere("words", "a message is taken exactly once")
    expect(out).toContain(
      "about the journal; is checked by `curbline swarm`, and in scenarios with machine_faults",
    )
    const example = out.slice(out.indexOf("scenario:"))
    const { status } = await curblineHere("run", fileWith("swarm-example.yaml", example))
    expect(status).toBe(0)
  })

  test("--json prints the same for programs", async () => {
    const { out } = await curblineHere("words", "open_link.answers", "--json")
    const { words } = JSON.parse(out)
    expect(words).toHaveLength(1)
    expect(words[0]).toMatchObject({ word: "open_link.answers", group: "inject" })
    expect(words[0].fields).toContainEqual({
      name: "answers",
      type: expect.stringContaining("a status from 100 to 599"),
      unit: null,
      required: true,
      default: null,
      says: "one answer a call, the last for ever",
    })
  })

  test("an unknown word ends with 2, the nearest one and the command that lists all", async () => {
    expect(await curblineHere("words", "bot.reprt")).toMatchObject({
      status: 2,
      out: "",
      err: 'error: the language has no word "bot.reprt", did you mean "bot.report"? "npx curbline words" lists all\n',
    })
    const { err } = await curblineHere("words", "qqqqqqqq")
    expect(err).toBe('error: the language has no word "qqqqqqqq"; "npx curbline words" lists all\n')
  })

  test("a code, or a part of a word, finds the words that speak of it", async () => {
    const found = await curblineHere("words", "no_show")
    expect(found).toMatchObject({
      status: 0,
      err: 'the language has no word "no_show"; these speak of it:\n',
      out: expect.stringContaining("exception.raise"),
    })
    expect(found.out).not.toContain("vehicle.report")
    expect(JSON.parse((await curblineHere("words", "hold", "--json")).out).words).toContainEqual(
      expect.objectContaining({ word: "runner.hold" }),
    )
  })

  test("a mistake in a file names the command that lists what is possible", async () => {
    const head = "scenario: S\nbecause: B\nclock: 2026-03-02T11:30 America/Chicago\nsteps:\n"
    const check = async (step: string) =>
      (await curblineHere("check", fileWith("mistake.yaml", `${head}  - ${step}\n`))).err
    expect(await check("{ do: reservation.craete }")).toContain("help: npx curbline words do lists all")
    expect(await check("{ inject: calls.los }")).toContain("help: npx curbline words inject lists all")
    expect(await check("expect: { nothing: 1 }")).toContain("help: npx curbline words expect lists all")
  })
})
