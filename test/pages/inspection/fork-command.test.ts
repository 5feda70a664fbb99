/** Commands that the page shows, for a fork and for the moment of a loss: a shell reads them back as they were meant. */

import { execFileSync } from "node:child_process"
import { expect, test } from "vitest"
import { keepCommand } from "../../../src/pages/inspection/keep-command.ts"
import { forkCommand } from "../../../src/pages/inspection/fork-command.ts"
import { whyLateCommand } from "../../../src/pages/inspection/why-late-command.ts"

/** The words of the command and what it reads, as a shell passes them on; `npx` is a function that shows them. */
function readByShell(command: string): { readonly words: readonly string[]; readonly input: string } {
  const shown = `npx() { for word in "$@"; do printf '%s\\n' "$word"; done; printf '%s\\n' --; cat; }\n${command}\n`
  const [words = "", input = ""] = execFileSync("sh", ["-c", shown], { encoding: "utf8" }).split("\n--\n")
  return { words: words.split("\n"), input }
}

test.each([
  ["out.ndjson", "41", "what_if: it waits\nsteps:\n  - wait: 10m"],
  ["a visit's record; rm x.ndjson", "2:41", 'what_if: "$HOME, `date` and \\ stay"\nsteps:\n  - wait: 10m'],
  ["out.ndjson", "41", "what_if: it ends\nSTEPS\nSTEPS_\nsteps:\n  - wait: 10m"],
])("of %s at %s gives the words and the steps", (file, at, steps) => {
  expect(readByShell(forkCommand({ file, at, steps }))).toEqual({
    words: ["curbline", "fork", file, "--at", at, "--inspect", "--with", "-"],
    input: `${steps}\n`,
  })
})

test.each([
  [null, ["--report", "lost.html"]],
  ["45m; ls", ["--limit", "45m; ls", "--report", "lost.html"]],
] as const)("the moment of a loss with the limit %s gives the words", (limit, rest) => {
  const command = whyLateCommand({ file: "a visit's record", group: "reservation/res_1", limit })
  expect(readByShell(`${command} </dev/null`).words).toEqual([
    "curbline",
    "why-late",
    "a visit's record",
    "reservation/res_1",
    ...rest,
  ])
})

test("a case is kept by a command whose reason is one word of the shell", () => {
  const kept = { file: "out.ndjson", group: "res_3f", because: "The partner's link [failed]" }
  expect(keepCommand(kept)).toBe(
    "npx curbline scenario from out.ndjson --group res_3f --because 'The partner'\\''s link [failed]' --out kept.yaml",
  )
  expect(keepCommand({ ...kept, because: "" })).toBe(
    "npx curbline scenario from out.ndjson --group res_3f --out kept.yaml",
  )
})
