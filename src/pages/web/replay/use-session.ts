/** The run of the page: started with its model, computed again on demand, and what the page redraws while it grows. */

import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import type { ReplayRequest } from "../../../model/replay/messages.ts"
import type { ChangeOffer } from "../../../model/replay/change-text.ts"
import type { FleetNumber } from "../../../model/replay/number-text.ts"
import type { Player } from "./player.ts"
import { Session } from "./session.ts"
import type { ReplayWorker, RunStatus } from "./session.ts"
import type { Scene } from "./seen/scene.ts"

export interface UsedSession {
  readonly scene: Scene | null
  readonly status: RunStatus
  /** ms of wall time that the run took so far. */
  readonly wallMs: number
  /** Grows a few times a second while the run is computed: charts are drawn again then. */
  readonly drawnVersion: number
  /** Of the model's text; empty before it is read. */
  readonly numbers: readonly FleetNumber[]
  /** What of the model may be changed from an instant on; empty before it is read. */
  readonly offers: readonly ChangeOffer[]
  readonly recordOf: (group: string) => string | null
  readonly askJournal: (address: string) => void
  readonly onSeeds: Session["onSeeds"]
  readonly stop: () => void
  readonly again: () => void
}

/** ms */
const DRAW_EVERY_MS = 200
const NO_NUMBERS: readonly FleetNumber[] = []
const NO_OFFERS: readonly ChangeOffer[] = []

interface SessionOptions {
  readonly run: ReplayRequest
  readonly start: () => ReplayWorker
  readonly player: Player
}

export function useSession({ run, start, player }: SessionOptions): UsedSession {
  const session = useRef<Session | null>(null)
  const startedMs = useRef(0)
  const wallMs = useRef(0)
  const [drawnVersion, setDrawn] = useState(0)
  const [tries, setTries] = useState(0)
  useEffect(() => {
    let timer: number | undefined
    let wasOver = false
    const draw = (): void => {
      timer = undefined
      setDrawn((version) => version + 1)
    }
    const changed = (): void => {
      const { scene, status } = now
      const isOver = status.is !== "computing" && status.is !== "opening"
      if (!isOver || !wasOver) wallMs.current = performance.now() - startedMs.current
      if (scene !== null)
        player.computed({ computedMs: scene.untilMs, endMs: isOver ? scene.untilMs : scene.endMs })
      if (isOver || (scene !== null && scene.untilMs === 0)) {
        wasOver = isOver
        window.clearTimeout(timer)
        draw()
      } else timer ??= window.setTimeout(draw, DRAW_EVERY_MS)
    }
    startedMs.current = performance.now()
    const now = new Session({ run, start, onChange: changed })
    session.current = now
    draw()
    return () => {
      window.clearTimeout(timer)
      now.close()
    }
  }, [run, start, player, tries])
  const again = useCallback(() => {
    player.restart()
    setTries((count) => count + 1)
  }, [player])
  return {
    scene: session.current?.scene ?? null,
    status: session.current?.status ?? { is: "opening", turns: 0 },
    wallMs: wallMs.current,
    drawnVersion,
    numbers: session.current?.numbers ?? NO_NUMBERS,
    offers: session.current?.offers ?? NO_OFFERS,
    recordOf: (group) => session.current?.journals.get(group) ?? null,
    askJournal: (address) => session.current?.askJournal(address),
    onSeeds: (seeds, take) => session.current?.onSeeds(seeds, take) ?? (() => {}),
    stop: () => session.current?.stop(),
    again,
  }
}
