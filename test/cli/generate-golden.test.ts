/** Golden files of a checkout in which a scenario has a mistake. */

import { expect, test, vi } from "vitest"
import { generateCommand } from "../../src/cli/file-commands.ts"
import { EXIT } from "../../src/cli/kit/exit-codes.ts"
import { writeGolden } from "../../src/cli/scenarios/golden.ts"
import { readPaths } from "../../src/cli/scenarios/scenario-files.ts"

vi.mock(import("../../src/cli/scenarios/golden.ts"), async (original) => ({
  ...(await original()),
  writeGolden: vi.fn<typeof writeGolden>(() => 0),
}))
vi.mock(import("../../src/cli/scenarios/scenario-files.ts"), async (original) => ({
  ...(await original()),
  readPaths: vi.fn<typeof readPaths>(),
}))

test.each([{ expected: true }, { check: true }])("%o changes nothing and names the file", async (flags) => {
  const place = { file: "scenarios/broken.yaml", line: 3, column: 1 }
  vi.mocked(readPaths).mockResolvedValue({
    files: [place.file],
    scenarios: [],
    problems: [{ place, line: "steps: [", start: 0, length: 1, message: "a mistake" }],
  })
  const told = vi.spyOn(process.stderr, "write").mockImplementation(() => true)
  expect(await generateCommand(flags)).toBe(EXIT.usage)
  const text = told.mock.calls.map(([part]) => String(part)).join("")
  told.mockRestore()
  expect(text).toContain("scenarios/broken.yaml:3")
  expect(writeGolden).not.toHaveBeenCalled()
})
