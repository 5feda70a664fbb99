/** Work that reports as it goes on, as a stream of its reports. */

/** Ends after the work, or as soon as the signal aborts; the work itself is ended by its caller. Throws what the work throws. */
export async function* toldLines<Line>(
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
  // After a stop nobody waits for the work.
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
