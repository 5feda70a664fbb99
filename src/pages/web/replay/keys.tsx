/** The keys of the page: what each does, and the list that "?" shows. */

import type { JSX } from "preact"
import { useLayoutEffect } from "preact/hooks"
import { SPEEDS } from "../components/speeds.ts"
import { Button } from "../design/button.tsx"
import { Dialog } from "../design/overlay.tsx"
import type { Actions } from "./actions.ts"
import type { MapKeys } from "./map/map-view.tsx"
import type { Player } from "./player.ts"

/** The last word: the action without which a day does not have the key. */
const KEYS: readonly (readonly [keys: string, does: string, needs?: "nextDay" | "toNow" | "whatIf"])[] = [
  ["Space", "play and pause"],
  [", .", "event before, next event"],
  ["← →", "one minute back, on; with Shift ten"],
  ["Home End", "start and end of what is computed"],
  ["P N", "break before, next break; with both days, difference"],
  ["M", "worst minute: most orders late at once"],
  ["1 to 5", "×1, ×60, ×300, ×1000, ×3600"],
  ["L", "mark from where, then to where it repeats"],
  ["F", "follow the picked vehicle"],
  ["C", "curb large"],
  ["T", "now, and on with it", "toNow"],
  ["W", "what if: other numbers of the model", "whatIf"],
  ["D", "this day, the changed day, both", "nextDay"],
  ["+ − 0", "map closer, further away, everything"],
  ["/", "find an actor or an order by name"],
  ["Esc", "let go of what is picked"],
  ["?", "these keys"],
]

const MINUTE_MS = 60_000

/** While nothing is written and no dialog is open. */
export function useKeys(player: Player, actions: Actions, map: MapKeys): void {
  // Before the page is painted: who sees it can use the keys.
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTaken(event)) return
      const act = actionOf(event, { player, actions, map })
      if (act === null) return
      event.preventDefault()
      act()
    }
    document.addEventListener("keydown", pressed)
    return () => document.removeEventListener("keydown", pressed)
  }, [player, actions, map])
}

function isTaken({ target, key }: KeyboardEvent): boolean {
  if (document.querySelector("dialog[open]") !== null) return true
  if (!(target instanceof Element)) return false
  if (target.closest("input, textarea, select, [contenteditable]") !== null) return true
  // Space and Enter press the button that has the focus.
  return (key === " " || key === "Enter") && target.closest("button, a, summary") !== null
}

interface Parts {
  readonly player: Player
  readonly actions: Actions
  readonly map: MapKeys
}

function actionOf({ key, shiftKey }: KeyboardEvent, { player, actions, map }: Parts): (() => void) | null {
  const { ms, computedMs } = player.playing
  const minutes = (shiftKey ? 10 : 1) * MINUTE_MS
  const speed = SPEEDS[Number(key) - 1]
  if (speed !== undefined) return () => player.choose(speed)
  const found: Readonly<Record<string, (() => void) | undefined>> = {
    " ": () => player.toggle(),
    ",": () => actions.step(-1),
    ".": () => actions.step(1),
    ArrowLeft: () => player.jump(ms - minutes),
    ArrowRight: () => player.jump(ms + minutes),
    Home: () => player.jump(0),
    End: () => player.jump(computedMs),
    p: () => actions.toBreak(-1),
    n: () => actions.toBreak(1),
    m: actions.toWorst,
    l: () => player.mark(),
    f: actions.follow,
    c: actions.toggleCurb,
    t: actions.toNow,
    w: actions.whatIf,
    d: actions.nextDay,
    "+": () => map.zoom?.(1.5),
    "=": () => map.zoom?.(1.5),
    "-": () => map.zoom?.(1 / 1.5),
    "0": () => map.fit?.(),
    "/": actions.find,
    Escape: () => actions.pick(null),
    "?": actions.showKeys,
  }
  return found[key.length === 1 ? key.toLowerCase() : key] ?? null
}

interface KeysProps {
  readonly actions: Actions
  readonly onClose: () => void
}

export function KeysDialog({ actions, onClose }: KeysProps): JSX.Element {
  const shown = KEYS.filter(([, , needs]) => needs === undefined || actions[needs] !== undefined)
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="keys-list">
        {shown.map(([keys, does]) => (
          <div key={keys}>
            <dt>{keys.split(" ").map((one) => (one === "to" ? " to " : <kbd key={one}>{one}</kbd>))}</dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <div class="actions">
        <Button onPress={onClose}>Close</Button>
      </div>
    </Dialog>
  )
}
