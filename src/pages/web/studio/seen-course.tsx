/** What a run against a service shows beside its lanes: what was seen at a moment, and what was left out. */

import type { JSX } from "preact"
import { Empty } from "../design/feedback.tsx"
import type { FileRun, LeftOut, ServiceRun } from "./contract.ts"
import { Sent } from "./sent.tsx"
import { largeFirst } from "./verdict.ts"

interface SeenMomentProps {
  readonly run: FileRun
  readonly service: ServiceRun
  /** From this instant on, until the next moment; ms since the run's start. */
  readonly from: number
  readonly until: number
}

export function SeenMoment({ run, service, from, until }: SeenMomentProps): JSX.Element {
  const isNow = ({ t }: { readonly t: number }): boolean => t >= from && t < until
  const commands = run.commands.filter(isNow)
  const expectations = run.expectations.filter(isNow)
  const messages = run.messages.filter(isNow)
  const changes = run.lanes.flatMap(({ name, stays }) =>
    stays.filter((stay) => isNow({ t: stay.from })).map(({ states }) => ({ name, states })),
  )
  return (
    <div class="moment seen">
      <section class="happened scroll" tabIndex={0} aria-label="What was seen">
        <h3>What was seen</h3>
        <ul class="seen-list">
          {commands.map(({ words, line, isFailed }, at) => (
            <li key={at} class={isFailed ? "bad" : ""}>
              {isFailed ? "✕ " : ""}line {line}: {words}
            </li>
          ))}
          {changes.map(({ name, states }, at) => (
            <li key={at}>
              {name}: {states}
            </li>
          ))}
          {expectations.map(({ words, line, isHeld }, at) => (
            <li key={at} class={isHeld ? "" : "bad"}>
              {isHeld ? "✓ held" : "✕ failed"}, line {line}: {words}
            </li>
          ))}
        </ul>
        {messages.map((message, at) => (
          <Sent key={at} message={message} />
        ))}
      </section>
      <section class="machine" aria-label="What is not shown">
        <h3>Not shown</h3>
        <p class="quiet">
          This is what {service.host} showed from outside: the answers to the steps, the events of
          reservations, and what came to the receivers on this machine. Its journal and its machines are
          inside of the service, so there are no entries, no picture of a machine, and no comparison with the
          run before. Run the scenario in memory to see them.
        </p>
      </section>
    </div>
  )
}

/** The checks that a service cannot be asked about, with their lines. */
export function LeftOutList({ leftOut }: { readonly leftOut: readonly LeftOut[] }): JSX.Element | null {
  if (leftOut.length === 0) return null
  return (
    <details class="why">
      <summary>
        {leftOut.length === 1 ? "1 check was left out" : `${leftOut.length} checks were left out`}
      </summary>
      <ul>
        {leftOut.map((one, at) => (
          <li key={at}>{leftOutWords(one)}</li>
        ))}
      </ul>
    </details>
  )
}

/** Why a scenario as a whole was not run. */
export function NotRunOnService({ service }: { readonly service: ServiceRun }): JSX.Element {
  return (
    <Empty title={`${service.host} cannot be asked this`}>
      {service.leftOut.map((one) => largeFirst(`${leftOutWords(one)}.`)).join(" ")} Nothing was sent. In
      memory the scenario runs as a whole.
    </Empty>
  )
}

function leftOutWords({ line, what, why }: LeftOut): string {
  return `${line === null ? "" : `line ${line}, `}${what} (${why})`
}
