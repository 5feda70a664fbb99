/** The answer of a fleet model: in a sentence, by promise with its margin, and as curves over the one of the run before. */

import type { JSX } from "preact"
import { Banner, Empty } from "../../design/feedback.tsx"
import { Pill } from "../../design/pill.tsx"
import { FleetCurveChart } from "./fleet-curve.tsx"
import type { FleetAnswer, FleetMargin } from "./fleet-contract.ts"
import type { FleetState } from "./fleet-state.ts"

const TONES = {
  kept: ["ok", "check", "Kept"],
  "kept, not sure": ["wait", "circle-alert", "Kept, not sure"],
  "broken, not sure": ["wait", "circle-alert", "Broken, not sure"],
  broken: ["bad", "cross", "Broken"],
} as const

const ANSWERED = ["ok", "check", "Answered"] as const

export function FleetAnswerPane({ state }: { readonly state: FleetState }): JSX.Element {
  const { answer, before, fault, open } = state
  return (
    <>
      <div class="pane-head">
        <h2>{open?.title ?? "Fleet model"}</h2>
      </div>
      {fault !== null && <Banner tone="bad">{fault}</Banner>}
      {answer === null ? (
        <Empty title="Not run yet">
          Move a slider and run the model; the answer stands here, and the next run shows this one behind it.
        </Empty>
      ) : (
        <div class="fleet-answer" tabIndex={0} role="region" aria-label="Answer">
          <Headline answer={answer} />
          {answer.margins.length > 0 && <Margins margins={answer.margins} />}
          {before !== null && <p class="quiet legend-before">The grey line is the run before.</p>}
          <div class="curves">
            {answer.curves.map((curve) => (
              <FleetCurveChart
                key={curve.title}
                curve={curve}
                before={before?.curves.find(({ title }) => title === curve.title) ?? null}
              />
            ))}
          </div>
        </div>
      )}
    </>
  )
}

function Headline({ answer }: { readonly answer: FleetAnswer }): JSX.Element {
  const { headline, reasons, replications, report, standing } = answer
  const [tone, icon, words] = standing === null ? ANSWERED : TONES[standing]
  return (
    <section class="headline" aria-live="polite">
      <Pill tone={tone} icon={icon}>
        {words}
      </Pill>
      <h3>{headline}</h3>
      {reasons.map((reason) => (
        <p key={reason}>{reason}</p>
      ))}
      <p class="quiet">
        {replications === 1 ? "1 replication" : `${replications} replications`},{" "}
        <a href={report} target="_blank" rel="noreferrer">
          the whole report
        </a>
      </p>
    </section>
  )
}

function Margins({ margins }: { readonly margins: readonly FleetMargin[] }): JSX.Element {
  const hasCases = margins.some(({ ofCase }) => ofCase !== "")
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Promises, with their margins">
      <table class="margins">
        <caption>Promises, with their margins</caption>
        <thead>
          <tr>
            <th scope="col">Promise</th>
            {hasCases && <th scope="col">Case</th>}
            <th scope="col">Standing</th>
            <th scope="col">Found</th>
            <th scope="col">Margin</th>
          </tr>
        </thead>
        <tbody>
          {margins.map(({ promise, ofCase, standing, found, margin }) => {
            const [tone, icon, words] = TONES[standing]
            return (
              <tr key={`${promise} ${ofCase}`}>
                <th scope="row">{promise}</th>
                {hasCases && <td>{ofCase}</td>}
                <td>
                  <Pill tone={tone} icon={icon}>
                    {words}
                  </Pill>
                </td>
                <td class="number">{found}</td>
                <td class="number">{margin}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
