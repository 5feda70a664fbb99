/** The sheet of what may go wrong: everything that the service lists besides the next move. */

import type { ComponentChildren, JSX } from "preact"
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks"
import { EXCEPTION_MESSAGE_LENGTH_MAX } from "../../../../model/values/limits.ts"
import type { PhoneTask } from "../../../../model/requests/runner-app.ts"
import type { RunnerMove } from "../../../../model/requests/runner-moves.ts"
import { Icon } from "../../design/icon.tsx"
import type { IconName } from "../../design/icon.tsx"
import type { Standing } from "../standing.ts"
import type { Said } from "../state.ts"
import { clockTime } from "../times.ts"
import { REPORTS, limitWords } from "../words.ts"

type OnMove = (move: RunnerMove, said?: Said) => void

interface SheetProps {
  readonly task: PhoneTask
  readonly standing: Standing
  readonly opens: "measure" | "problem"
  readonly onClose: () => void
  readonly onMove: OnMove
}

export function ProblemSheet(props: SheetProps): JSX.Element {
  const { opens, onClose } = props
  const box = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useLayoutEffect(() => {
    const element = box.current
    if (element?.open === false) element.showModal()
    return () => element?.close()
  }, [])
  return (
    <dialog ref={box} class="sheet" aria-labelledby={titleId} onCancel={onClose}>
      <header>
        <h2 id={titleId}>{opens === "measure" ? "Does it fit?" : "What is wrong?"}</h2>
        <button type="button" aria-label="Close" onClick={onClose}>
          <Icon name="cross" />
        </button>
      </header>
      <Choices {...props} />
    </dialog>
  )
}

function Choices({ task, standing, opens, onMove }: SheetProps): JSX.Element {
  const has = (name: RunnerMove): boolean => standing.moves.some(({ move }) => move === name)
  const reports = REPORTS.filter(({ code }) => standing.raisable_exceptions.includes(code))
  const limit = limitWords(task).join(", ")
  const isMeasuring = opens === "measure"
  return (
    <>
      {has("hold") ? (
        <Choice
          icon="clock"
          title="Not ready yet"
          about="The partner learns when to expect it"
          isOpen={!isMeasuring}
        >
          <Hold onMove={onMove} />
        </Choice>
      ) : null}
      {has("payload") && limit !== "" ? (
        <Choice icon="ruler" title="Does not fit" about={`Measure it against ${limit}`} isOpen={isMeasuring}>
          <Measure task={task} onMove={onMove} />
        </Choice>
      ) : null}
      {has("exceptions")
        ? reports.map(({ code, title, about, icon }) => (
            <Choice key={code} icon={icon} title={title} about={about}>
              <Told
                label="What do you see? (optional)"
                action={`Report: ${title.charAt(0).toLowerCase()}${title.slice(1)}`}
                onSend={(message) =>
                  onMove("exceptions", {
                    body: message === "" ? { reason_code: code } : { reason_code: code, message },
                  })
                }
              />
            </Choice>
          ))
        : null}
      {has("give-up") ? (
        <Choice icon="ban" title="Give up the order" about="Ends the task for good" isBad>
          <button type="button" class="next bad" onClick={() => onMove("give-up")}>
            Give up: the order is not ready
          </button>
        </Choice>
      ) : null}
      {has("cancel") ? (
        <Choice
          icon="circle-x"
          title="Cancel the reservation"
          about="Ends it for the partner too, for good"
          isBad
        >
          <Told
            label="Reason (optional, the partner reads it)"
            action="Cancel the reservation"
            isBad
            onSend={(reason) => onMove("cancel", reason === "" ? {} : { body: { reason } })}
          />
        </Choice>
      ) : null}
    </>
  )
}

interface ChoiceProps {
  readonly icon: IconName
  readonly title: string
  readonly about: string
  readonly isOpen?: boolean
  readonly isBad?: boolean
  readonly children: ComponentChildren
}

/** One is open at a time: they have the same name. */
function Choice({ icon, title, about, isOpen = false, isBad = false, children }: ChoiceProps): JSX.Element {
  return (
    <details name="problem" open={isOpen} class={isBad ? "destructive" : ""}>
      <summary>
        <Icon name={icon} isLarge />
        <span>
          <b>{title}</b>
          <span>{about}</span>
        </span>
        <Icon name="chevron-down" isLarge />
      </summary>
      {children}
    </details>
  )
}

const MINUTES = [5, 10, 15, 30] as const
const USUAL_MINUTES = 10
const MINUTE_MS = 60_000

function Hold({ onMove }: { readonly onMove: OnMove }): JSX.Element {
  const [minutes, setMinutes] = useState<number>(USUAL_MINUTES)
  const readyAt = Date.now() + minutes * MINUTE_MS
  return (
    <>
      <div class="minutes" role="group" aria-label="Ready in">
        {MINUTES.map((one) => (
          <button key={one} type="button" aria-pressed={one === minutes} onClick={() => setMinutes(one)}>
            {one} min
          </button>
        ))}
      </div>
      <button
        type="button"
        class="next"
        onClick={() => onMove("hold", { body: { ready_estimate: new Date(readyAt).toISOString() } })}
      >
        Wait here until {clockTime(readyAt)}
      </button>
    </>
  )
}

const SIDES = [
  ["length", "Length"],
  ["width", "Width"],
  ["height", "Height"],
] as const

function Measure({ task, onMove }: { readonly task: PhoneTask; readonly onMove: OnMove }): JSX.Element {
  const size = task.payload_limit?.max_dimensions_cm ?? null
  const weight = task.payload_limit?.max_weight_kg ?? null
  const submit = (event: Event): void => {
    event.preventDefault()
    const read = new FormData(event.currentTarget as HTMLFormElement)
    const number = (name: string): number => Number(read.get(name))
    const dimensions_cm = { length: number("length"), width: number("width"), height: number("height") }
    const body = {
      ...(weight === null ? {} : { weight_kg: number("weight") }),
      ...(size === null ? {} : { dimensions_cm }),
    }
    onMove("payload", { body })
  }
  return (
    <form class="measure" onSubmit={submit}>
      {weight === null ? null : <Measured name="weight" label={`Weight in kg, at most ${weight}`} />}
      {size === null
        ? null
        : SIDES.map(([side, name]) => (
            <Measured key={side} name={side} label={`${name} in cm, at most ${size[side]}`} />
          ))}
      <p class="small">An order that does not fit ends the task, and the partner is notified.</p>
      <button type="submit" class="next">
        Check the order
      </button>
    </form>
  )
}

function Measured({ name, label }: { readonly name: string; readonly label: string }): JSX.Element {
  const id = useId()
  return (
    <div>
      <label for={id}>{label}</label>
      <input id={id} name={name} type="number" inputMode="decimal" min="0.1" max="1000" step="0.1" required />
    </div>
  )
}

interface ToldProps {
  readonly label: string
  readonly action: string
  readonly isBad?: boolean
  readonly onSend: (text: string) => void
}

function Told({ label, action, isBad = false, onSend }: ToldProps): JSX.Element {
  const id = useId()
  const [text, setText] = useState("")
  return (
    <>
      <label for={id}>{label}</label>
      <input
        id={id}
        value={text}
        maxLength={EXCEPTION_MESSAGE_LENGTH_MAX}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <button type="button" class={isBad ? "next bad" : "next"} onClick={() => onSend(text.trim())}>
        {action}
      </button>
    </>
  )
}
