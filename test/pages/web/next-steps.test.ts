/** Every code that a page can show comes with its next step, in words. */

import { describe, expect, test } from "vitest"
import { UNAVAILABLE_REASONS } from "../../../src/model/delivery.ts"
import { EXCEPTION_CODES } from "../../../src/model/handoff.ts"
import { BOARD_TROUBLES } from "../../../src/model/requests/board.ts"
import { ERRORS, Refused, isRefusalCode } from "../../../src/model/values/errors.ts"
import { faultIn } from "../../../src/pages/web/faults.ts"
import { nextStep } from "../../../src/pages/web/next-steps.ts"

const CODES = [...Object.keys(ERRORS), ...UNAVAILABLE_REASONS, ...EXCEPTION_CODES, ...BOARD_TROUBLES]

/** What a page shows of a refusing answer. */
async function shown(code: string, error: string): Promise<string> {
  return (await faultIn(Response.json({ success: false, error, code }, { status: 409 }))).message
}

describe("a code that a page shows", () => {
  test.each([...new Set(CODES)])("%s has its next step as one sentence", (code) => {
    expect(nextStep(code)).toMatch(/^[A-Z][^_.]+[^_.\s]\.$/)
    expect(nextStep(code)).not.toMatch(/[A-Z]{2,}_|Retry-After/)
  })

  test.each(Object.entries(ERRORS))("%s of an answer is told with it, once", async (code, { message }) => {
    const text = await shown(code, message)
    expect(text.endsWith(` ${nextStep(code) ?? ""}`)).toBe(true)
    expect(text).not.toContain("Retry-After")
  })

  test("a reason in the answer is more exact than its code", async () => {
    for (const reason of UNAVAILABLE_REASONS) {
      const { message } = new Refused({ code: "QUOTE_UNAVAILABLE", detail: reason })
      expect(await shown("QUOTE_UNAVAILABLE", message)).toBe(
        `No delivery can be made from this quote (${reason}). ${nextStep(reason) ?? ""}`,
      )
    }
    expect(UNAVAILABLE_REASONS.filter(isRefusalCode)).toEqual(["NO_CAPACITY"])
  })

  test("what is no code of the service is told as it is", async () => {
    expect([nextStep(null), nextStep("constructor"), nextStep("teapot")]).toEqual([null, null, null])
    expect(await shown("teapot", "it is a teapot")).toBe("It is a teapot.")
  })
})
