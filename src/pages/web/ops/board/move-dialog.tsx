/** Says what a move does, asks what it needs, and sends it. A refusal stays in the dialog, in words. */

import type { ComponentChildren, JSX } from "preact"
import { useState } from "preact/hooks"
import { endsTheTask } from "../../../../model/handoff.ts"
import type { ExceptionCode } from "../../../../model/handoff.ts"
import { CANCEL_REASON_LENGTH_MAX } from "../../../../model/values/limits.ts"
import { Button } from "../../design/button.tsx"
import { Banner, toast } from "../../design/feedback.tsx"
import { SelectField, TextField } from "../../design/field.tsx"
import { Dialog } from "../../design/overlay.tsx"
import { useCommand, useResource } from "../../resource.ts"
import { clearException, makeMove, readPhones } from "./calls.ts"
import { MOVE_WORDS, afterWords, exceptionAbout, exceptionWords } from "./moves.ts"
import type { OperatorMove } from "./moves.ts"
import type { ReservationRecord } from "./records.ts"

interface MoveDialogProps {
  readonly reservation: ReservationRecord
  /** The present on the reservation's clock. */
  readonly nowMs: number
  readonly siteId: string
  readonly move: OperatorMove
  readonly onClose: () => void
  /** After the move, and after its refusal: what is shown may be old. */
  readonly onSent: () => void
}

export function MoveDialog({
  reservation,
  nowMs,
  siteId,
  move,
  onClose,
  onSent,
}: MoveDialogProps): JSX.Element {
  const [said, setSaid] = useState<Said | null>(needsNothing(move) ? {} : null)
  const { name, happens, confirm, done, isDanger = false } = MOVE_WORDS[move]
  const id = reservation.reservation_id
  const command = useCommand(async () => {
    try {
      const body = bodyOf(move, said ?? {}, nowMs)
      await makeMove(id, move, body)
      toast(done)
      onClose()
    } finally {
      onSent()
    }
  })
  const after = afterWords(reservation.moves.find((allowed) => allowed.move === move))
  return (
    <Confirmed
      title={`${name.replace(/…$/, "")}: order ${reservation.order_number}`}
      confirm={confirm}
      isDanger={isDanger}
      isReady={said !== null}
      command={command}
      onClose={onClose}
    >
      <p>{happens}</p>
      {after === null ? null : <p class="small faint">{after}</p>}
      {move === "runner" ? <RunnerChoice siteId={siteId} onSaid={setSaid} /> : null}
      {move === "hold" ? <HoldChoice onSaid={setSaid} /> : null}
      {move === "exceptions" ? <FlagChoice codes={reservation.raisable_exceptions} onSaid={setSaid} /> : null}
      {move === "cancel" ? <ReasonField onSaid={setSaid} /> : null}
    </Confirmed>
  )
}

interface ConfirmedProps {
  readonly title: string
  readonly confirm: string
  readonly isDanger?: boolean
  readonly isReady?: boolean
  readonly command: {
    readonly isBusy: boolean
    readonly fault: { readonly message: string } | null
    readonly send: () => void
  }
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** A dialog that says what will happen, and its two buttons. */
export function Confirmed(props: ConfirmedProps): JSX.Element {
  const { title, confirm, isDanger = false, isReady = true, command, onClose, children } = props
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          command.send()
        }}
      >
        {children}
        {command.fault === null ? null : (
          <Banner tone="bad">
            <strong>Not done.</strong> {command.fault.message}
          </Banner>
        )}
        <div class="actions">
          <Button onPress={onClose}>Back</Button>
          <Button
            look={isDanger ? "danger" : "primary"}
            type="submit"
            isBusy={command.isBusy}
            isDisabled={!isReady}
          >
            {confirm}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** A free task needs its runner, a flag its reason; the rest has an answer already. */
function needsNothing(move: OperatorMove): boolean {
  return move !== "runner" && move !== "exceptions"
}

function bodyOf(move: OperatorMove, said: Said, nowMs: number): object | undefined {
  if (move === "cancel") return { by: "ops", ...said }
  if (move === "hold") return holdBody(said, nowMs)
  if (move === "runner" || move === "exceptions") return said
  return undefined
}

