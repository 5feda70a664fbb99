/**
 * The machine of the selected actor: as a picture that fits its panel, with every transition in full, or in words. Active states
 * have a fill, a bold border and a tick; the arrow that has just fired is thick; a small figure shows the actor's total time in a
 * state.
 */

import type { JSX } from "preact"
import { useEffect, useMemo, useState } from "preact/hooks"
import type { ChartDocument } from "../../../chart/chart-document.ts"
import { foldableIds } from "../../../chart/folding.ts"
import { kindWords, machineKind } from "../../../inspection/kinds.ts"
import type { ChartPicture } from "../../../inspection/packed.ts"
import { NONE } from "../../../inspection/run-index.ts"
import { nameOfActor } from "../../../inspection/group-names.ts"
import { actorLabel } from "../../../inspection/row-text.ts"
import { placesOf } from "../../../inspection/source-places.ts"
import { Panel } from "../../components/panel.tsx"
import { Choice } from "../../components/toggle.tsx"
import { actorMomentOf } from "../actor-moment.ts"
import type { ActorMoment } from "../actor-moment.ts"
import { DetailedPicture } from "./detailed-picture.tsx"
import { FoldedPicture } from "./folded-picture.tsx"
import { FOLDINGS } from "./folds.ts"
import type { Folding } from "./folds.ts"
import { KindSquare, hueClass } from "../kind-square.tsx"
import { Outline } from "../outline.tsx"
import type { Scene } from "../scene.ts"
import { Sources } from "../source.tsx"

/** The machine of the selected actor, and beside it that of a pinned actor. */
export function Machines(scene: Scene): JSX.Element {
  const { beside } = scene.view
  return (
    <div id="machines">
      <Chart {...scene} id="chart" title="Machine" of={scene.view.actor} />
      {beside !== NONE && <Chart {...scene} id="beside" title="Beside it" of={beside} />}
    </div>
  )
}

interface ChartProps extends Scene {
  readonly id: "beside" | "chart"
  readonly title: string
  /** The actor of the machine. */
  readonly of: number
}

function Chart({ run, view, s, now, go, id, title, of }: ChartProps): JSX.Element {
  const actor = run.index.actors[of]
  const picture = run.chartOf(actor?.machine ?? null)
  const moment = useMemo(
    () => actorMomentOf(run, { actor: of, row: view.row, now }, picture?.chart ?? null),
    [run, of, view.row, now, picture],
  )
  // Without a picture of every transition the outline has them.
  const shows = view.shows === "details" && picture?.picture === null ? "outline" : view.shows
  const tools = (
    <>
      <span class="mono quiet" title={actor?.address}>
        {actor === undefined ? "" : actorLabel(actor.address, nameOfActor(run.index, actor.address))}
      </span>
      <span class="grow" />
      {id === "chart" && (
        <Choice
          label="Show as"
          value={shows}
          options={[
            ["chart", "Chart"],
            ["details", "Details"],
            ["outline", "Outline"],
          ]}
          onChoose={(next) => go({ shows: next })}
        />
      )}
    </>
  )
  const kind = actor === undefined ? title : kindWords(machineKind(actor))
  const named = id === "beside" ? `${title}: ${kind}` : `${kind.slice(0, 1).toUpperCase()}${kind.slice(1)}`
  return (
    <Panel
      id={id}
      title={named}
      mark={actor === undefined ? undefined : <KindSquare actor={actor} />}
      s={s}
      tools={tools}
    >
      {picture === null && <p class="banner">{missingText(of, actor?.machine ?? null)}</p>}
      {picture?.isFromProgram === true && (
        <p class="banner">The record holds no chart of {picture.chart.id}; this one came with the page.</p>
      )}
      {picture !== null && picture.problem !== null && view.shows === "details" && (
        <p class="banner">{picture.problem}</p>
      )}
      {shows === "details" && !moment.fired.isCertain && (
        <p class="banner">
          One of the {moment.fired.edges.length} marked transitions; the record does not tell which.
        </p>
      )}
      {picture !== null && (
        <Drawing
          key={`${of} ${shows}`}
          {...{ picture, moment, title, shows, go }}
          hue={hueClass(actor)}
          folding={view.folding}
          row={view.row}
          beside={id === "beside" ? { word: "Close", actor: NONE } : { word: "Keep beside", actor: of }}
        />
      )}
    </Panel>
  )
}

interface DrawingProps extends Pick<Scene, "go"> {
  readonly picture: ChartPicture
  readonly moment: ActorMoment
  readonly title: string
  readonly row: number
  readonly shows: Scene["view"]["shows"]
  readonly folding: Folding
  readonly hue: string
  /** What its button keeps beside the chosen actor's machine. */
  readonly beside: { readonly word: string; readonly actor: number }
}

/** The chart, and where its source is: of what was pressed in it, otherwise of what has just happened. */
function Drawing(props: DrawingProps): JSX.Element {
  const { picture, row, shows, moment, title, folding, hue } = props
  const { chart, lines } = picture
  const [pressed, setPressed] = useState<readonly string[]>([])
  useEffect(() => setPressed([]), [row])
  const places = placesOf(picture, pressed.length > 0 ? pressed : idsAt(chart, moment))
  return (
    <>
      <p class="written" aria-label={`${title}, source`}>
        {lines === null && (
          <span class="quiet">This is another version of the machine, so its lines are not known here.</span>
        )}
        <Sources places={places} />
      </p>
      {shows === "outline" && <Outline chart={chart} lines={lines} title={title} moment={moment} />}
      {shows === "details" && (
        <DetailedPicture svg={picture.picture ?? ""} title={title} moment={moment} onPress={setPressed} />
      )}
      {shows === "chart" && (
        <FoldedPicture {...{ chart, title, moment, folding, hue }} onPress={setPressed} />
      )}
      <div class="bar chart-tools">
        {shows === "chart" && <p class="legend">Solid: taken. Red: just fired.</p>}
        <span class="grow" />
        <Tools {...props} />
      </div>
    </>
  )
}

function Tools({ picture, shows, folding, title, beside, go }: DrawingProps): JSX.Element {
  return (
    <>
      {shows === "chart" && foldableIds(picture.chart).length > 0 && (
        <label class="folding">
          Fold{" "}
          <select
            aria-label={`Fold, ${title}`}
            value={folding}
            onChange={(event) => {
              const chosen = FOLDINGS.find((one) => one === event.currentTarget.value)
              go({ folding: chosen ?? "automatic" })
            }}
          >
            {FOLDINGS.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
      )}
      <button type="button" onClick={() => go({ beside: beside.actor })}>
        {beside.word}
      </button>
    </>
  )
}

/** The transitions that have just fired; without any, the innermost active states, or the machine. */
function idsAt({ nodes }: ChartDocument, { active, fired }: ActorMoment): readonly string[] {
  if (fired.edges.length > 0) return fired.edges
  const leaves = active.filter((path) => !active.some((other) => other.startsWith(`${path}.`)))
  const found = nodes.filter(({ path }) => leaves.includes(path))
  return (found.length > 0 ? found : nodes.slice(0, 1)).map(({ id }) => id)
}

function missingText(actor: number, machine: string | null): string {
  if (actor === NONE) return "Choose an actor to see its machine."
  return machine === null
    ? "The record does not say which machine this actor runs."
    : `Neither the record nor this page has a chart of ${machine}.`
}
