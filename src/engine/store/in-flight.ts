/** How many queries and transactions of a database are in flight, for hosts that wait until none is. */
export class InFlight {
  #count = 0
  #waiting: (() => void)[] = []

  get count(): number {
    return this.#count
  }

  begin(): void {
    this.#count += 1
  }

  end(): void {
    this.#count -= 1
    if (this.#count > 0) return
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  /** Resolves at once when nothing is in flight, otherwise as soon as the last one has ended. */
  none(): Promise<void> {
    return this.#count === 0
      ? Promise.resolve()
      : new Promise((resolve) => {
          this.#waiting.push(resolve)
        })
  }
}
