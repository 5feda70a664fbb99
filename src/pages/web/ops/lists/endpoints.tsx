/** Webhook endpoints of partners and retailers; one that its failures disabled is switched on again here. */

import type { JSX } from "preact"
import { ENDPOINT_FAILURES_MAX } from "../../../../model/values/limits.ts"
import type { EndpointState } from "../../../../model/requests/operations-lists.ts"
import type { IconName } from "../../design/icon.tsx"
import { Pill } from "../../design/pill.tsx"
import type { Tone } from "../../design/pill.tsx"
import { send } from "../api.ts"
import { inspectorPath } from "../session.ts"
import { ActButton, NameCell, Updated } from "./cells.tsx"
import type { BulkAction, ListKind } from "./list-kind.ts"
import type { EndpointRow } from "./records.ts"

const SWITCH_ON: BulkAction<EndpointRow> = {
  name: "Switch on…",
  icon: "play",
  role: "dispatcher",
  titleOf: (count) => `Switch on ${count}`,
  happens: [
    ["send", "Events from now on are sent. What happened while it was off is not."],
    [
      "refresh",
      `Failures of direct deliveries are counted from 0: after ${ENDPOINT_FAILURES_MAX} in a row it is disabled again.`,
    ],
    ["scroll", "Its organization reads in its audit log that operations did it."],
  ],
  send: async ({ webhook_id: id }) => {
    await send("PATCH", `/internal/v1/webhook-endpoints/${encodeURIComponent(id)}`, { is_active: true })
  },
  done: "switched on",
}

const LOOKS: Readonly<Record<EndpointState, readonly [Tone, IconName, string]>> = {
  on: ["ok", "check", "On"],
  off: ["idle", "ban", "Off"],
  disabled: ["bad", "triangle-alert", "Disabled by failures"],
}

const AREAS = { direct_delivery: "Direct Delivery", reservations: "Reservations" } as const

export const ENDPOINTS: ListKind<EndpointRow> = {
  path: "endpoints",
  name: "Endpoints",
  one: "endpoint",
  many: "endpoints",
  lead: "Where partners and retailers get their events, newest first.",
  readsFrom: "/internal/v1/webhook-endpoints",
  field: "webhook_endpoints",
  searches: "Part of the URL, or id",
  states: {
    parameter: "state",
    choices: [
      ["All", []],
      ["Disabled by failures", ["disabled"]],
      ["Off", ["off"]],
      ["On", ["on"]],
    ],
  },
  hasSites: true,
  hasOrganizations: true,
  keyOf: ({ webhook_id: id }) => id,
  nameOf: ({ url }) => url.replace(/^https?:\/\//, ""),
  columnsOf: (shown) => [
    {
      name: "Endpoint",
      cell: (row) => (
        <NameCell
          name={ENDPOINTS.nameOf(row)}
          id={row.webhook_id}
          noun="endpoint"
          // Only an endpoint whose failures are counted has a group.
          href={row.area === "direct_delivery" ? inspectorPath(`webhook-endpoint/${row.webhook_id}`) : null}
        />
      ),
    },
    { name: "State", cell: (row) => <StateCell row={row} /> },
    {
      name: "Gets",
      cell: ({ area, subscribed_events: events }) => (
        <>
          {AREAS[area]}
          <span class="under">{`${events.length} ${events.length === 1 ? "kind" : "kinds"} of event`}</span>
        </>
      ),
    },
    {
      name: "Organization",
      cell: ({ organization_name: name, organization_id: id, site_name: site }) => (
        <>
          <span class="breaks">{name ?? id}</span>
          <span class="under">{site ?? "all of its sites"}</span>
        </>
      ),
    },
    {
      name: "",
      isEnd: true,
      cell: (row) =>
        row.state === "on" ? null : (
          <ActButton action={SWITCH_ON} row={row} shown={shown}>
            {SWITCH_ON.name}
          </ActButton>
        ),
    },
  ],
  actions: [SWITCH_ON],
  nothing: "Organizations register endpoints with their API or in the portal.",
}

function StateCell({
  row: { state, disabled_at: at, consecutive_failures: failures },
}: {
  readonly row: EndpointRow
}): JSX.Element {
  const [tone, icon, words] = LOOKS[state]
  return (
    <>
      <Pill tone={tone} icon={icon}>
        {words}
      </Pill>
      {state === "disabled" && at !== null ? (
        <span class="under">
          {failures} in a row, <Updated at={at} zone={null} />
        </span>
      ) : failures > 0 ? (
        <span class="under">{`${failures} failed in a row`}</span>
      ) : null}
    </>
  )
}
