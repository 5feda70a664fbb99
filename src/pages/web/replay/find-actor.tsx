/** Finds an actor or an order by a part of its name. */

import type { JSX } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { Button } from "../design/button.tsx"
import { Dialog } from "../design/overlay.tsx"
import { KIND_HUES, doingAt } from "./seen/actor-words.ts"
import type { Scene } from "./seen/scene.ts"

interface FindProps {
  readonly scene: Scene
  readonly ms: number
  readonly onPick: (actor: number) => void
  readonly onClose: () => void
}

const FOUND_MAX = 40

export function FindActor({ scene, ms, onPick, onClose }: FindProps): JSX.Element {
  const [text, setText] = useState("")
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [])
  const found = foundBy(scene, text)
  return (
    <Dialog title="Find" onClose={onClose}>
      <form
        class="find"
        onSubmit={(event) => {
          event.preventDefault()
          if (found[0] !== undefined) onPick(found[0])
        }}
      >
        <input
          ref={input}
          type="search"
          aria-label="Part of the name of a runner, a vehicle or an order"
          placeholder="runner-11:00, 3068, veh"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </form>
      <ul class="found" aria-label="Found">
        {found.map((actor) => (
          <li key={actor}>
            <button type="button" onClick={() => onPick(actor)}>
              <span
                class={`kind-square ${KIND_HUES[scene.actors[actor]?.kind ?? "order"]}`}
                aria-hidden="true"
              />
              <span class="mono">{scene.actors[actor]?.name}</span>
              <span class="quiet">{doingAt(scene, actor, ms)}</span>
            </button>
          </li>
        ))}
        {found.length === 0 && <li class="quiet">Nothing of this run has that in its name.</li>}
      </ul>
      <div class="actions">
        <Button onPress={onClose}>Close</Button>
      </div>
    </Dialog>
  )
}

/** People and vehicles first; names that begin with the text before those that contain it. */
function foundBy(scene: Scene, text: string): readonly number[] {
  const wanted = text.trim().toLowerCase()
  const ranked = scene.actors.flatMap(({ name, kind }, actor) => {
    const at = name.toLowerCase().indexOf(wanted)
    return at < 0 ? [] : [{ actor, rank: RANKS[kind] + (at === 0 ? 0 : 10) }]
  })
  return ranked
    .toSorted((one, other) => one.rank - other.rank || one.actor - other.actor)
    .slice(0, FOUND_MAX)
    .map(({ actor }) => actor)
}

const RANKS = { runner: 0, vehicle: 1, order: 2, robot: 3 } as const
