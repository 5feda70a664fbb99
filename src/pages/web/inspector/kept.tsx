/** What the running service keeps beside a journal for a while: shown only after it was opened, which is noted. */

import type { ComponentChildren, JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import type { MaskedBody } from "../../../model/asked-by.ts"
import type { OpenRun } from "./sources/record-source.ts"

export type OpenedKept<Answer> =
  { readonly answer: Answer } | { readonly problem: string } | "closed" | "opening"

/** Closed again when `of` changes: the answer was about something else. */
export function useKept<Answer>(
  read: () => Promise<Answer>,
  of: unknown,
): { readonly opened: OpenedKept<Answer>; readonly open: () => void } {
  const [state, setState] = useState<{ readonly of: unknown; readonly opened: OpenedKept<Answer> }>({
    of,
    opened: "closed",
  })
  useEffect(() => setState({ of, opened: "closed" }), [of])
  const set = (opened: OpenedKept<Answer>): void =>
    setState((last) => (last.of === of ? { of, opened } : last))
  const open = (): void => {
    set("opening")
    read().then(
      (answer) => set({ answer }),
      (cause: unknown) => set({ problem: cause instanceof Error ? cause.message : String(cause) }),
    )
  }
  return { opened: state.of === of ? state.opened : "closed", open }
}

interface KeptProps<Answer> {
  readonly opened: OpenedKept<Answer>
  readonly open: () => void
  /** The button's text. */
  readonly says: string
  readonly children: (answer: Answer) => ComponentChildren
}

export function Kept<Answer>({ opened, open, says, children }: KeptProps<Answer>): JSX.Element {
  if (typeof opened === "object" && "answer" in opened) return <>{children(opened.answer)}</>
  const isOpening = opened === "opening"
  return (
    <p class="written">
      <button type="button" disabled={isOpening} onClick={open}>
        {isOpening ? "Opening…" : says}
      </button>
      {typeof opened === "object" ? (
        <span role="alert" class="bad">
          {opened.problem}
        </span>
      ) : (
        <span class="quiet">The audit log notes who opens it.</span>
      )}
    </p>
  )
}

/** Why a record has no such rows. */
export function NotInRecord({ run, what }: { readonly run: OpenRun; readonly what: string }): JSX.Element {
  return (
    <p class="quiet not-in-record">
      {run.packed.head.scenario === "live"
        ? `This record has ids only. ${what} are rows of the running service for 30 days, and never part of a record: open the group there.`
        : "The run was simulated, so no request was sent: its ids are drawn from the seed."}
    </p>
  )
}

interface BodyProps {
  readonly says: string
  readonly body: MaskedBody
}

export function Body({ says, body }: BodyProps): JSX.Element {
  return (
    <div class="body">
      <p class="quiet">{says}</p>
      {body === null ? (
        <p>no body</p>
      ) : (
        // A long body scrolls inside, also by key.
        <pre class="mono" role="group" aria-label={says} tabIndex={0}>
          {JSON.stringify(body, null, 2)}
        </pre>
      )}
    </div>
  )
}

export function CutNote({ isCut }: { readonly isCut: boolean }): JSX.Element | null {
  return isCut ? <p class="quiet">Parts are left out because of their size.</p> : null
}
