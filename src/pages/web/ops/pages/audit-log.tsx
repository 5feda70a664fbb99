/** The audit log of operations: who changed what. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { PHONE_OPERATIONS } from "../../../../model/requests/runner-moves.ts"
import { ButtonLink, ShortId } from "../../design/button.tsx"
import { Empty } from "../../design/feedback.tsx"
import { SelectField, TextField } from "../../design/field.tsx"
import { Pill } from "../../design/pill.tsx"
import { Paging, Table } from "../../design/table.tsx"
import { ReadProblem } from "../../portal/pages/problem.tsx"
import { clockTime, inZone } from "../../portal/times.ts"
import { useResource } from "../../resource.ts"
import { instantsOf } from "../../portal/pages/filters.tsx"
import { api, everyRow, read } from "../api.ts"
import { Head } from "../frame.tsx"
import { mayCall, opsData } from "../session.ts"

interface Action {
  readonly number: number
  readonly at: string
  readonly actor_type: "account" | "customer" | "phone" | "token"
  readonly actor: string
  readonly action: string
  readonly subject_id: string | null
  /** The name of the account, token or organization. */
  readonly subject: string | null
  readonly outcome: string
}

const PAGE = 50

/** `27 Nov 2026, 22:08:53`: lines are kept for a year. */
function dayAndTime(iso: string): string {
  const day = { day: "numeric", month: "short", year: "numeric" } as const
  return `${new Intl.DateTimeFormat("en-GB", day).format(new Date(iso))}, ${clockTime(iso)}`
}

export function AuditLog(): JSX.Element {
  /** Numbers before which the pages so far began; the last one is shown. */
  const [places, setPlaces] = useState<readonly number[]>([])
  const before = places.at(-1)
  const [chosen, setChosen] = useState<Chosen>(NOTHING)
  const query = new URLSearchParams(queryOf(chosen)).toString()
  const choose = (change: Partial<Chosen>): void => {
    setChosen({ ...chosen, ...change })
    setPlaces([])
  }
  const { data, fault, reload } = useResource(async () => {
    const place = before === undefined ? "" : `&before=${before}`
    const path = `/internal/v1/audit-log?limit=${PAGE}${place}${query === "" ? "" : `&${query}`}`
    return (await read<{ actions: readonly Action[] }>(path)).actions
  }, [before, query])
  const last = data?.at(-1)
  return (
    <>
      <Head
        title="Audit log"
        lead="What operators and runners changed or tried to change in this environment, and who tried to open a compartment. It is kept a year."
      >
        <ButtonLink href={`/internal/v1/audit-log.csv${query === "" ? "" : `?${query}`}`}>
          Download as CSV
        </ButtonLink>
      </Head>
      <Filters chosen={chosen} onChoose={choose} />
      {fault !== null && data === null ? (
        <ReadProblem what="The audit log" fault={fault} onAgain={reload} />
      ) : data?.length === 0 ? (
        <Empty title={query === "" ? "Nothing was changed yet" : "No line fits"}>
          Every change at these pages and at runners' phones writes a line here.
        </Empty>
      ) : (
        <>
          <Lines rows={data} />
          <Paging
            text={`Page ${places.length + 1}`}
            onNewer={places.length === 0 ? null : () => setPlaces(places.slice(0, -1))}
            onOlder={
              last === undefined || (data?.length ?? 0) < PAGE
                ? null
                : () => setPlaces([...places, last.number])
            }
          />
        </>
      )}
    </>
  )
}

function Lines({ rows }: { readonly rows: readonly Action[] | null }): JSX.Element {
  return (
    <Table
      label="Audit log"
      rows={rows}
      keyOf={({ number }) => String(number)}
      columns={[
        { name: inZone("When"), cell: ({ at }) => <time dateTime={at}>{dayAndTime(at)}</time> },
        {
          name: "Who",
          cell: ({ actor, actor_type: type }) =>
            `${actor}${type === "phone" || type === "token" ? ` (${type})` : ""}`,
        },
        { name: "What", cell: ({ action }) => inWords(action) },
        {
          name: "About",
          cell: ({ subject_id: id, subject }) =>
            id === null ? null : (
              <>
                {subject === null ? null : <span class="main">{subject} </span>}
                <ShortId id={id} label="Copy the id" />
              </>
            ),
        },
        {
          name: "Result",
          cell: ({ outcome }) =>
            outcome === "done" ? (
              <Pill tone="ok" icon="check">
                Done
              </Pill>
            ) : (
              <Pill tone="bad" icon="ban">
                {outcome}
              </Pill>
            ),
        },
      ]}
    />
  )
}

interface Chosen {
  readonly person: string
  readonly action: string
  readonly from: string
  readonly to: string
}

const NOTHING: Chosen = { person: "", action: "", from: "", to: "" }

function queryOf({ person, action, from, to }: Chosen): Record<string, string> {
  return {
    ...(person === "" ? {} : { operator_id: person }),
    ...(action === "" ? {} : { action }),
    ...instantsOf({ from, to }),
  }
}

/** Operations that read are not in the log, but for one that shows a person's address. */
const READS = /^(?:export|follow|list|read|search)(?=[A-Z]|$)(?!ErrandHandover)/

/** Of sign-in, the inspector, runners' phones and customers: no operation of this API. */
const OTHER_ACTIONS: readonly string[] = [
  "choosePassword",
  "completeSignIn",
  "confirmSecondFactor",
  "enrolSecondFactor",
  "signIn",
  "signOut",
  "openBodies",
  "openRequest",
  "sendEvent",
  "answerCall",
  "endShift",
  "pairPhone",
  ...Object.values(PHONE_OPERATIONS),
  "openOwnCompartment",
]

interface FiltersProps {
  readonly chosen: Chosen
  readonly onChoose: (change: Partial<Chosen>) => void
}

function Filters({ chosen, onChoose }: FiltersProps): JSX.Element {
  const { data } = useResource(readPeople)
  const operations = opsData().me?.operations.filter((operation) => !READS.test(operation)) ?? []
  return (
    <div class="filters">
      <SelectField
        label="Person"
        value={chosen.person}
        onChange={(person) => onChoose({ person })}
        options={[["", "Everybody"], ...(data ?? [])]}
      />
      <SelectField
        label="Action"
        value={chosen.action}
        onChange={(action) => onChoose({ action })}
        options={[
          ["", "Every action"],
          ...[...operations, ...OTHER_ACTIONS]
            .toSorted()
            .map((operation) => [operation, inWords(operation)] as const),
        ]}
      />
      <TextField label="From" type="date" value={chosen.from} onChange={(from) => onChoose({ from })} />
      <TextField label="To" type="date" value={chosen.to} onChange={(to) => onChoose({ to })} />
    </div>
  )
}

/** Accounts, which only the production host lists, and tokens. */
async function readPeople(): Promise<readonly (readonly [id: string, name: string])[]> {
  const [operators, tokens] = await Promise.all([
    mayCall("listOperators") && opsData().environment === "production"
      ? everyRow(
          (query) => api.GET("/internal/v1/operators", { params: { query } }),
          (page) => page.operators,
        )
      : [],
    everyRow(
      (query) => api.GET("/internal/v1/operator-tokens", { params: { query } }),
      (page) => page.operator_tokens,
    ),
  ])
  return [
    ...operators.map(({ operator_id: id, name }) => [id, name] as const),
    ...tokens.map(({ token_id: id, label }) => [id, `${label} (token)`] as const),
  ]
}

/** `changeOperator` as "Change operator". */
function inWords(action: string): string {
  const words = action.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}
