/** The walk of the sandbox, which a member takes by hand: one step, all that are left, or one that goes wrong. */

import type { JSX } from "preact"
import { Button } from "../../../design/button.tsx"
import { Menu } from "../../../design/overlay.tsx"
import type { MenuItem } from "../../../design/overlay.tsx"
import { useCommand } from "../../../resource.ts"
import type { Command } from "../../../resource.ts"
import { useMakeItFail } from "./make-it-fail.tsx"
import type { MakeItFailOptions } from "./make-it-fail.tsx"
import { CommandProblem } from "../problem.tsx"

/** ms between two steps that run by themselves, long enough to read them */
const PAUSE_MS = 1500

interface WalkProps {
  /** What walks. */
  readonly of: Pick<MakeItFailOptions, "handoff" | "id" | "kind" | "status" | "zone">
  readonly statusLabel: string
  /** The steps that are left, nearest first. */
  readonly next: readonly { readonly label: string }[]
  /** Takes one step, and reads again. */
  readonly advance: () => Promise<void>
  /** The command behind `jumps` or `failures`. */
  readonly other: Omit<Command<never>, "send">
  /** A menu beside the button: several steps at once. */
  readonly jumps?: readonly MenuItem[]
  /** What may go wrong at once; scenarios take time or steps. */
  readonly failures?: readonly MenuItem[]
  /** Ends the line. */
  readonly note: string
  readonly margin: string
  readonly onPlayed: () => Promise<void>
}

/** Nothing after the last step, but for what a run has done. */
export function Walk(props: WalkProps): JSX.Element | null {
  const { of, statusLabel, next, advance, other, jumps, failures = [], note, margin, onPlayed } = props
  const one = useCommand(advance)
  const auto = useCommand(async () => {
    for (let left = next.length; left > 0; left -= 1) {
      await advance()
      await new Promise((resolve) => void window.setTimeout(resolve, PAUSE_MS))
    }
  })
  const isMoving = one.isBusy || auto.isBusy || other.isBusy
  const failing = useMakeItFail({
    ...of,
    title: `What may go wrong from ${statusLabel}`,
    isDisabled: isMoving,
    more: failures,
    onPlayed,
  })
  const [first] = next
  if (first === undefined) return failing.result
  const isBusy = isMoving || failing.isBusy
  const step = (
    <Button look="primary" icon="step-forward" isBusy={isBusy} onPress={one.send}>
      {auto.isBusy ? "Running…" : `Advance to ${first.label}`}
    </Button>
  )
  return (
    <div class="column" style={{ margin }}>
      <div class="row">
        {jumps === undefined ? (
          step
        ) : (
          <span class="split">
            {step}
            <Menu
              label="Advance to…"
              isDisabled={isBusy}
              icon="chevron-down"
              look="primary"
              title={`From ${statusLabel}`}
              items={jumps}
            />
          </span>
        )}
        <Button icon="skip" isDisabled={isBusy} onPress={auto.send}>
          Auto-run
        </Button>
        {failing.menu}
        <span class="small quiet">{note}</span>
      </div>
      <CommandProblem fault={one.fault ?? auto.fault ?? other.fault ?? failing.fault} />
      {failing.result}
    </div>
  )
}
