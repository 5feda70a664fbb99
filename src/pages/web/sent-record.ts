/** One page opens a record in the inspector's page of the same host, in another tab. The record does not leave the browser. */

interface SentRecord {
  /** The name of its file. */
  readonly file: string
  readonly text: string
  /** Where it opens: a fragment of the inspector's address. */
  readonly hash: string
}

const FIELD = "sent"
const READY = "ready"
/** The other page asks when it has loaded. */
const WAIT_MS = 60_000
let sent = 0

export function openInInspector(path: string, record: SentRecord): void {
  sent += 1
  const name = `curbline-record-${performance.timeOrigin}-${sent}`
  const channel = new BroadcastChannel(name)
  const waiting = setTimeout(() => channel.close(), WAIT_MS)
  channel.addEventListener("message", ({ data }) => {
    if (data !== READY) return
    channel.postMessage(record)
    channel.close()
    clearTimeout(waiting)
  })
  window.open(`${path}#${FIELD}=${name}`, "_blank", "noopener")
}

/** In the inspector's page. Returns what ends the waiting. */
export function onSentRecord(take: (record: SentRecord) => void): () => void {
  const name = new URLSearchParams(location.hash.slice(1)).get(FIELD)
  if (name === null) return () => undefined
  const channel = new BroadcastChannel(name)
  channel.addEventListener("message", ({ data }: MessageEvent<SentRecord>) => {
    channel.close()
    take(data)
  })
  channel.postMessage(READY)
  return () => channel.close()
}
