/** The same as the map and the curb, as a table: everybody who is there at this instant, what they do and where. */

import type { JSX } from "preact"
import { Button } from "../design/button.tsx"
import { Dialog } from "../design/overlay.tsx"
import { KIND_NAMES, doingAt } from "./seen/actor-words.ts"
import { titled } from "./seen/moment.ts"
import { isOpenAt } from "./seen/orders.ts"
import type { Scene } from "./seen/scene.ts"
import { wordsOf } from "./seen/state-words.ts"

interface PositionsProps {
  readonly scene: Scene
  readonly ms: number
  readonly onPick: (actor: number) => void
  readonly onClose: () => void
}

const ROWS_MAX = 400

export function Positions({ scene, ms, onPick, onClose }: PositionsProps): JSX.Element {
  const all = presentAt(scene, ms)
  const rows = all.slice(0, ROWS_MAX)
  return (
    <Dialog title={`Positions at ${scene.clock.second(ms)}`} onClose={onClose}>
      <div class="positions-table scroll" tabIndex={0} role="region" aria-label="Positions">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Kind</th>
              <th scope="col">What it does</th>
              <th scope="col">Site</th>
              <th scope="col" class="end">
                Latitude, longitude
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((actor) => {
              const { kind, site } = scene.actors[actor] ?? { kind: "order" as const, site: 0 }
              const place = scene.course.placeAt(actor, ms) ?? scene.order(actor)?.order.door ?? null
              return (
                <tr key={actor}>
                  <td>{KIND_NAMES[kind]}</td>
                  <th scope="row">
                    <button type="button" class="as-link" onClick={() => onPick(actor)}>
                      {doingAt(scene, actor, ms)}
                    </button>
                  </th>
                  <td>{titled(scene.head.sites[site]?.name ?? "")}</td>
                  <td class="end mono">
                    {place === null ? "at its site" : `${place[0].toFixed(4)}, ${place[1].toFixed(4)}`}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
      {all.length > rows.length && (
        <p class="quiet">
          {rows.length} of {all.length}; the others are found by their names.
        </p>
      )}
      <div class="actions">
        <Button onPress={onClose}>Close</Button>
      </div>
    </Dialog>
  )
}

/** Without those who are gone, off duty, or not asked for yet. */
function presentAt(scene: Scene, ms: number): readonly number[] {
  return scene.actors.flatMap(({ kind }, actor) => {
    const state = scene.course.stateAt(actor, ms)
    if (state === null) return []
    const seen = kind === "order" ? scene.order(actor) : null
    if (seen !== null && !isOpenAt(seen, ms)) return []
    const { phase } = wordsOf(kind, state)
    return phase === "gone" || phase === "off" || (kind === "robot" && state === "expected") ? [] : [actor]
  })
}
