/**
 * Follows one of the service's event streams, which say which group changed; what shows it reads again. A page holds its stream only
 * while it is shown, because browsers limit the connections of all tabs together.
 */

export interface StreamReader {
  /** A group such as `delivery/dlv_…`. */
  readonly changed: (group: string) => void
  /** Anything may have changed: the page was hidden, or too much happened to list it. */
  readonly missed: () => void
  /** From here on every change is told. A stream that was lost has resumed by then. */
  readonly opened?: () => void
  /** Called once for each loss. */
  readonly lost?: () => void
}

export interface EventStream {
  readonly isOpen: () => boolean
  readonly stop: () => void
}

/** ms until a refused stream is asked for again */
const REFUSED_MS = 30_000

export function followStream(url: string, reader: StreamReader): EventStream {
  let source: EventSource | null = null
  let isOpen = false
  let isStopped = false
  const close = (): void => {
    source?.close()
    source = null
    isOpen = false
  }
  const open = (): void => {
    close()
    const made = new EventSource(url)
    source = made
    made.addEventListener("open", (event) => {
      // The service's own event; the browser's of the same name comes before it.
      if (!(event instanceof MessageEvent)) return
      isOpen = true
      reader.opened?.()
    })
    made.addEventListener("change", ({ data }: MessageEvent<string>) => {
      const { group } = JSON.parse(data) as { readonly group: string }
      reader.changed(group)
    })
    made.addEventListener("reset", reader.missed)
    made.addEventListener("error", () => {
      if (source !== made) return
      const wasOpen = isOpen
      isOpen = false
      // The browser resumes a lost stream by itself, from the last event. A refused one, of a session that has ended or
      // has as many streams as it may, stays closed.
      if (made.readyState === EventSource.CLOSED) {
        close()
        window.setTimeout(() => {
          if (source === null && !isStopped && document.visibilityState === "visible") open()
        }, REFUSED_MS)
      }
      if (wasOpen) reader.lost?.()
    })
  }
  const follow = (): void => {
    if (document.visibilityState !== "visible") return close()
    open()
    reader.missed()
  }
  open()
  document.addEventListener("visibilitychange", follow)
  return {
    isOpen: () => isOpen,
    stop: () => {
      isStopped = true
      document.removeEventListener("visibilitychange", follow)
      close()
    },
  }
}
