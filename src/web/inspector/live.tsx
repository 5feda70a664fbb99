/** A group of the running service in the inspector: followed while the playhead stands at its end, left alone elsewhere. */

import type { JSX } from "preact"
import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import type { PackedRecord } from "../../inspection/packed.ts"
import type { LiveGroup } from "../../model/live-group.ts"
import type { EpochMs } from "../../model/time.ts"
import { Inspector, viewOf } from "./app.tsx"
import { LiveSource } from "./live-source.ts"
import type { Read } from "./live-source.ts"
import type { OpenRun } from "./record-source.ts"
import { SendEvent } from "./send-event.tsx"
import { useOpened } from "./opened.ts"
import type { Opened } from "./opened.ts"
import { addressOf } from "./view.ts"
import type { View } from "./view.ts"

/** How long until the next ask, by what the last one came to. */
const PAUSE_MS: Readonly<Record<Exclude<Read, "gone">, number>> = {
  something: 0,
  nothing: 1_000,
  away: 2_000,
  failing: 5_000,
  "signed out": 2_000,
}

interface LiveProps {
  readonly record: PackedRecord
  readonly live: LiveGroup
}

/** What the last ask said of the group, besides its entries. */
interface Told {
  readonly read: Read
  readonly stuck: string | null
  /** The service's time; it stands still while the service is away. */
  readonly nowMs: EpochMs | null
}

export function LiveApp({ record, live }: LiveProps): JSX.Element {
  const source = useMemo(() => new LiveSource(record, live), [record, live])
  const { opened, setOpened, go } = useOpened(() =>
    setOpened((last) => (last === null ? null : first(last.run))),
  )
  const [{ read, stuck, nowMs }, setTold] = useState<Told>({ read: "nothing", stuck: null, nowMs: null })
  const ask = useAsking(source, (found) => {
    setTold({ read: found, stuck: source.stuckBecause, nowMs: source.nowMs })
    // The first view waits for the whole journal; later ones grow with every part.
    setOpened((last) => (last === null && found === "something" ? null : grown(last, source, found)))
  })
  const trouble = TROUBLES[read]
  if (opened === null) return trouble === undefined ? <p role="status">Opening the journal…</p> : trouble()
  const { run, view } = opened
  return (
    <Inspector
      record={record}
      run={run}
      view={view}
      nowMs={nowMs}
      go={go}
      goTo={() => undefined}
      status={<Status run={run} view={view} read={read} stuck={stuck} live={live} go={go} />}
      footer={<SendEvent key={view.actor} run={run} actor={view.actor} live={live} onSent={ask} />}
    />
  )
}

function first(run: OpenRun): Opened {
  return { run, view: viewOf(run, { address: addressOf(location.hash), number: 0, row: null }) }
}

/** Whoever stands at the end goes on with it; whoever looks at an earlier moment keeps it. */
function grown(last: Opened | null, source: LiveSource, found: Read): Opened | null {
  if (last === null) return found === "nothing" ? first(source.opened()) : null
  if (found !== "something") return last
  const run = source.opened()
  // By the count that was taken then: the columns themselves have grown.
  const wasAtEnd = last.view.row === last.run.packed.rows - 1
  return { run, view: wasAtEnd ? { ...last.view, row: run.packed.rows - 1 } : last.view }
}

/** Asks for ever, but not while nobody sees the page. Gives what asks at once. */
function useAsking(source: LiveSource, onRead: (read: Read) => void): () => void {
  const latest = useRef(onRead)
  latest.current = onRead
  const wake = useRef<() => void>(() => undefined)
  useEffect(() => {
    const asking = { isOver: false }
    const go = async (): Promise<void> => {
      while (!asking.isOver) {
        const isSeen = !document.hidden
        const read = isSeen ? await source.read() : "nothing"
        if (asking.isOver) return
        // Told even if nobody sees the page any more: what was read does not come again.
        if (isSeen) latest.current(read)
        if (read === "gone") return
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, PAUSE_MS[read])
          wake.current = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
    }
    void go()
    const onVisible = (): void => wake.current()
    document.addEventListener("visibilitychange", onVisible)
    return () => {
      asking.isOver = true
      wake.current()
      document.removeEventListener("visibilitychange", onVisible)
    }
  }, [source])
  return () => wake.current()
}

interface StatusProps extends Opened, Omit<Told, "nowMs"> {
  readonly live: LiveGroup
  readonly go: (change: Partial<View>) => void
}

/** A sign and a word, so that colour is not all that tells them apart. */
function Status({ run, view, read, stuck, live, go }: StatusProps): JSX.Element {
  const last = run.packed.rows - 1
  const behind = last - view.row
  const trouble = TROUBLES[read]
  return (
    <>
      {behind === 0 && trouble === undefined && (
        <span class="badge good" id="following">
          ● live
        </span>
      )}
      {behind > 0 && (
        <button type="button" id="following" onClick={() => go({ row: last, isPlaying: false })}>
          ❚❚ paused, {behind} newer: follow
        </button>
      )}
      {stuck !== null && (
        <span class="badge bad" id="stuck">
          ✖ stuck: {stuck}
        </span>
      )}
      <a href={live.paths.list}>Groups</a>
      <a href={live.paths.record} download>
        Download the record
      </a>
      {trouble?.()}
    </>
  )
}

/** What its reader is told where an ask came to nothing good. */
const TROUBLES: Readonly<Partial<Record<Read, () => JSX.Element>>> = {
  away: () => <span role="status">The service is away; asking again.</span>,
  failing: () => <span role="status">The service cannot answer at the moment; asking again.</span>,
  gone: () => <span role="status">The service has no such group for you any more.</span>,
  "signed out": () => (
    <span role="status">
      The session has ended. <a href={location.pathname}>Sign in again</a>
    </span>
  ),
}
