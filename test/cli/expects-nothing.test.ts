/** A scenario that nearly nothing can fail does not look like one that was checked. */

import { expect, test } from "vitest"
import { fileWith } from "./command-line.ts"
import { curblineHere } from "./same-process.ts"

const EMPTY = `scenario: Nothing
because: It only goes by.
clock: 2026-03-02T11:30 America/Chicago
steps:
  - { do: reservation.create, as: lunch, with: { window: [11:45, 12:15] } }
`

test("a scenario that expects nothing passes with a warning, in run, in check and for programs", async () => {
  const file = fileWith("empty.yaml", EMPTY)
  const warning = `${file}: "Nothing" expects nothing: only a refused command or a broken invariant can fail it`
  const ran = await curblineHere("run", file)
  expect(ran.status).toBe(0)
  expect(ran.out).toMatch(/^! Nothing /)
  expect(ran.out).not.toContain("✓")
  expect(ran.out).toContain(`warning: ${warning}`)
  expect(ran.out).toMatch(/\n1 passed, 0 failed; 1 expects nothing\n$/)
  const checked = await curblineHere("check", file)
  expect(checked).toMatchObject({ status: 0, out: "1 scenario in 1 file, no problem, 1 warning\n" })
  expect(checked.err).toContain(`warning: ${warning}`)
  const [run] = JSON.parse((await curblineHere("run", file, "--json")).out).runs
  expect(run.verdict).toBe("passed")
  expect(run.warnings).toEqual([expect.stringContaining(warning)])
})

test.each([
  ["an expectation", "  - { expect: { reservation: lunch, status: confirmed } }\n"],
  [
    "a condition",
    "  - { never: { reservation: lunch, status: canceled }, within: 1m }\n".replace(
      " }, within: 1m }",
      ", within: 1m } }",
    ),
  ],
  [
    "a refusal",
    "  - { refuse: { do: reservation.create, with: { window: [10:00, 10:30] }, code: WINDOW_IN_PAST } }\n",
  ],
  ["a promise", 'promises: { events: "< 60" }\n'],
  ["an invariant", "always: [no stall is shared without need]\n"],
])("%s is enough", async (_, more) => {
  const file = fileWith("enough.yaml", EMPTY + more)
  const ran = await curblineHere("run", file)
  expect(ran).toMatchObject({
    status: 0,
    out: expect.stringMatching(/^✓ Nothing [^]*\n1 passed, 0 failed\n$/),
  })
  expect(await curblineHere("check", file)).toMatchObject({
    err: "",
    out: "1 scenario in 1 file, no problem\n",
  })
  const [run] = JSON.parse((await curblineHere("run", file, "--json")).out).runs
  expect(run.warnings).toEqual([])
})

test("a failed one has failed, whatever it expects", async () => {
  const file = fileWith("refused.yaml", EMPTY.replace("11:45, 12:15", "10:00, 10:30"))
  const { status, out } = await curblineHere("run", file)
  expect(status).toBe(1)
  expect(out).not.toContain("expects nothing")
})
