/** What the reader has chosen on the page of a scene, and what buttons and keys do to it. */

import { useEffect, useMemo, useState } from "preact/hooks"
import { actionsOf } from "./actions.ts"
import type { ActionParts, Shown } from "./actions.ts"
import { useKeys } from "./keys.tsx"
import type { MapKeys } from "./map/map-view.tsx"
import type { Player } from "./player.ts"
import { NUMBERS_EVERY_MS, useSlowly } from "./use-slowly.ts"

export function useChosen(player: Player, isCurbLargeAtFirst: () => boolean) {
  const playing = useSlowly(player, NUMBERS_EVERY_MS)
  const [picked, setPicked] = useState<number | null>(null)
  const [site, setSite] = useState(0)
  const [isFollowing, setFollowing] = useState(false)
  const [isCurbLarge, setCurbLarge] = useState(isCurbLargeAtFirst)
  const [shown, setShown] = useState<Shown>(null)
  const mapKeys = useMemo((): MapKeys => ({}), [])
  const set = useMemo(() => ({ setPicked, setSite, setFollowing, setCurbLarge, setShown }), [])
  return { playing, picked, site, isFollowing, isCurbLarge, shown, mapKeys, set }
}

/** `more` is the same value until one of its actions changes. */
export function useActions(
  { picked, mapKeys, set }: Pick<ReturnType<typeof useChosen>, "mapKeys" | "picked" | "set">,
  { scene, player, copy, comparison, more }: Omit<ActionParts, keyof typeof set>,
) {
  const actions = useMemo(
    () => actionsOf({ scene, player, ...set, copy, comparison, more }),
    [scene, player, copy, comparison, more],
  )
  useKeys(player, actions, mapKeys)
  useEffect(() => set.setFollowing(false), [picked])
  const pickOf = (actor: number): void => {
    set.setShown(null)
    actions.pick(actor)
  }
  return { actions, pickOf }
}
