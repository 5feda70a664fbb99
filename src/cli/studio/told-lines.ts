/** Work that reports as it goes on, as a stream of its reports. */

import { faultMessage } from "../kit/terminal.ts"

/** The last line of work that has failed. */
interface FaultLine {
  readonly is: "fault"
  readonly message: string
}

/** Lines of JSON. Ends as `toldLines` does; what the work throws is its last line. */
export async function* jsonLines<Line>(
  work: (say: (line: FaultLine | Line) => void) => Promise<void>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const faced = async (say: (line: FaultLine | Line) => void): Promise<void> => {
    try {
      await work(say)
    } catch (cause) {
      say({ is: "fault", message: faultMessage(cause) })
    }
  }
  for await (const line of toldLines(faced, signal)) yield `${JSON.stringify(line)}\n`
}

/** Ends after the work, or as soon as the signal aborts; the work itself is ended by its caller. Throws what the work throws. */
async function* toldLines<Line>(
  work: (say: (line: Line) => void) => Promise<void>,
  signal: AbortSignal,
): AsyncGenerator<Line> {
  const lines: Line[] = []
  let isOver = false
  let wake = (): void => {}
  const stir = (): void => wake()
  const say = (line: Line): void => {
    lines.push(line)
    stir()
  }
  signal.addEventListener("abort", stir, { once: true })
  const working = work(say).finally(() => {
    isOver = true
    stir()
  })
  // After a stop its failure has no other handler.
  working.catch(() => {})
  try {
    for (;;) {
      if (signal.aborted) return
      const line = lines.shift()
      if (line !== undefined) yield line
      else if (isOver) return await working
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  } finally {
    signal.removeEventListener("abort", stir)
  }
}
