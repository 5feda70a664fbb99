/** The lists of operations: each has an address of its own. */

import type { JSX } from "preact"
import { useEffect } from "preact/hooks"
import { Head } from "../frame.tsx"
import { may, opsData } from "../session.ts"
import type { Role } from "../session.ts"
import { DELIVERIES } from "./deliveries.tsx"
import { ENDPOINTS } from "./endpoints.tsx"
import { ERRANDS } from "./errands.tsx"
import type { ListKind } from "./list-kind.ts"
import { OperatedList } from "./list.tsx"
import { MAILS, TEXTS } from "./messages.tsx"
import { RESERVATIONS } from "./reservations.tsx"
import { VEHICLES } from "./vehicles.tsx"

interface Place {
  readonly kind: Pick<ListKind<never>, "lead" | "name" | "path">
  readonly content: () => JSX.Element
  /** The least role that may read it. */
  readonly role: Role
  /** True for what belongs to no site, which operators of some sites do not read. */
  readonly isOfAllSites?: true
  readonly isOfProduction?: true
}

const FIRST: Place = place(RESERVATIONS, { role: "viewer" })

const PLACES: readonly Place[] = [
  FIRST,
  place(DELIVERIES, { role: "viewer" }),
  place(ERRANDS, { role: "viewer", isOfAllSites: true, isOfProduction: true }),
  place(VEHICLES, { role: "viewer" }),
  place(ENDPOINTS, { role: "viewer" }),
  place(MAILS, { role: "admin", isOfAllSites: true }),
  place(TEXTS, { role: "admin", isOfAllSites: true }),
]

function place<Row>(kind: ListKind<Row>, more: Omit<Place, "content" | "kind">): Place {
  return { kind, content: () => <OperatedList key={kind.path} kind={kind} />, ...more }
}

/** `path`: the last segment of the address; the reservations without one. */
export function Lists({ path }: { readonly path: string | null }): JSX.Element {
  const { environment, me } = opsData()
  const places = PLACES.filter(
    ({ role, isOfAllSites, isOfProduction }) =>
      may(role) &&
      (isOfAllSites === undefined || me?.site_ids === null) &&
      (isOfProduction === undefined || environment === "production"),
  )
  const shown = places.find(({ kind }) => kind.path === path) ?? FIRST
  useEffect(() => {
    document.title = `${shown.kind.name} - Curbline operations`
  }, [shown])
  return (
    <>
      <Head title={shown.kind.name} lead={shown.kind.lead} />
      <nav class="list-kinds" aria-label="Lists">
        {places.map(({ kind }) => (
          <a
            key={kind.path}
            href={`/ops/lists/${kind.path}`}
            aria-current={kind === shown.kind ? "page" : undefined}
          >
            {kind.name}
          </a>
        ))}
      </nav>
      {shown.content()}
    </>
  )
}
