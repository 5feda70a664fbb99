/** The masked bodies of one attempt of an outbound call, inside its row. */

import type { JSX } from "preact"
import type { Attempt } from "../../inspection/attempts.ts"
import type { KeptAttempt, KeptAttempts, MaskedBody } from "../../../model/asked-by.ts"
import { groupOf } from "../../../model/address.ts"
import { Body, CutNote, useKept } from "./kept.tsx"
import type { OpenedKept } from "./kept.tsx"
import type { OpenRun } from "./sources/record-source.ts"

export interface UsedBodies {
  readonly opened: OpenedKept<KeptAttempts>
  readonly open: () => void
}

/** All bodies of the group come with the first row that is opened. */
export function useBodies(run: OpenRun, attempts: readonly Attempt[]): UsedBodies {
  const group = groupOf(run.index.actors[attempts[0]?.actor ?? 0]?.address ?? "")
  // A further attempt has bodies of its own.
  return useKept<KeptAttempts>(
    () => run.kept?.bodies() ?? Promise.reject(new Error("the service is not there")),
    `${group} ${attempts.length}`,
  )
}

interface AttemptBodiesProps {
  readonly run: OpenRun
  readonly name: string
  readonly attempt: Attempt
  readonly opened: UsedBodies["opened"]
}

export function AttemptBodies({ run, name, attempt, opened }: AttemptBodiesProps): JSX.Element {
  return (
    <section class="attempt-bodies" aria-label={`Bodies of try ${attempt.attempt} of ${name}`}>
      {typeof opened === "string" && <p class="quiet">Opening…</p>}
      {typeof opened === "object" && "problem" in opened && (
        <p role="alert" class="bad">
          {opened.problem}
        </p>
      )}
      {typeof opened === "object" && "answer" in opened && (
        <Answered kept={keptOf(run, opened.answer.attempts, attempt)} days={opened.answer.kept_days} />
      )}
    </section>
  )
}

function keptOf(run: OpenRun, kept: readonly KeptAttempt[], { actor, attempt }: Attempt): KeptAttempt | null {
  const address = run.index.actors[actor]?.address
  return kept.find((one) => one.actor === address && one.attempt === attempt) ?? null
}

function Answered({ kept, days }: { readonly kept: KeptAttempt | null; readonly days: number }): JSX.Element {
  if (kept === null)
    return (
      <p class="quiet">
        Nothing is kept of this attempt: it did not leave, it is no call over HTTP, or it left more than{" "}
        {days} days ago.
      </p>
    )
  const id = attemptIdIn(kept.sent)
  return (
    <>
      {id !== null && (
        <p class="written">
          <span class="quiet">attempt_id</span> <span class="mono">{id}</span>
        </p>
      )}
      <div class="bodies">
        <Body says="Sent" body={kept.sent} />
        {kept.status === null ? (
          <p class="quiet">No answer came.</p>
        ) : (
          <Body says={`Answered ${kept.status}`} body={kept.answered} />
        )}
      </div>
      <CutNote isCut={kept.is_cut} />
    </>
  )
}

/** Calls that open something have one, by which the receiver knows a repeated attempt. */
function attemptIdIn(sent: MaskedBody): string | null {
  if (typeof sent !== "object" || sent === null || Array.isArray(sent)) return null
  const { attempt_id: id } = sent as { readonly attempt_id?: unknown }
  return typeof id === "string" ? id : null
}
