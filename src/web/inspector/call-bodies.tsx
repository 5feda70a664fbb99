/** The masked bodies of each attempt of the outbound calls of a group. */

import type { JSX } from "preact"
import type { Attempt } from "../../inspection/attempts.ts"
import type { KeptAttempt, KeptAttempts } from "../../model/asked-by.ts"
import { groupOf, partOf } from "../../model/address.ts"
import { Body, CutNote, Kept, NotInRecord, useKept } from "./kept.tsx"
import type { OpenRun } from "./record-source.ts"

interface CallBodiesProps {
  readonly run: OpenRun
  /** Those that the page shows. */
  readonly attempts: readonly Attempt[]
}

export function CallBodies({ run, attempts }: CallBodiesProps): JSX.Element {
  const group = groupOf(run.index.actors[attempts[0]?.actor ?? 0]?.address ?? "")
  // A further attempt has bodies of its own.
  const { opened, open } = useKept<KeptAttempts>(
    () => run.kept?.bodies() ?? Promise.reject(new Error("the service is not there")),
    `${group} ${attempts.length}`,
  )
  if (run.kept === null) return <NotInRecord run={run} what="Masked bodies of calls" />
  return (
    <Kept opened={opened} open={open} says="Show bodies">
      {({ attempts: kept, kept_days: days }) => (
        <div id="call-bodies">
          {attempts.map((one) => (
            <AttemptBodies
              key={one.from}
              name={partOf(run.index.actors[one.actor]?.address ?? "").replaceAll("-", " ")}
              attempt={one}
              kept={keptOf(run, kept, one)}
              days={days}
            />
          ))}
        </div>
      )}
    </Kept>
  )
}

function keptOf(run: OpenRun, kept: readonly KeptAttempt[], { actor, attempt }: Attempt): KeptAttempt | null {
  const address = run.index.actors[actor]?.address
  return kept.find((one) => one.actor === address && one.attempt === attempt) ?? null
}

interface AttemptBodiesProps {
  readonly name: string
  readonly attempt: Attempt
  readonly kept: KeptAttempt | null
  readonly days: number
}

function AttemptBodies({ name, attempt, kept, days }: AttemptBodiesProps): JSX.Element {
  return (
    <section class="attempt-bodies" aria-label={`Bodies of try ${attempt.attempt} of ${name}`}>
      <p>
        <b>
          {name}, try {attempt.attempt}:
        </b>{" "}
        {attempt.answer ?? "no answer yet"}
      </p>
      {kept === null ? (
        <p class="quiet">
          Nothing is kept of this attempt: it did not leave, it is no call over HTTP, or it left more than{" "}
          {days} days ago.
        </p>
      ) : (
        <>
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
      )}
    </section>
  )
}
