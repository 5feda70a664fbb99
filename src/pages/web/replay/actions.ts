/** What buttons and keys of the page do. */

import { toast } from "../design/feedback.tsx"
import type { Comparison } from "./compare/comparison.ts"
import { neighbor } from "./playback.ts"
import type { Player } from "./player.ts"
import type { Scene } from "./seen/scene.ts"

export interface Actions {
  /** To the next instant at which something changes, or the one before. */
  readonly step: (side: -1 | 1) => void
  /** With both days, to the difference. */
  readonly toBreak: (side: -1 | 1) => void
  /** To the instant with the most late orders at once. */
  readonly toWorst: () => void
  readonly pick: (actor: number | null) => void
  readonly showSite: (site: number) => void
  readonly toggleCurb: () => void
  readonly follow: () => void
  /** Ends following on the map. */
  readonly letGo: () => void
  /** Opens and closes the numbers of the model; left out: there is none. */
  readonly whatIf?: () => void
  /** This day, the changed day, both, and again; left out: there is one. */
  readonly nextDay?: () => void
  /** To the present, and on with it; left out: the day is not of now. */
  readonly toNow?: () => void
  readonly find: () => void
  readonly showKeys: () => void
  readonly copyMoment: () => void
}

/** What lies over the page. */
export type Shown = "find" | "keys" | "positions" | null

export interface ActionParts {
  readonly scene: Scene
  readonly player: Player
  readonly setPicked: (actor: number | null) => void
  readonly setSite: (site: number) => void
  readonly setFollowing: (change: (is: boolean) => boolean) => void
  readonly setCurbLarge: (change: (is: boolean) => boolean) => void
  readonly setShown: (shown: Shown) => void
  readonly copy: () => void
  /** Null while one day is shown. */
  readonly comparison: Comparison | null
  /** What this day has beyond what every day has. */
  readonly more: Pick<Actions, "nextDay" | "toNow" | "whatIf">
}

export function actionsOf(parts: ActionParts): Actions {
  const { scene, player, setPicked, setSite, setFollowing, setCurbLarge, setShown } = parts
  const jumpTo = (ms: number | null, otherwise: string): void => {
    if (ms === null) toast(otherwise)
    else {
      player.pause()
      player.jump(ms)
    }
  }
  return {
    step: (side) =>
      jumpTo(neighbor(scene.instants, player.playing.ms, side), "Nothing more is known on this side."),
    toBreak: (side) => {
      const points = parts.comparison?.difference.points
      const words = points === undefined ? (side === 1 ? "Nothing breaks" : "Nothing broke") : "No difference"
      jumpTo(
        neighbor(
          (points ?? scene.breaks).map(({ atMs }) => atMs),
          player.playing.ms,
          side,
        ),
        `${words} ${side === 1 ? "after" : "before"} this.`,
      )
    },
    toWorst: () =>
      jumpTo(
        scene.worstMs(),
        scene.head.isRecord === true ? "No order was late so far." : "No order is late in this run.",
      ),
    pick: (actor) => {
      setPicked(actor)
      const own = actor === null ? undefined : scene.actors[actor]?.site
      if (own !== undefined) setSite(own)
    },
    showSite: setSite,
    toggleCurb: () => setCurbLarge((is) => !is),
    follow: () => setFollowing((is) => !is),
    letGo: () => setFollowing(() => false),
    ...parts.more,
    find: () => setShown("find"),
    showKeys: () => setShown("keys"),
    copyMoment: parts.copy,
  }
}
