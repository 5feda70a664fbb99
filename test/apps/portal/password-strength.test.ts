/** The estimate of a password's strength: what it finds weak, and that no password takes much longer than another. */

import { expect, test } from "vitest"
import { loadPasswordStrength } from "../../../src/live/gateways/password-strength.ts"

const strengthOf = await loadPasswordStrength()
const ABOUT = ["ada@wheels.example", "Ada Example"]

test.each([
  ["p4ssw0rd".repeat(8), 0],
  ["@4(3$5+7|!".repeat(6), 4],
  ["ada@wheels.example", 0],
  ["correct horse battery staple", 4],
  ["P@$$w0rd1234", 1],
])("the score of `%s` is %i", (password, score) => {
  expect(strengthOf(password, ABOUT).score).toBe(score)
})

test("no password takes many times as long as four words", () => {
  const fastestMs = (password: string): number =>
    Math.min(
      ...Array.from({ length: 3 }, () => {
        const fromMs = performance.now()
        strengthOf(password, ABOUT)
        return performance.now() - fromMs
      }),
    )
  const wordsMs = fastestMs("correct horse battery staple")
  for (const password of ["1234567890-=".repeat(5), "4@8({[<3€96#!1|705$+7%vw".repeat(10)])
    expect(fastestMs(password) / wordsMs).toBeLessThan(25)
})
