/** The words of what differs between two texts of a scenario. */

import { expect, test } from "vitest"
import { textChange } from "../../src/pages/web/studio/editor/text-change.ts"

const TEXT = `a: 1
steps:
  - { at: 11:30, do: wait }
  - expect: { exception: access_failed, for: lunch, within: 20s }
  - { inject: link, with: { answers: [timeout, 500] } } # twice
`

const changed = (from: string, to: string): string | null => textChange(TEXT, TEXT.replace(from, to))

test.each([
  ["nothing", "a: 1", "a: 1", null],
  ["a last value", "within: 20s", "within: 1m", "line 4 alone, `within` was 20s"],
  ["a value in the middle", "for: lunch", "for: dinner", "line 4 alone, `for` was lunch"],
  ["a time", "at: 11:30", "at: 11:35", "line 3 alone, `at` was 11:30"],
  ["a list as a whole", "[timeout, 500]", "[500]", "line 5 alone, `answers` was [timeout, 500]"],
  ["a key", "within: 20s", "at: 11:50", "line 4 alone"],
  ["two values", "for: lunch, within: 20s", "for: dinner, within: 1m", "line 4 alone"],
  ["a new line", "steps:\n", "b: 2\nsteps:\n", "line 2 is new"],
  ["new lines", "steps:\n", "b: 2\nc: 3\nsteps:\n", "lines 2 to 3 are new"],
  ["a line that went", "a: 1\n", "", "a line before line 1 went"],
  ["several lines", "a: 1\nsteps:", "b: 1\nstep:", "lines 1 to 2"],
])("%s", (_, from, to, words) => expect(changed(from, to)).toBe(words))
