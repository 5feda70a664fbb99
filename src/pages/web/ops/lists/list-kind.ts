/** What a list of operations is made of: its rows and filters, and what can be done with chosen rows. */

import type { JSX } from "preact"
import type { IconName } from "../../design/icon.tsx"
import type { Column } from "../../design/table.tsx"
import type { Role } from "../session.ts"

/** A consequence of an action, before it happens. */
export type Consequence = readonly [icon: IconName, text: string]

/** What the dialog of an action asks for, beyond the press: its fields, and the rest of the request. */
export interface Asked<Said> {
  /** Null until it is complete. */
  readonly first: Said | null
  readonly field: (said: Said | null, onSaid: (said: Said | null) => void) => JSX.Element
}

/** Each chosen row is one command, with its own line in the audit log. */
export interface BulkAction<Row, Said = unknown> {
  /** On the button, such as "Cancel…". */
  readonly name: string
  readonly icon?: IconName
  readonly isDanger?: boolean
  /** The least role that the service takes it from. */
  readonly role: Role
  /** "Cancel 3 reservations": the title of the dialog, and its button. */
  readonly titleOf: (count: string) => string
  readonly happens: readonly Consequence[]
  readonly asks?: Asked<Said>
  readonly send: (row: Row, said: Said | null) => Promise<void>
  /** What was done, such as "canceled". */
  readonly done: string
}

export interface ListKind<Row> {
  /** The last segment of the address. */
  readonly path: string
  /** "Reservations". */
  readonly name: string
  readonly one: string
  readonly many: string
  readonly lead: string
  /** Without its query. */
  readonly readsFrom: string
  /** The field of the answer with the rows. */
  readonly field: string
  /** "Order number or id", as a placeholder and for a screen reader. */
  readonly searches: string
  /** The name of the filter by state in the request, and its choices; the first is "All". */
  readonly states: {
    readonly parameter: "state" | "status"
    readonly choices: readonly (readonly [name: string, values: readonly string[]])[]
  }
  /** "Arriving", as in "Arriving from"; absent where rows have no day. */
  readonly dated?: string
  readonly hasSites: boolean
  readonly hasOrganizations: boolean
  /** Part of every request. */
  readonly always?: Readonly<Record<string, string>>
  readonly keyOf: (row: Row) => string
  /** "Order 1187". */
  readonly nameOf: (row: Row) => string
  readonly columnsOf: (shown: ShownList<Row>) => readonly Column<Row>[]
  readonly actions: readonly BulkAction<Row>[]
  /** Why an unfiltered list may be empty. */
  readonly nothing: string
}

/** What the columns of a list may use. */
export interface ShownList<Row> {
  /** The board of a site with the thing in its drawer; null where no site of the operator shows it. */
  readonly boardOf: (siteId: string | null, opened: Readonly<Record<string, string>>) => string | null
  /** A site that the fleet serves. */
  readonly siteOfFleet: (fleetId: string) => string | null
  /** Opens the dialog of an action for one row. */
  readonly act: (action: BulkAction<Row>, row: Row) => void
}
