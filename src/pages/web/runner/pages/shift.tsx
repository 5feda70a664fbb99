/** Who is signed in and until when, and the sheet that ends the shift. */

import type { JSX } from "preact"
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks"
import type { PhoneRecord, PhoneTask } from "../../../../model/requests/runner-app.ts"
import { Icon } from "../../design/icon.tsx"
import type { RunnerActions } from "../state.ts"
import { clockTime } from "../times.ts"

interface ShiftProps {
  readonly me: PhoneRecord
  /** Tasks that the runner has not finished. */
  readonly held: readonly PhoneTask[]
  readonly onLeave: RunnerActions["leave"]
}

export function Shift(props: ShiftProps): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const { me } = props
  return (
    <span class="shift">
      <button type="button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {me.runner_name} · until {clockTime(me.ends_at)}
      </button>
      {isOpen ? <EndShift {...props} onClose={() => setOpen(false)} /> : null}
    </span>
  )
}

/** A phone that is passed on must not show the site's orders, so the sheet closes only when the service has agreed. */
function EndShift({
  me,
  held,
  onLeave,
  onClose,
}: ShiftProps & { readonly onClose: () => void }): JSX.Element {
  const box = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  useLayoutEffect(() => {
    const element = box.current
    if (element?.open === false) element.showModal()
    return () => element?.close()
  }, [])
  const end = async (): Promise<void> => {
    if (isBusy) return
    setBusy(true)
    setProblem(null)
    setProblem(await onLeave())
    setBusy(false)
  }
  return (
    <dialog ref={box} class="sheet" aria-labelledby={titleId} onCancel={onClose}>
      <header>
        <h2 id={titleId}>Your shift</h2>
        <button type="button" aria-label="Close" onClick={onClose}>
          <Icon name="cross" />
        </button>
      </header>
      <p>
        {me.runner_name} at {me.site.name}, until {clockTime(me.ends_at)}.
      </p>
      {held.length === 0 ? null : (
        <p>
          <strong>You still have {held.map(stallOf).join(", ")}.</strong> A task keeps its runner: finish it
          first, or tell operations.
        </p>
      )}
      {problem === null ? null : (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <button type="button" class="next bad" aria-busy={isBusy} onClick={() => void end()}>
        {isBusy ? "Ending…" : "End my shift"}
      </button>
    </dialog>
  )
}

function stallOf({ stall_label: stall, order_number: order }: PhoneTask): string {
  return stall ?? order
}
