/** A group of the running service in the inspector. New entries are followed while the playhead is at the end. */

import type { JSX } from "preact"
import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import type { PackedRecord } from "../../inspection/packed.ts"
import type { LiveGroup } from "../../../model/live-group.ts"
import type { EpochMs } from "../../../model/values/time.ts"
import { Inspector, viewOf } from "./app.tsx"
import { LiveSource } from "./sources/live-source.ts"
import type { Read } from "./sources/live-source.ts"
import type { OpenRun } from "./sources/record-source.ts"
import { SendEvent } from "./send-event.tsx"
import { useOpened } from "./opened.ts"
import type { Opened } from "./opened.ts"
import { addressOf } from "./view.ts"
import type { View } from "./view.ts"

/** The pause before the next request, by the last result. */
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

/** The last answer about the group, without its entries. */
interface LastAnswer {
  readonly read: Read
  readonly stuck: string | null
  /** The service's time; it does not advance during an outage of the service. */
  readonly nowMs: EpochMs | null
}

export function LiveApp({ record, live }: LiveProps): JSX.Element {
  const source = useMemo(() => new LiveSource(record, live), [record, live])
  const { opened, setOpened, go } = useOpened((address) =>
    setOpened((last) => (last === null ? null : first(last.run, address))),
  )
  const [{ read, stuck, nowMs }, setAnswer] = useState<LastAnswer>({
    read: "nothing",
    stuck: null,
    nowMs: null,
  })
  const ask = useAsking(source, (found) => {
    setAnswer({ read: found, stuck: source.stuckBecause, nowMs: source.nowMs })
    // The first view waits for the whole journal; later ones are updated with every part.
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

function first(run: OpenRun, address = addressOf(location.hash)): Opened {
  return { run, view: viewOf(run, { address, number: 0, row: null }) }
}

/** A playhead at the end moves with the journal; an earlier one stays. */
function grown(last: Opened | null, source: LiveSource, found: Read): Opened | null {
  if (last === null) return found === "nothing" ? first(source.opened()) : null
  if (found !== "something") return last
  const run = source.opened()
  // Uses the earlier count, because the columns themselves have grown.
  const wasAtEnd = last.view.row === last.run.packed.rows - 1
  return { run, view: wasAtEnd ? { ...last.view, row: run.packed.rows - 1 } : last.view }
}

/** Polls while the page is visible. Returns a function that polls at once. */
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
        // Reported even if the page is hidden by now, because these entries will not be sent again.
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

interface StatusProps extends Opened, Omit<LastAnswer, "nowMs"> {
  readonly live: LiveGroup
  readonly go: (change: Partial<View>) => void
}

/** A sign and a word, so that not only colour distinguishes them. */
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
      <a href={live.paths.record} download>
        Download the record
      </a>
      {trouble?.()}
    </>
  )
}

/** The message to the user when a request has failed. */
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
