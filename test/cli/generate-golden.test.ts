/** Golden files of a checkout in which a scenario has a mistake. */

import { expect, test, vi } from "vitest"
import { generateCommand } from "../../src/cli/file-commands.ts"
import { EXIT } from "../../src/cli/kit/exit-codes.ts"

test("a scenario with a mistake is named, and no golden file is compared with what the others give", async () => {
  const place = { file: "scenarios/broken.yaml", line: 3, column: 1 }
  const problem = { place, line: "steps: [", start: 0, length: 1, message: "a mistake" }
  const told = vi.spyOn(process.stderr, "write").mockImplementation(() => true)
  const read = async () => Promise.resolve({ files: [place.file], scenarios: [], problems: [problem] })
  const status = await generateCommand({ check: true }, read)
  const text = told.mock.calls.map(([part]) => String(part)).join("")
  told.mockRestore()
  expect(status).toBe(EXIT.usage)
  expect(text).toContain("scenarios/broken.yaml:3")
  expect(text).toContain("nothing was compared or written")
})
