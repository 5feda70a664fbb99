/**
 * The chart in words: every state with its transitions, with the active ones marked. The text alternative of the
 * picture.
 */

import type { JSX } from "preact"
import type { ChartDocument, ChartNode } from "../../chart/chart-document.ts"
import { sentenceOf } from "../../chart/outline.ts"
import type { SourceLines } from "../../chart/source-lines.ts"
import { durationText } from "../../inspection/durations.ts"
import { placesOf } from "../../inspection/source-places.ts"
import type { ActorMoment } from "./actor-moment.ts"
import { SourceLine } from "./source.tsx"

interface OutlineProps {
  readonly chart: ChartDocument
  readonly lines: SourceLines | null
  readonly moment: ActorMoment
  /** Title of its panel. */
  readonly title: string
}

export function Outline(props: OutlineProps): JSX.Element {
  const root = props.chart.nodes.find(({ parent }) => parent === null)
  return (
    <div class="outline scroll" role="region" aria-label={`${props.title}, outline`} tabIndex={0}>
      <ul>{root !== undefined && <State node={root} {...props} />}</ul>
    </div>
  )
}

function State({
  node,
  chart,
  lines,
  moment,
}: Omit<OutlineProps, "title"> & { readonly node: ChartNode }): JSX.Element {
  const isActive = node.path !== "" && moment.active.includes(node.path)
  const dwell = moment.dwell.get(node.path)
  const edges = chart.edges.filter((edge) => edge.source === node.id)
  const lineOf = (id: string): JSX.Element[] =>
    placesOf({ chart, lines }, [id]).map((place) => <SourceLine key={id} place={place} />)
  const children = chart.nodes.filter((child) => child.parent === node.id)
  return (
    <li
      data-outline={node.path}
      class={isActive ? "is-active" : ""}
      {...(isActive ? { "aria-current": "true" } : {})}
    >
      <span class="state-name">
        {isActive ? "✓ " : ""}
        {node.key}
      </span>{" "}
      {lineOf(node.id)}
      {isActive && <span class="badge">active</span>}
      {dwell !== undefined && (isActive || dwell.totalMs > 0) && (
        <span class="quiet"> {durationText(dwell.totalMs)} so far</span>
      )}
      {node.description !== null && <span class="quiet"> {node.description}</span>}
      <ul>
        {edges.map((edge) => {
          const isFired = moment.fired.edges.includes(edge.id)
          return (
            <li
              key={edge.id}
              class={isFired ? "transition is-fired" : "transition"}
              data-outline-edge={edge.id}
            >
              {isFired && <span class="badge">just fired</span>} {sentenceOf(edge, chart)} {lineOf(edge.id)}
            </li>
          )
        })}
        {children.map((child) => (
          <State key={child.id} node={child} chart={chart} lines={lines} moment={moment} />
        ))}
      </ul>
    </li>
  )
}
