/**
 * Live updates: the service's event stream says which group changed, and what shows it reads again. While there is no stream, pages
 * ask at an interval.
 */

import { useEffect, useRef } from "preact/hooks"
import type { Environment } from "./session.ts"
import { followStream } from "../event-stream.ts"
import type { EventStream } from "../event-stream.ts"
import { repeatedRead } from "../repeated-read.ts"

/** True for a group such as `delivery/dlv_…` that the listener shows. */
export type Concerns = (group: string) => boolean

interface Listener {
  readonly concerns: Concerns
  readonly read: () => void
}

/** ms between reads beside an open stream, for what no group says */
const BESIDE_STREAM_MS = 30_000
/** ms between two reads of one list, however much changes */
const APART_MS = 500

const listeners = new Set<Listener>()
let stream: EventStream | null = null

/** Holds the stream of an environment while the page is shown. */
export function useStream(environment: Environment): void {
  useEffect(() => {
    const held = followStream(`/portal/api/stream?environment=${environment}`, {
      changed: (group) => {
        for (const { concerns, read } of listeners) if (concerns(group)) read()
      },
      missed: () => {
        for (const { read } of listeners) read()
      },
    })
    stream = held
    return () => {
      held.stop()
      if (stream === held) stream = null
    }
  }, [environment])
}

interface Live {
  readonly concerns: Concerns
  /** Between two reads without a stream; null reads nothing again. */
  readonly ms: number | null
}

/** Reads again when a group changes that is shown, never twice at a time. */
export function useLive(reload: () => Promise<void>, { concerns, ms }: Live): void {
  const latest = useRef({ reload, concerns })
  latest.current = { reload, concerns }
  useEffect(() => {
    if (ms === null) return
    let readAtMs = Date.now()
    const { soon, isReading, stop } = repeatedRead(async () => {
      await latest.current.reload()
      readAtMs = Date.now()
    }, APART_MS)
    const listener: Listener = {
      concerns: (group) => latest.current.concerns(group),
      read: soon,
    }
    listeners.add(listener)
    const timer = window.setInterval(() => {
      const isDue = stream?.isOpen() !== true || Date.now() - readAtMs >= BESIDE_STREAM_MS
      if (isDue && !isReading() && document.visibilityState === "visible") soon()
    }, ms)
    return () => {
      stop()
      listeners.delete(listener)
      window.clearInterval(timer)
    }
  }, [ms])
}

/** Groups of a kind: `groupsOf("delivery")`. */
export function groupsOf(...kinds: readonly string[]): Concerns {
  return (group) => kinds.includes(group.split("/")[0] ?? "")
}

/** Groups whose turns send events or change endpoints. */
export const isSending: Concerns = groupsOf("webhook-delivery", "webhook-endpoint")
