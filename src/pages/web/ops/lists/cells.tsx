/** Cells that several lists share. */

import type { ComponentChildren, JSX } from "preact"
import { Button, ShortId } from "../../design/button.tsx"
import { dayTime, fromRealNow } from "../../portal/times.ts"
import { zoneName } from "../board/times.ts"
import { may, opsData } from "../session.ts"
import type { BulkAction, ShownList } from "./list-kind.ts"

interface NameCellProps {
  readonly name: string
  readonly id: string
  /** "reservation", as in "Copy the reservation id". */
  readonly noun: string
  /** Where it is shown; null: nowhere. */
  readonly href: string | null
}

/** What a row is called, where it leads, and its id. */
export function NameCell({ name, id, noun, href }: NameCellProps): JSX.Element {
  return (
    <>
      {href === null ? (
        <span class="main">{name}</span>
      ) : (
        <a class="main" href={href}>
          {name}
        </a>
      )}
      <span class="under">
        <ShortId id={id} label={`Copy the ${noun} id`} />
      </span>
    </>
  )
}

interface PlaceCellProps {
  readonly site_name: string
  readonly organization_id: string
  readonly organization_name: string | null
}

export function PlaceCell({ site_name: site, ...organization }: PlaceCellProps): JSX.Element {
  return (
    <>
      <span class="breaks">{site}</span>
      <span class="under">{organization.organization_name ?? organization.organization_id}</span>
    </>
  )
}

/** On the clock of the site, or of the reader. */
export function Time({
  at,
  zone = null,
}: {
  readonly at: string
  readonly zone?: string | null
}): JSX.Element {
  return (
    <time dateTime={at} class="number">
      {dayTime(at, zone, Date.now())}
      {zone === null ? "" : ` ${zoneName(at, zone)}`}
    </time>
  )
}

/** How long ago; in the sandbox the time itself, because each organization may have moved its clock. */
export function Updated({ at, zone }: { readonly at: string; readonly zone: string | null }): JSX.Element {
  return opsData().environment === "sandbox" ? <Time at={at} zone={zone} /> : <>{fromRealNow(at)}</>
}

interface ActButtonProps<Row> {
  readonly action: BulkAction<Row>
  readonly row: Row
  readonly shown: Pick<ShownList<Row>, "act">
  readonly children: ComponentChildren
}

/** An action on one row, where the operator may take it. */
export function ActButton<Row>({ action, row, shown, children }: ActButtonProps<Row>): JSX.Element | null {
  if (!may(action.role)) return null
  return (
    <Button isSmall onPress={() => shown.act(action, row)}>
      {children}
    </Button>
  )
}
