/**
 * An action on chosen rows: how many and what will happen, then each command with its result. Rows are sent one after the other, so that
 * a stop leaves the rest as it was.
 */

import type { JSX } from "preact"
import { useRef, useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { Banner } from "../../design/feedback.tsx"
import { Icon } from "../../design/icon.tsx"
import { Dialog } from "../../design/overlay.tsx"
import { Pill } from "../../design/pill.tsx"
import { asFault } from "../../faults.ts"
import type { BulkAction, ListKind } from "./list-kind.ts"

interface Result<Row> {
  readonly row: Row
  readonly outcome: "done" | "refused" | "unknown" | "unsent"
  /** Why it was refused, or what is unknown. */
  readonly reason: string | null
}

interface BulkDialogProps<Row> {
  readonly kind: Pick<ListKind<Row>, "keyOf" | "many" | "nameOf" | "one">
  readonly action: BulkAction<Row>
  readonly rows: readonly Row[]
  /** `hasSent`: the list is to be read again. */
  readonly onClose: (hasSent: boolean) => void
}

export function BulkDialog<Row>({ kind, action, rows, onClose }: BulkDialogProps<Row>): JSX.Element {
  const [said, setSaid] = useState<unknown>(action.asks?.first ?? null)
  const { results, isSending, send, stop } = useBulk(action, rows)
  const count = rows.length === 1 ? nameIn(kind, rows) : `${rows.length} ${kind.many}`
  const title = action.titleOf(count)
  if (results !== null && !isSending) {
    return (
      <Dialog title={title} onClose={() => onClose(true)}>
        <Results kind={kind} action={action} results={results} />
        <div class="actions">
          <Button look="primary" onPress={() => onClose(true)}>
            Close
          </Button>
        </div>
      </Dialog>
    )
  }
  if (results !== null) {
    return (
      <Dialog title={title} onClose={stop} isKept>
        <p role="status">
          {results.length} of {rows.length}
        </p>
        <progress class="bulk-progress" max={rows.length} value={results.length} aria-label={title} />
        <div class="actions">
          <Button onPress={stop}>Stop</Button>
        </div>
      </Dialog>
    )
  }
  return (
    <Dialog title={title} onClose={() => onClose(false)}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          send(said)
        }}
      >
        <ul class="consequences">
          {action.happens.map(([icon, text]) => (
            <li key={text}>
              <Icon name={icon} /> {text}
            </li>
          ))}
        </ul>
        {rows.length === 1 ? null : <Names kind={kind} rows={rows} />}
        {action.asks?.field(said, (next) => setSaid(() => next))}
        <div class="actions">
          <Button onPress={() => onClose(false)}>Back</Button>
          <Button
            look={action.isDanger === true ? "danger" : "primary"}
            type="submit"
            isDisabled={action.asks !== undefined && said === null}
          >
            {title}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function nameIn<Row>({ nameOf }: Pick<ListKind<Row>, "nameOf">, [row]: readonly Row[]): string {
  return row === undefined ? "" : nameOf(row)
}

interface NamesProps<Row> extends Pick<BulkDialogProps<Row>, "kind" | "rows"> {}

function Names<Row>({ kind: { keyOf, nameOf }, rows }: NamesProps<Row>): JSX.Element {
  return (
    <ul class="bulk-names" aria-label="Chosen" tabIndex={0}>
      {rows.map((row) => (
        <li key={keyOf(row)}>{nameOf(row)}</li>
      ))}
    </ul>
  )
}

interface ResultsProps<Row> extends Pick<BulkDialogProps<Row>, "action" | "kind"> {
  readonly results: readonly Result<Row>[]
}

/** What needs attention comes first. */
function Results<Row>({ kind: { keyOf, nameOf }, action, results }: ResultsProps<Row>): JSX.Element {
  const count = (outcome: Result<Row>["outcome"]): number =>
    results.filter((result) => result.outcome === outcome).length
  const [done, refused, unknown, left] = [count("done"), count("refused"), count("unknown"), count("unsent")]
  const parts = [
    `${done} ${action.done}`,
    ...(refused === 0 ? [] : [`${refused} refused`]),
    ...(unknown === 0 ? [] : [`${unknown} without an answer`]),
    ...(left === 0 ? [] : [`${left} not sent`]),
  ]
  const ordered = ORDER.flatMap((outcome) => results.filter((result) => result.outcome === outcome))
  return (
    <div class="bulk-outcome">
      <Banner tone={done === results.length ? "ok" : "bad"}>{`${parts.join(", ")}.`}</Banner>
      <ul class="bulk-results" aria-label="Results" tabIndex={0}>
        {ordered.map(({ row, outcome, reason }) => (
          <li key={keyOf(row)}>
            <span class="grow">
              {nameOf(row)}
              {reason === null ? null : <span class="under">{reason}</span>}
            </span>
            <OutcomePill outcome={outcome} done={action.done} />
          </li>
        ))}
      </ul>
    </div>
  )
}

const ORDER = ["refused", "unknown", "unsent", "done"] as const

interface OutcomePillProps {
  readonly outcome: Result<unknown>["outcome"]
  readonly done: string
}

function OutcomePill({ outcome, done }: OutcomePillProps): JSX.Element {
  switch (outcome) {
    case "done":
      return (
        <Pill tone="ok" icon="check">
          {`${done.charAt(0).toUpperCase()}${done.slice(1)}`}
        </Pill>
      )
    case "refused":
      return (
        <Pill tone="bad" icon="ban">
          Refused
        </Pill>
      )
    case "unknown":
      return (
        <Pill tone="wait" icon="circle-alert">
          No answer
        </Pill>
      )
    case "unsent":
      return (
        <Pill tone="idle" icon="circle-dashed">
          Not sent
        </Pill>
      )
  }
}

interface Bulk<Row> {
  /** Null until something was sent. */
  readonly results: readonly Result<Row>[] | null
  readonly isSending: boolean
  readonly send: (said: unknown) => void
  readonly stop: () => void
}

function useBulk<Row>(action: BulkAction<Row>, rows: readonly Row[]): Bulk<Row> {
  const [results, setResults] = useState<readonly Result<Row>[] | null>(null)
  const [isSending, setSending] = useState(false)
  const isStopped = useRef(false)
  const run = async (said: unknown): Promise<void> => {
    setSending(true)
    const made: Result<Row>[] = []
    setResults(made)
    for (const row of rows) {
      const result = isStopped.current ? unsent(row) : await sent(action, row, said)
      // Without an answer, the next one would have none either.
      if (result.outcome === "unknown") isStopped.current = true
      made.push(result)
      setResults([...made])
    }
    setSending(false)
  }
  return {
    results,
    isSending,
    send: (said) => void run(said),
    stop: () => {
      isStopped.current = true
    },
  }
}

function unsent<Row>(row: Row): Result<Row> {
  return { row, outcome: "unsent", reason: null }
}

async function sent<Row>(action: BulkAction<Row>, row: Row, said: unknown): Promise<Result<Row>> {
  try {
    await action.send(row, said)
    return { row, outcome: "done", reason: null }
  } catch (cause) {
    const { status, message } = asFault(cause)
    if (status === 0) return { row, outcome: "unknown", reason: "It may have been done: look again." }
    return { row, outcome: "refused", reason: message }
  }
}
