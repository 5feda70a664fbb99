/** The address of the page and its moment follow each other; who is picked stays picked on another day. */

import { useEffect, useMemo, useRef } from "preact/hooks"
import type { Comparison } from "./compare/comparison.ts"
import { hasCopied } from "../design/button.tsx"
import { toast } from "../design/feedback.tsx"
import { readMoment, withDays, withMoment } from "./address.ts"
import type { WrittenDays } from "./address.ts"
import { followAddress, writeAddress } from "../own-address.ts"
import type { Player } from "./player.ts"
import type { Scene } from "./seen/scene.ts"
import type { RunStatus } from "./session.ts"
import type { UsedSession } from "./use-session.ts"

interface PickedParts {
  readonly scene: Scene
  readonly comparison: Comparison | null
  readonly picked: number | null
  readonly setPicked: (actor: number | null) => void
}

/** Another day has its actors under other numbers: who is picked is found again, where both days are known also under another name. */
export function usePickedOnEachDay({ scene, comparison, picked, setPicked }: PickedParts): void {
  const before = useRef({ scene, name: "" })
  useEffect(() => {
    const was = before.current
    if (was.scene !== scene && picked !== null) {
      const day = was.scene === comparison?.scenes.changed ? "changed" : "written"
      const isKnown = comparison?.scenes[day] === was.scene
      setPicked(isKnown ? (comparison.numbers[day].get(picked) ?? null) : scene.numberOf(was.name))
    }
    before.current = { scene, name: picked === null ? "" : (scene.actors[picked]?.name ?? "") }
  }, [scene, picked])
}

interface MomentParts {
  readonly scene: Scene
  readonly player: Player
  readonly used: Pick<UsedSession, "drawnVersion"> & { readonly status: Pick<RunStatus, "is"> }
  /** True while the page goes on with the present: its address names no instant then. */
  readonly isNow?: boolean
  /** The days of the address are computed: an actor that it names and that is not in them does not exist. Left out: the run's own day. */
  readonly isWhole?: boolean
  /** Null until the address was read for the model; left out on a page without a changed day. */
  readonly days?: WrittenDays | null
  readonly playing: { readonly ms: number; readonly isPlaying: boolean }
  readonly picked: number | null
  readonly site: number
  readonly setPicked: (actor: number | null) => void
  readonly setSite: (site: number) => void
}

/** The address opens its moment as soon as that is computed, and then follows the page. */
export function useMoment(parts: MomentParts): { readonly copy: () => void; readonly now: () => string } {
  const { scene, player, playing, picked, site, setPicked, setSite, used, isNow = false, days = null } = parts
  const { isWhole = used.status.is !== "computing" } = parts
  const wanted = useRef(readMoment(location.hash))
  const open = (): void => {
    const { ms, pick, site: named } = wanted.current
    const at = named === null ? -1 : scene.head.sites.findIndex(({ name }) => name === named)
    if (at >= 0) setSite(at)
    if (pick === null && ms === null) return
    // Of an actor that comes later, the name is known later.
    const actor = pick === null ? null : scene.numberOf(pick)
    if (actor !== null) setPicked(actor)
    if (ms !== null && (scene.untilMs >= ms || isWhole)) player.jump(ms)
    wanted.current = {
      ms: ms !== null && scene.untilMs < ms && !isWhole ? ms : null,
      pick: pick !== null && actor === null && !isWhole ? pick : null,
      site: null,
    }
  }
  useEffect(open, [used.drawnVersion, scene, isWhole])
  const opened = useRef(open)
  opened.current = open
  useEffect(
    () =>
      followAddress((address) => {
        wanted.current = readMoment(address)
        player.pause()
        opened.current()
      }),
    [player],
  )
  const hadMoment = useRef(wanted.current.ms !== null)
  useEffect(() => {
    if (used.status.is === "done" && !hadMoment.current && player.hasMotion && player.playing.ms === 0)
      if (!player.playing.isPlaying) player.toggle()
  }, [used.status.is])
  const { ms, isPlaying } = playing
  const fragment = (isOpenEnded = false): string => {
    const moment = withMoment(location.hash, {
      ms: isOpenEnded ? null : player.playing.ms,
      pick: picked === null ? null : (scene.actors[picked]?.name ?? null),
      site: scene.head.sites.length > 1 ? (scene.head.sites[site]?.name ?? null) : null,
    })
    return days === null ? moment : withDays(moment, days)
  }
  const ofDays = days === null ? "" : withDays("", days)
  const now = useRef(fragment)
  now.current = fragment
  useEffect(() => {
    // Not while the wanted moment is still computed, and not at each frame.
    if (isPlaying || wanted.current.ms !== null || wanted.current.pick !== null || scene.untilMs === 0) return
    writeAddress(now.current(isNow))
  }, [ms, isPlaying, picked, site, isNow, ofDays])
  const copy = useMemo(
    () => async (): Promise<void> => {
      writeAddress(now.current())
      const { href } = location
      toast((await hasCopied(href)) ? "The address of this moment is copied." : `Copy this: ${href}`)
    },
    [],
  )
  return useMemo(() => ({ copy: () => void copy(), now: () => now.current() }), [copy])
}
