/** Reads of one thing that changes again and again: never two at a time, and never without a pause in between. */

export interface RepeatedRead {
  /** Reads now, or once more after the read that is going on. */
  readonly soon: () => void
  readonly isReading: () => boolean
  /** No further read begins. */
  readonly stop: () => void
}

/** `apartMs`: between two reads, however much changes. A read that fails is reported to the browser, and does not end the next ones. */
export function repeatedRead(read: () => Promise<void>, apartMs: number): RepeatedRead {
  let isStopped = false
  let isReading = false
  let isWanted = false
  const mayRead = (): boolean => isWanted && !isStopped
  const readOn = async (): Promise<void> => {
    isReading = true
    while (mayRead()) {
      isWanted = false
      await read().catch((cause: unknown) => reportError(cause))
      await new Promise((resolve) => setTimeout(resolve, apartMs))
    }
    isReading = false
  }
  return {
    soon: () => {
      isWanted = true
      if (!isReading) void readOn()
    },
    isReading: () => isReading,
    stop: () => {
      isStopped = true
    },
  }
}
