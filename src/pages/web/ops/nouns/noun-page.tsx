/** The page of a noun: its rows as a table that is searched, and the form of a new one or of a change. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import type { Noun, NounField } from "../../../../model/nouns/noun.ts"
import { Button, ShortId } from "../../design/button.tsx"
import { Empty } from "../../design/feedback.tsx"
import type { Column } from "../../design/table.tsx"
import { useResource } from "../../resource.ts"
import { Head } from "../frame.tsx"
import { mayCall } from "../session.ts"
import { Listed } from "../settings/listed.tsx"
import { SearchedTable } from "../settings/searched-table.tsx"
import { NounForm } from "./noun-form.tsx"
import { operationOf, readNoun } from "./noun-row.ts"
import type { NounRow } from "./noun-row.ts"

export function NounPage({ noun }: { readonly noun: Noun }): JSX.Element {
  const { lead = "", nothing = "" } = noun.page ?? {}
  const rows = useResource(() => readNoun(noun))
  const [changed, setChanged] = useState<NounRow | "new" | null>(null)
  const title = `${noun.many.charAt(0).toUpperCase()}${noun.many.slice(1)}`
  return (
    <>
      <Head title={title} lead={lead}>
        {mayCall(operationOf("add", noun)) ? (
          <Button look="primary" icon="plus" onPress={() => setChanged("new")}>
            New {noun.one}
          </Button>
        ) : null}
      </Head>
      <Listed
        resource={rows}
        what={`The ${noun.many}`}
        empty={<Empty title={`There are no ${noun.many} yet`}>{nothing}</Empty>}
        table={(found) => (
          <SearchedTable
            label={title}
            rows={found}
            keyOf={(row) => String(row[noun.id])}
            textOf={(row) => `${String(row["name"])} ${String(row[noun.id])}`}
            hasTwoLines
            columns={columnsOf(noun, setChanged)}
          />
        )}
      />
      {changed === null ? null : (
        <NounForm
          noun={noun}
          known={changed === "new" ? null : changed}
          onClose={() => setChanged(null)}
          onSaved={async () => {
            setChanged(null)
            await rows.reload()
          }}
        />
      )}
    </>
  )
}

/** The name with the id below it, the other fields, and the button of a change. */
function columnsOf(noun: Noun, onChange: (row: NounRow) => void): readonly Column<NounRow>[] {
  const nameOf = (row: NounRow): string => String(row["name"])
  const others = Object.entries(noun.fields).filter(([name]) => name !== "name")
  return [
    {
      name: `${noun.one.charAt(0).toUpperCase()}${noun.one.slice(1)}`,
      sortBy: nameOf,
      cell: (row) => (
        <>
          <span class="main">{nameOf(row)}</span>
          <span class="under">
            <ShortId id={String(row[noun.id])} label={`Copy the ${noun.one}'s id`} />
          </span>
        </>
      ),
    },
    ...others.map(([name, field]): Column<NounRow> => ({
      name: field.label,
      cell: (row) => cellOf(field, row[name]),
    })),
    {
      name: "",
      isEnd: true,
      cell: (row) =>
        mayCall(operationOf("change", noun)) ? (
          <Button isSmall label={`Change ${nameOf(row)}`} onPress={() => onChange(row)}>
            Change
          </Button>
        ) : null,
    },
  ]
}

function cellOf({ is, cell }: NounField, value: NounRow[string] | undefined): JSX.Element | string {
  if (value === undefined || value === null || value === "") return cell?.none ?? ""
  if (cell?.some !== undefined) return cell.some
  return is === "paragraph" ? <span class="sentence">{String(value)}</span> : String(value)
}
