/** The organization's audit log: who did what, and when. */

import type { JSX } from "preact"
import { ButtonLink, ShortId } from "../../design/button.tsx"
import { Empty } from "../../design/feedback.tsx"
import { SelectField } from "../../design/field.tsx"
import { Table } from "../../design/table.tsx"
import { api, dataOf } from "../api.ts"
import type { Schemas } from "../api.ts"
import { Head } from "../frame.tsx"
import { useResource } from "../../resource.ts"
import { dayTime, inZone } from "../times.ts"
import { DayRange, FilterPaging, PAGE, instantsOf, useFilters } from "./filters.tsx"
import { ReadProblem } from "./problem.tsx"

type Line = Schemas["AuditLine"]

export function AuditLog(): JSX.Element {
  const filters = useFilters(["actor", "action"])
  const { cursor, days, more } = filters
  const chosen = Object.fromEntries(Object.entries(more).filter(([, value]) => value !== ""))
  const span = { ...chosen, ...instantsOf(days) }
  const query = { limit: PAGE, ...span, ...(cursor === undefined ? {} : { cursor }) }
  const file = new URLSearchParams(span).toString()
  const { data, fault, reload } = useResource(
    () => dataOf(api.GET("/portal/api/audit-log", { params: { query } })),
    filters.keys,
  )
  return (
    <div class="content">
      <Head title="Audit log" lead="What members, keys and operations changed, kept a year.">
        <ButtonLink href={`/portal/api/audit-log.csv${file === "" ? "" : `?${file}`}`}>
          Download as CSV
        </ButtonLink>
      </Head>
      <AuditFilters filters={filters} />
      {fault !== null && data === null ? (
        <ReadProblem what="The audit log" fault={fault} onAgain={reload} />
      ) : data?.lines.length === 0 ? (
        <Empty title={filters.isFiltered ? "No line fits" : "Nothing was changed yet"}>
          Every command of the portal writes a line here.
        </Empty>
      ) : (
        <>
          <Lines rows={data?.lines ?? null} />
          <FilterPaging filters={filters} count={data?.lines.length ?? 0} next={data?.next_cursor ?? null} />
        </>
      )}
    </div>
  )
}

function Lines({ rows }: { readonly rows: readonly Line[] | null }): JSX.Element {
  return (
    <Table
      label="Audit log"
      hasTwoLines
      rows={rows}
      keyOf={({ at, action, subject_id: subject }) => `${at} ${action} ${subject ?? ""}`}
      columns={[
        {
          name: inZone("When"),
          cell: ({ at }) => <time dateTime={at}>{dayTime(at)}</time>,
        },
        { name: "Who", cell: whoOf },
        {
          name: "What",
          cell: ({ action, environment }) => (
            <>
              <span class="main">{inWords(action)}</span>
              <span class="under">{environment}</span>
            </>
          ),
        },
        {
          name: "About",
          cell: ({ subject_id: subject, subject_name: name, action }) =>
            subject === null ? null : (
              <>
                {name === null ? null : (
                  <span class="main">{action.includes("Key") ? `Key …${name}` : name} </span>
                )}
                <ShortId id={subject} label="Copy the id" />
              </>
            ),
        },
        {
          name: "Facts",
          isEnd: true,
          cell: ({ facts }) =>
            Object.entries(facts)
              .map(([name, value]) => `${name.replace("_", " ")} ${value}`)
              .join(", "),
        },
      ]}
    />
  )
}

/** Actions to choose from: those that concern people, rights, keys and what is sent to others. */
const ACTIONS = [
  "acceptInvitation",
  "askForEnrolment",
  "askForProductionAccess",
  "askForSites",
  "changeApiKey",
  "changeMember",
  "changeOrganization",
  "changePassword",
  "chooseNewPassword",
  "decideAccessRequest",
  "decidePartnerRequest",
  "deleteDeliveryWebhook",
  "invite",
  "joinOrganization",
  "makeApiKey",
  "makeSandboxSite",
  "registerDeliveryWebhook",
  "registerWebhook",
  "removeMember",
  "revokeApiKey",
  "rollApiKey",
  "signIn",
  "signOut",
  "withdrawInvitation",
] as const

function AuditFilters({ filters }: { readonly filters: ReturnType<typeof useFilters> }): JSX.Element {
  const { data } = useResource(() => dataOf(api.GET("/portal/api/audit-log/people")))
  const people = data?.people ?? []
  return (
    <div class="filters">
      <SelectField
        label="Person"
        value={filters.more["actor"] ?? ""}
        onChange={(actor) => filters.setMore("actor", actor)}
        options={[
          ["", "Everybody"],
          ...people.map(
            ({ account_id: id, name, is_member: isMember }) =>
              [id, isMember ? name : `${name} (has left)`] as const,
          ),
          ["operations", "Operations"],
        ]}
      />
      <SelectField
        label="Action"
        value={filters.more["action"] ?? ""}
        onChange={(action) => filters.setMore("action", action)}
        options={[["", "Every action"], ...ACTIONS.map((action) => [action, inWords(action)] as const)]}
      />
      <DayRange filters={filters} dated="Done" />
    </div>
  )
}

function whoOf({ actor: { type, name } }: Line): string {
  if (type === "operator") return "Operations"
  if (type === "key") return `Key …${name ?? ""}`
  return name ?? "Somebody who has left"
}

/** `makeApiKey` becomes "Make API key". */
function inWords(action: string): string {
  const text = action
    .replaceAll(/([A-Z])/g, " $1")
    .toLowerCase()
    .replaceAll(/\b(?:api|url)\b/g, (short) => short.toUpperCase())
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
