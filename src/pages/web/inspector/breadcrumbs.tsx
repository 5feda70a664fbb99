/** Where the shown run comes from: the folder of its scenario, or the list of the running service's groups. */

import type { ComponentChildren, JSX } from "preact"
import { kindWords } from "../../inspection/kinds.ts"
import { markedPlace } from "../../inspection/source-places.ts"
import { groupOf, kindOf } from "../../../model/address.ts"
import type { LiveGroup } from "../../../model/live-group.ts"
import type { OpenRun } from "./sources/record-source.ts"

interface BreadcrumbsProps {
  readonly run: OpenRun
  readonly live: LiveGroup | undefined
  /** The run itself. */
  readonly children: ComponentChildren
}

/** `Scenarios › reservations › …`, or `Groups › reservation › …`; the run alone where nothing is known about its place. */
export function Breadcrumbs({ run, live, children }: BreadcrumbsProps): JSX.Element {
  const crumbs = live === undefined ? foldersOf(run) : groupsOf(live)
  return (
    <nav id="breadcrumbs" aria-label="Breadcrumbs">
      <ol>
        {crumbs.map((crumb, place) => (
          <li key={place}>{crumb}</li>
        ))}
        <li aria-current="page">{children}</li>
      </ol>
    </nav>
  )
}

function groupsOf({ address, paths }: LiveGroup): readonly JSX.Element[] {
  const kind = kindOf(groupOf(address))
  return [<a href={paths.list}>Groups</a>, <a href={`${paths.list}?kind=${kind}`}>{kindWords(kind)}</a>]
}

/** The folders of the file in which the run's steps are written. */
function foldersOf({ index }: OpenRun): readonly JSX.Element[] {
  const files = index.marks.flatMap(({ src }) => markedPlace(src)?.file ?? [])
  const [root, ...folders] = files[0]?.split("/").slice(0, -1) ?? []
  if (root !== "scenarios") return []
  return ["Scenarios", ...folders].map((name) => <span>{name}</span>)
}
