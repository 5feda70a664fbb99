/**
 * The groups of the same order or event as the chosen actor's group, and the open links inside it, each with its state; each opens
 * from here. In a record they are the record's own groups; the running service answers with its own.
 */

import type { JSX } from "preact"
import { useEffect, useMemo, useState } from "preact/hooks"
import { kindWords, machineKind } from "../../inspection/kinds.ts"
import { byKind, relatedGroups } from "../../inspection/related.ts"
import { nameOfGroup } from "../../inspection/group-names.ts"
import { shortAddress } from "../../inspection/row-text.ts"
import { NONE, at, eventSentBy } from "../../inspection/run-index.ts"
import type { IndexedActor } from "../../inspection/run-index.ts"
import { statesText } from "../../inspection/state-value.ts"
import { groupOf, idOf, partOf } from "../../../model/address.ts"
import type { RelatedGroup, RelatedGroups } from "../../../model/related-groups.ts"
import { actorsOfGroup } from "./group-actors.ts"
import { KindSquare } from "./kind-square.tsx"
import type { OtherGroups } from "./sources/record-source.ts"
import type { Scene } from "./scene.ts"

/** A longer list is folded. */
const SHOWN_MAX = 8

/** While the page is shown, states of the other groups are read again after this time. Unit: ms. */
const READ_AGAIN_MS = 5_000

interface Item {
  readonly actor: IndexedActor
  /** `order 1187`, `reservation.exception`, `open link 1`, or the end of an id. */
  readonly name: string
  readonly state: string
  readonly isBad: boolean
  /** The path of its page, or what opens it in this page. */
  readonly opens: string | (() => void)
}

export function Related(scene: Scene): JSX.Element | null {
  const { run, view } = scene
  const { others } = run
  if (view.actor === NONE) return null
  return others === null ? <InRecord {...scene} /> : <OfService scene={scene} others={others} />
}

function InRecord(scene: Scene): JSX.Element {
  const { run, view, go } = scene
  const { index } = run
  const related = useMemo(() => relatedGroups(index), [index])
  const own = index.groups.indexOf(groupOf(index.actors[view.actor]?.address ?? ""))
  const items = (related.get(own) ?? []).flatMap((number): readonly Item[] => {
    const group = index.groups[number] ?? ""
    const actors = run.actorsByGroup.get(group) ?? []
    const root = actors.find((actor) => index.actors[actor]?.address === group) ?? actors[0]
    const actor = index.actors[root ?? NONE]
    if (root === undefined || actor === undefined) return []
    const step = run.positions.stepAt(root, view.row)
    const first = at(index.stepRow, run.positions.stepsOf(root)[0] ?? NONE)
    return [
      {
        actor,
        name: eventSentBy(index, number) ?? nameOfGroup(index, number) ?? shortAddress(idOf(group)),
        state: stateAt(scene, root),
        isBad: false,
        // A group that begins later is shown at its beginning.
        opens: () => go(step === NONE ? { actor: root, row: first, isPlaying: false } : { actor: root }),
      },
    ]
  })
  return (
    <Section items={[...openLinks(scene), ...items]}>
      {items.length === 0 && <p class="quiet">This record has no other group that belongs to this one.</p>}
    </Section>
  )
}

function OfService({ scene, others }: { readonly scene: Scene; readonly others: OtherGroups }): JSX.Element {
  const { found, problem } = useRelated(others, scene.run.packed.rows)
  const items = (found?.groups ?? []).map((one) => ({
    actor: { address: one.group, machine: null },
    name: nameOf(one),
    state: one.is_stuck ? "stuck" : one.states.join(" ").replaceAll("_", " ") || "not begun yet",
    isBad: one.is_stuck,
    opens: others.pageOf(one.group),
  }))
  return (
    <Section items={[...openLinks(scene), ...items]}>
      {problem !== null && <p role="status">{problem}</p>}
      {problem === null && found === null && <p class="quiet">Reading the related groups…</p>}
      {found?.groups.length === 0 && <p class="quiet">No other group belongs to this one.</p>}
      {found?.is_full === true && <p class="quiet">Of each kind the newest groups are listed.</p>}
    </Section>
  )
}

