/** What an agent's customer sees at the checkout page, and what becomes of a payment that ends after its hold. */

import { expect, test } from "vitest"
import { readScenarios } from "../../../src/simulation/scenario/language/read.ts"
import { runScenario } from "../../../src/simulation/scenario/run.ts"
import { NAMES } from "./names-in-tests.ts"

function failuresOf(...steps: readonly string[]): readonly string[] {
  const lines = [
    "scenario: S",
    "because: B",
    "clock: 2026-03-02T11:30 America/Chicago",
    "steps:",
    "  - { do: errand.check, as: lunch }",
    ...steps.map((step) => `  - ${step}`),
    "",
  ]
  const { scenarios, problems } = readScenarios("x.yaml", lines.join("\n"), NAMES)
  expect(problems).toEqual([])
  return scenarios.flatMap((one) => runScenario(one).failures.map(({ message }) => message))
}

const RESERVE = "{ do: errand.reserve, for: lunch }"
const page = (name: string): string => `expect: { errand: lunch, checkout_page: ${name} }`

test("the page is that of the last link: open, paid, closed or expired, and nothing without a link", () => {
  expect(failuresOf(page("open"))).toEqual([
    "expected that lunch has checkout_page open, found that lunch has no checkout_page",
  ])
  expect(
    failuresOf(RESERVE, page("open"), "{ do: errand.pay_at_checkout, for: lunch }", page("paid")),
  ).toEqual([])
  expect(failuresOf(RESERVE, "{ do: errand.cancel, for: lunch }", page("closed"))).toEqual([])
  expect(failuresOf(RESERVE, "{ at: 12:04:59, " + page("open") + " }", page("expired"))).toEqual([
    "expected that lunch has checkout_page expired, found that lunch has checkout_page open",
  ])
  expect(failuresOf(RESERVE, "{ at: 12:05, " + page("expired") + " }")).toEqual([])
})

const SLOW = [RESERVE, "{ inject: payments.take, with: { time: 15s } }"]

test("a page that has no answer after ten seconds does not say that the payment was declined", () => {
  const code = (is: string): string =>
    `{ at: 11:44:50, refuse: { do: errand.pay_at_checkout, for: lunch, code: ${is} } }`
  const paid = "expect: { errand: lunch, state: quoted, payment: authorized, at: 11:45:05 }"
  expect(failuresOf(...SLOW, code("internal_error"), paid, page("paid"))).toEqual([])
  expect(failuresOf(...SLOW, code("payment_failed"))).toEqual([
    "expected errand.pay_at_checkout to be refused with payment_failed, it was refused with internal_error",
  ])
})

test("the hold waits for the answer, and has ended when it comes", () => {
  const steps = [
    ...SLOW,
    "{ at: 11:44:50, refuse: { do: errand.pay_at_checkout, for: lunch, code: internal_error } }",
  ]
  expect(failuresOf(...steps, "expect: { errand: lunch, state: quoted, at: 11:45 }")).toEqual([
    "expected that lunch has state quoted at 11:45, found that lunch has state held",
  ])
  expect(
    failuresOf(...steps, "{ at: 11:46, expect: { errand: lunch, state: held, payment: voided } }"),
  ).toEqual([
    "expected that lunch has state held and payment voided, found that lunch has state quoted and payment authorized",
  ])
})