/** The minutes count from the press that sends them, on the clock of the reservation: the dialog may have been open for long. */
function holdBody({ readyInMinutes }: Said, nowMs: number): object {
  if (readyInMinutes === undefined) return {}
  return { ready_estimate: new Date(nowMs + readyInMinutes * 60_000).toISOString() }
}

/** What was chosen in the dialog. */
interface Said {
  readonly runner_id?: string
  readonly reason_code?: ExceptionCode
  readonly reason?: string
  readonly readyInMinutes?: number
}

interface ChoiceProps {
  readonly onSaid: (said: Said | null) => void
}

const OTHER = ""

/** Runners whose phones are paired, or an id. */
function RunnerChoice({ siteId, onSaid }: ChoiceProps & { readonly siteId: string }): JSX.Element {
  const phones = useResource(() => readPhones(siteId), [siteId])
  const [chosen, setChosen] = useState(OTHER)
  const [id, setId] = useState("")
  const runners = [
    ...new Map((phones.data ?? []).map(({ runner_id, runner_name }) => [runner_id, runner_name])),
  ]
  const choose = (runner: string): void => {
    setChosen(runner)
    onSaid(runner === OTHER ? (id === "" ? null : { runner_id: id }) : { runner_id: runner })
  }
  return (
    <>
      <SelectField
        label="Runner"
        value={chosen}
        options={[[OTHER, runners.length === 0 ? "No phone is paired" : "Choose a runner"], ...runners]}
        onChange={choose}
      />
      {chosen === OTHER ? (
        <TextField
          label="Or the id of a runner without a phone"
          value={id}
          onChange={(text) => {
            setId(text.trim())
            onSaid(text.trim() === "" ? null : { runner_id: text.trim() })
          }}
        />
      ) : null}
    </>
  )
}

const HOLDS = ["none", "5", "10", "15", "20", "30"] as const

function HoldChoice({ onSaid }: ChoiceProps): JSX.Element {
  const [minutes, setMinutes] = useState<(typeof HOLDS)[number]>("none")
  return (
    <SelectField
      label="Ready in"
      hint="The counter's estimate; runners and the board show it."
      value={minutes}
      options={HOLDS.map((one) => [one, one === "none" ? "The counter does not know" : `${one} minutes`])}
      onChange={(next) => {
        setMinutes(next)
        onSaid(next === "none" ? {} : { readyInMinutes: Number(next) })
      }}
    />
  )
}

function FlagChoice({
  codes,
  onSaid,
}: ChoiceProps & { readonly codes: readonly ExceptionCode[] }): JSX.Element {
  const [code, setCode] = useState<ExceptionCode | "">("")
  const ends = code !== "" && endsTheTask(code)
  return (
    <>
      <SelectField<ExceptionCode | "">
        label="What is wrong"
        hint={code === "" ? undefined : exceptionAbout(code)}
        value={code}
        options={[["", "Choose"], ...codes.map((one) => [one, exceptionWords(one)] as const)]}
        onChange={(next) => {
          setCode(next)
          onSaid(next === "" ? null : { reason_code: next })
        }}
      />
      {ends ? <Banner tone="wait">This ends the task. The order is not delivered.</Banner> : null}
    </>
  )
}

function ReasonField({ onSaid }: ChoiceProps): JSX.Element {
  const [reason, setReason] = useState("")
  return (
    <TextField
      label="Reason (optional)"
      hint="The partner reads it."
      value={reason}
      lengthMax={CANCEL_REASON_LENGTH_MAX}
      onChange={(text) => {
        setReason(text)
        onSaid(text.trim() === "" ? {} : { reason: text.trim() })
      }}
    />
  )
}

interface ClearDialogProps extends Pick<MoveDialogProps, "onClose" | "onSent" | "reservation"> {
  readonly code: ExceptionCode
}

export function ClearDialog({ reservation, code, onClose, onSent }: ClearDialogProps): JSX.Element {
  const command = useCommand(async () => {
    try {
      await clearException(reservation.reservation_id, code)
      toast("The flag is cleared")
      onClose()
    } finally {
      onSent()
    }
  })
  return (
    <Confirmed
      title={`Clear: ${exceptionWords(code)}`}
      confirm="Clear the flag"
      command={command}
      onClose={onClose}
    >
      <p>The flag goes from the board and the runner's phone. The partner was told when it was raised.</p>
    </Confirmed>
  )
}
