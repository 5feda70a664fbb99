/** One-time passwords, compared with the vectors of their RFCs. */

import { expect, test } from "vitest"
import {
  codeAt,
  newRecoveryCode,
  newSecret,
  stepAt,
  stepOf,
  totpUri,
} from "../../../src/apps/portal/people/totp.ts"

/** "12345678901234567890" in base 32. */
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

test.each([
  [0, "755224"],
  [1, "287082"],
  [2, "359152"],
  [3, "969429"],
  [4, "338314"],
  [5, "254676"],
  [6, "287922"],
  [7, "162583"],
  [8, "399871"],
  [9, "520489"],
])("RFC 4226, appendix D: the code of step %d is %s", (step, code) => {
  expect(codeAt(SECRET, step)).toBe(code)
})

test.each([
  [59, "287082"],
  [1_111_111_109, "081804"],
  [1_111_111_111, "050471"],
  [1_234_567_890, "005924"],
  [2_000_000_000, "279037"],
  [20_000_000_000, "353130"],
])("RFC 6238, appendix B: the code at second %d ends with %s", (second, code) => {
  expect(codeAt(SECRET, stepAt(second * 1_000))).toBe(code)
})

test("a code is accepted one step early or late, once, and not further away", () => {
  const nowMs = 1_111_111_111_000
  const step = stepAt(nowMs)
  const found = (at: number, lastStep = 0) => stepOf(codeAt(SECRET, at), { secret: SECRET, nowMs, lastStep })
  expect([found(step - 1), found(step), found(step + 1)]).toEqual([step - 1, step, step + 1])
  expect([found(step - 2), found(step + 2)]).toEqual([null, null])
  expect([found(step, step), found(step - 1, step), found(step + 1, step)]).toEqual([null, null, step + 1])
  for (const code of ["", "12345", "1234567", "abcdef"])
    expect(stepOf(code, { secret: SECRET, nowMs, lastStep: 0 })).toBeNull()
})

test("secrets have 160 bits and recovery codes 80, of their own each", () => {
  expect(newSecret("a")).toMatch(/^[A-Z2-7]{32}$/)
  expect(newSecret("a")).not.toBe(newSecret("b"))
  expect(newRecoveryCode("a", 0)).toMatch(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/)
  expect(newRecoveryCode("a", 0)).not.toBe(newRecoveryCode("a", 1))
})

test("the address of a secret names issuer and account, whatever characters they have", () => {
  expect(totpUri("ABC", { issuer: "A & B", name: "ada?x@y.example" })).toBe(
    "otpauth://totp/A%20%26%20B:ada%3Fx%40y.example?secret=ABC&issuer=A%20%26%20B",
  )
})
