/** Import of a file of stores: first what it would change, or its errors by line; then the import. */

import type { JSX } from "preact"
import { useId, useState } from "preact/hooks"
import { Button, ButtonLink } from "../../design/button.tsx"
import { Banner, toast } from "../../design/feedback.tsx"
import { AreaField } from "../../design/field.tsx"
import { Pill } from "../../design/pill.tsx"
import { Table } from "../../design/table.tsx"
import type { ApiFault } from "../../faults.ts"
import { CommandProblem } from "../../portal/pages/problem.tsx"
import { useCommand } from "../../resource.ts"
import { api, dataOf } from "../api.ts"
import type { operations } from "../api-types.ts"
import { Head } from "../frame.tsx"

type Check = operations["checkStores"]["responses"][200]["content"]["application/json"]["data"]["check"]

const SAMPLE =
  "store_id,name,street,zip,latitude,longitude,categories,phone,hours,lead_minutes,kitchen_starts,stall_hint"

export function ImportStores(): JSX.Element {
  const [csv, setCsv] = useState("")
  /** Of the text as it is now. */
  const [check, setCheck] = useState<Check | null>(null)
  const checking = useCommand(async () => {
    const { check: found } = await dataOf(api.POST("/internal/v1/connector/stores/check", { body: { csv } }))
    setCheck(found)
  })
  const importing = useCommand(async () => {
    const { import: done } = await dataOf(api.POST("/internal/v1/connector/stores/import", { body: { csv } }))
    toast(`${done.added} added, ${done.changed} changed, ${done.unchanged} as before`)
    write("")
  })
  const write = (text: string): void => {
    setCsv(text)
    setCheck(null)
    checking.forget()
    importing.forget()
  }
  return (
    <>
      <p class="crumbs">
        <a href="/ops/settings/stores">Stores</a>
      </p>
      <Head
        title="Import stores"
        lead="One line for each store. The check changes nothing; the import takes every line or none."
      />
      <section>
        <form
          class="fields"
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            checking.send()
          }}
        >
          <FilePick onRead={write} />
          <AreaField
            label="The file"
            hint={
              <>
                CSV with a header: <code class="breaks">{SAMPLE}</code>. Hours such as{" "}
                <code>Mon-Fri 08:00-22:00; Sat 10:00-02:00</code>.
              </>
            }
            value={csv}
            onChange={write}
            isCode
            rows={10}
          />
          <div class="actions">
            <Button
              look={check === null ? "primary" : "secondary"}
              type="submit"
              isBusy={checking.isBusy}
              isDisabled={csv.trim() === ""}
            >
              {checking.isBusy ? "Checking…" : "Check the file"}
            </Button>{" "}
            <ButtonLink href="/ops/settings/stores">Not now</ButtonLink>
          </div>
        </form>
        <LineProblems fault={checking.fault ?? importing.fault} csv={csv} />
        {check === null ? null : <Checked check={check} importing={importing} />}
      </section>
    </>
  )
}

/** Reads the file in the browser; what it holds can be changed before it is sent. */
function FilePick({ onRead }: { readonly onRead: (text: string) => void }): JSX.Element {
  const id = useId()
  const [name, setName] = useState<string | null>(null)
  const take = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return
    setName(file.name)
    onRead(await file.text())
  }
  return (
    <div class="field file-pick">
      <label class="label" for={id}>
        Choose a file
      </label>
      <input
        id={id}
        type="file"
        accept=".csv,text/csv,text/plain"
        onChange={({ currentTarget }) => void take(currentTarget.files?.[0])}
      />
      <span class="hint">{name === null ? "Or write the lines below." : `${name} stands below.`}</span>
    </div>
  )
}

interface LineProblemsProps {
  readonly fault: ApiFault | null
  readonly csv: string
}

/** The service names a line, a column, and what is wrong; the line's text stands beside. */
function LineProblems({ fault, csv }: LineProblemsProps): JSX.Element | null {
  if (fault === null) return null
  const problems = Object.entries(fault.fields)
  if (problems.length === 0 || problems.some(([field]) => field === "csv"))
    return <CommandProblem fault={fault} />
  const lines = csv.split(/\r?\n/)
  return (
    <>
      <Banner tone="bad">Nothing was imported: the file has errors.</Banner>
      <Table
        label="Errors of the file"
        hasTwoLines
        rows={problems.map(([field, message]) => ({ field, message }))}
        keyOf={({ field }) => field}
        columns={[
          {
            name: "Where",
            cell: ({ field }) => (
              <span class="main">{`${field.charAt(0).toUpperCase()}${field.slice(1)}`}</span>
            ),
          },
          {
            name: "What is wrong",
            cell: ({ field, message }) => {
              const line = /^line (\d+)/.exec(field)?.[1]
              return (
                <>
                  {message}
                  {line === undefined ? null : (
                    <code class="under breaks">{lines[Number(line) - 1] ?? ""}</code>
                  )}
                </>
              )
            },
          },
        ]}
      />
    </>
  )
}

interface CheckedProps {
  readonly check: Check
  readonly importing: { readonly isBusy: boolean; readonly send: () => void }
}

function Checked({ check, importing }: CheckedProps): JSX.Element {
  const { added, changed, unchanged, changes } = check
  if (added + changed === 0) {
    return (
      <Banner tone="ok">
        The file changes nothing: {unchanged === 1 ? "its store is" : `all ${unchanged} stores are`} as it
        says.
      </Banner>
    )
  }
  return (
    <>
      <Banner tone="ok">
        The file has no error. An import adds {added}, changes {changed} and leaves {unchanged} as they are.
      </Banner>
      <Table
        label="What an import changes"
        hasTwoLines
        rows={changes}
        keyOf={({ store_id: id }) => id}
        columns={[
          {
            name: "Store",
            cell: ({ name, store_id: id }) => (
              <>
                <span class="main">{name}</span>
                <span class="under mono">{id}</span>
              </>
            ),
          },
          {
            name: "Change",
            cell: ({ change }) => (
              <Pill tone={change === "added" ? "ok" : "move"} icon={change === "added" ? "plus" : "refresh"}>
                {change === "added" ? "Added" : "Changed"}
              </Pill>
            ),
          },
          {
            name: "What differs",
            cell: ({ columns }) =>
              columns.map(({ column, from, to }) => (
                <span key={column} class="sentence">
                  {column}: {from === "" ? "nothing" : from} → {to === "" ? "nothing" : to}
                  <br />
                </span>
              )),
          },
        ]}
      />
      {changes.length < added + changed ? (
        <p class="small quiet">
          {changes.length} of {added + changed} changes are shown.
        </p>
      ) : null}
      <div class="row">
        <Button look="primary" isBusy={importing.isBusy} onPress={importing.send}>
          {importing.isBusy
            ? "Importing…"
            : added + changed === 1
              ? "Import 1 store"
              : `Import ${added + changed} stores`}
        </Button>
      </div>
    </>
  )
}
