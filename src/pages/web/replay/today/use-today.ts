/** Follows today of a site: the day is read while the page is shown, and the playhead goes on with the present until it is moved. */

import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks"
import { readUnlessKnown } from "../../ops/api.ts"
import { readMoment } from "../address.ts"
import type { Player } from "../player.ts"
import { DayReader } from "./day-reader.ts"
import type { ReadDay } from "./day-reader.ts"
import type { SiteDayAnswer } from "../../../../model/replay/site-day.ts"

/** ms between two reads, and while the service makes the first day */
const READ_EVERY_MS = 5_000
const MAKING_MS = 1_000

export interface Today {
  readonly day: ReadDay
  /** Grows with each read. */
  readonly version: number
  /** True while the playhead goes on with the present. */
  readonly isNow: boolean
  readonly toNow: () => void
  readonly again: () => void
}

export function useToday(siteId: string, player: Player): Today {
  const [version, setVersion] = useState(0)
  const { isNow, follow, toNow } = useNow(player)
  const reader = useMemo(() => {
    const path = `/internal/v1/sites/${encodeURIComponent(siteId)}/today`
    return new DayReader((tag) => readUnlessKnown<SiteDayAnswer>(path, tag))
  }, [siteId])
  const readSoon = useRef<() => void>(() => undefined)
  useEffect(() => {
    let timer: number | undefined
    let isStopped = false
    let isReading = false
    const read = async (): Promise<void> => {
      window.clearTimeout(timer)
      if (isReading || isStopped) return
      isReading = true
      await reader.read()
      isReading = false
      if (isStopped) return
      follow(reader.now)
      setVersion((count) => count + 1)
      // A hidden page reads when it is shown again.
      if (document.visibilityState !== "visible") return
      timer = window.setTimeout(() => void read(), reader.now.scene === null ? MAKING_MS : READ_EVERY_MS)
    }
    const shown = (): void => {
      if (document.visibilityState === "visible") void read()
    }
    readSoon.current = () => void read()
    document.addEventListener("visibilitychange", shown)
    void read()
    return () => {
      isStopped = true
      window.clearTimeout(timer)
      document.removeEventListener("visibilitychange", shown)
    }
  }, [reader])
  return { day: reader.now, version, isNow, toNow, again: () => readSoon.current() }
}

/** The playhead at the end of what is known goes on with it. */
function useNow(player: Player) {
  const [isNow, setNow] = useState(() => readMoment(location.hash).ms === null)
  const follows = useRef(isNow)
  useEffect(
    () =>
      player.listen(({ ms, isPlaying, computedMs }) => {
        if (computedMs === 0) return
        const isAtEnd = ms >= computedMs
        follows.current = isAtEnd
        setNow(isAtEnd)
        if (isAtEnd && isPlaying) player.pause()
      }),
    [player],
  )
  const follow = useCallback(
    ({ scene }: ReadDay): void => {
      if (scene === null) return
      player.computed({ computedMs: scene.untilMs, endMs: scene.endMs })
      if (follows.current) player.jump(scene.untilMs)
    },
    [player],
  )
  const toNow = useCallback(() => player.jump(player.playing.computedMs), [player])
  return { isNow, follow, toNow }
}