function nameOf({ group, order_number: order, event_type: event }: RelatedGroup): string {
  if (event !== null) return event
  return order === null ? shortAddress(idOf(group)) : `order ${order}`
}

interface LastRead {
  readonly found: RelatedGroups | null
  /** Why the last read failed, as a sentence; the last result stays. */
  readonly problem: string | null
}

/** Reads at once, when the journal has grown to `rows`, and again while the page is shown. */
function useRelated(others: OtherGroups, rows: number): LastRead {
  const [last, setLast] = useState<LastRead>({ found: null, problem: null })
  useEffect(() => {
    let isCurrent = true
    const read = async (): Promise<void> => {
      if (document.hidden) return
      try {
        const found = await others.related()
        if (isCurrent) setLast({ found, problem: null })
      } catch (cause) {
        const problem = cause instanceof Error ? cause.message : String(cause)
        if (isCurrent) setLast((before) => ({ ...before, problem }))
      }
    }
    void read()
    const again = setInterval(() => void read(), READ_AGAIN_MS)
    return () => {
      isCurrent = false
      clearInterval(again)
    }
    // `others` is a new object each time the run grows.
  }, [rows])
  return last
}

/** Actors inside the group, which have no page of their own. */
function openLinks(scene: Scene): readonly Item[] {
  const { run, view, go } = scene
  return actorsOfGroup(scene).flatMap((number): readonly Item[] => {
    const actor = run.index.actors[number]
    if (actor === undefined || number === view.actor || machineKind(actor) !== "open-link") return []
    const name = partOf(actor.address).replaceAll("-", " ")
    return [{ actor, name, state: stateAt(scene, number), isBad: false, opens: () => go({ actor: number }) }]
  })
}

function stateAt({ run, view }: Scene, actor: number): string {
  const step = run.positions.stepAt(actor, view.row)
  if (step === NONE) return "not begun yet"
  return statesText(run.index.values[at(run.index.stepValue, step)] ?? "null").replaceAll("_", " ")
}

interface SectionProps {
  readonly items: readonly Item[]
  readonly children: (JSX.Element | false)[] | JSX.Element | false
}

function Section({ items, children }: SectionProps): JSX.Element {
  const [isWhole, setIsWhole] = useState(false)
  const sorted = byKind(items, ({ actor }) => `${machineKind(actor)}/`)
  const shown = isWhole ? sorted : sorted.slice(0, SHOWN_MAX)
  return (
    <section aria-labelledby="related-title" id="related">
      <h3 id="related-title">Related</h3>
      {shown.length > 0 && (
        <ul class="related">
          {shown.map((item) => (
            <li key={item.actor.address}>
              <Opener item={item} />
            </li>
          ))}
        </ul>
      )}
      {sorted.length > shown.length && (
        <button type="button" onClick={() => setIsWhole(true)}>
          Show all {sorted.length}
        </button>
      )}
      {children}
    </section>
  )
}

function Opener({ item: { actor, name, state, isBad, opens } }: { readonly item: Item }): JSX.Element {
  const kind = kindWords(machineKind(actor))
  const words = (
    <>
      <KindSquare actor={actor} />
      <span class="col-what">
        {!name.startsWith(kind) && <span class="quiet">{kind} </span>}
        <b>{name}</b>
      </span>
      <span class={isBad ? "bad" : "quiet"}>{state}</span>
    </>
  )
  const { address } = actor
  return typeof opens === "string" ? (
    <a class="related-group" href={opens} title={address} data-group={address}>
      {words}
    </a>
  ) : (
    <button type="button" class="related-group" title={address} data-group={address} onClick={opens}>
      {words}
    </button>
  )
}
