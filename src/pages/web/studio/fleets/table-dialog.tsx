/** A table of orders that was dropped on the open model: its columns and hours, and the demand that replays it, which goes into the model. */

import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import { STUDIO_TABLE_BYTES_MAX } from "../../../../model/values/limits.ts"
import type { InspectedTable } from "../../../../model/replay/inspected-table.ts"
import { Button } from "../../design/button.tsx"
import { Banner, Skeleton, toast } from "../../design/feedback.tsx"
import { AreaField, TextField } from "../../design/field.tsx"
import { Dialog } from "../../design/overlay.tsx"
import { StudioFault } from "../client.ts"
import type { Client } from "../client.ts"
import type { DroppedTable, FleetRead } from "./fleet-contract.ts"

interface TableDialogProps {
  readonly client: Client
  readonly open: FleetRead
  readonly file: File
  readonly onClose: () => void
  /** The model on disk has the demand. */
  readonly onAdded: () => void
}

export function TableDialog(props: TableDialogProps): JSX.Element {
  const { client, open, file, onClose } = props
  const [dropped, setDropped] = useState<DroppedTable | null>(null)
  const [fault, setFault] = useState<string | null>(null)
  useEffect(() => {
    const tooLong = tooLongText(file, open.path)
    if (tooLong === null)
      client.inspectTable(open.path, file).then(setDropped, (cause: unknown) => setFault(faultOf(cause)))
    else setFault(tooLong)
  }, [client, file])
  return (
    <Dialog title={file.name} onClose={onClose}>
      <div class="dropped-table">
        {fault !== null && <Banner tone="bad">{fault}</Banner>}
        {dropped !== null && <Table {...props} dropped={dropped} />}
        {dropped === null && fault === null && <Skeleton lines={8} />}
        {dropped === null && (
          <div class="row">
            <Button onPress={onClose}>Close</Button>
          </div>
        )}
      </div>
    </Dialog>
  )
}

/** Null for a file that the studio's server takes. */
function tooLongText({ name, size }: File, model: string): string | null {
  const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1024 ** 2)} MB`
  return size <= STUDIO_TABLE_BYTES_MAX
    ? null
    : `${name} has ${megabytes(size)}, and the page takes tables up to ${megabytes(STUDIO_TABLE_BYTES_MAX)}. Copy it to the folder of ${model}, and use "npx curbline fleet inspect-table".`
}

function faultOf(cause: unknown): string {
  if (cause instanceof StudioFault) return cause.message
  throw cause
}

interface TableProps extends TableDialogProps {
  readonly dropped: DroppedTable
}

interface Addition {
  readonly yaml: string
  readonly setYaml: (yaml: string) => void
  /** Of the file beside the model. */
  readonly name: string
  readonly rename: (name: string) => void
  readonly isTaken: boolean
  readonly refused: string | null
  readonly isBusy: boolean
  readonly add: (replaces: boolean) => Promise<void>
}

function useAddition({ client, open, onAdded, dropped: { id, inspected } }: TableProps): Addition {
  const [yaml, setYaml] = useState(inspected.demand.trimEnd())
  const [name, setName] = useState(inspected.file)
  const [isTaken, setTaken] = useState(false)
  const [refused, setRefused] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const add = async (replaces: boolean): Promise<void> => {
    setBusy(true)
    setRefused(null)
    try {
      const { path, version } = open
      const { is } = await client.addTable({ path, version, id, file: name, yaml, replaces })
      setTaken(is === "taken")
      if (is === "taken") return
      toast(`${path} replays ${name}, which stands beside it.`)
      onAdded()
    } catch (cause) {
      setRefused(faultOf(cause))
    } finally {
      setBusy(false)
    }
  }
  const rename = (next: string): void => {
    setTaken(false)
    // The demand names the file.
    setYaml(yaml.replace(/^(\s*file: ).*$/m, (_, key: string) => key + JSON.stringify(next)))
    setName(next)
  }
  return { yaml, setYaml, name, rename, isTaken, refused, isBusy, add }
}

function Table(props: TableProps): JSX.Element {
  const { open, onClose } = props
  const { inspected } = props.dropped
  const { yaml, setYaml, name, rename, isTaken, refused, isBusy, add } = useAddition(props)
  return (
    <form
      class="column"
      onSubmit={(event) => {
        event.preventDefault()
        void add(false)
      }}
    >
      <p class="quiet">
        {inspected.rows} rows; {inspected.form.join("; ")}
      </p>
      <Columns columns={inspected.columns} />
      {inspected.rowsByHour !== null && <Hours rows={inspected.rowsByHour} />}
      <AreaField
        label={`What goes into ${open.path}`}
        hint="Guessed from names and cells. Read it, and complete the lines behind #."
        isCode
        rows={yaml.split("\n").length}
        value={yaml}
        onChange={setYaml}
      />
      <TextField label="File beside the model" value={name} onChange={rename} isRequired />
      {refused !== null && <Banner tone="bad">{refused}</Banner>}
      {isTaken && (
        <Banner tone="wait">
          <p>There is another {name} beside the model. Write another name, or replace it.</p>
          <Button isSmall look="danger" onPress={() => void add(true)}>
            Replace it
          </Button>
        </Banner>
      )}
      <div class="row">
        <Button onPress={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isBusy={isBusy}>
          Add to the model
        </Button>
      </div>
    </form>
  )
}

function Columns({ columns }: Pick<InspectedTable, "columns">): JSX.Element {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Columns">
      <table>
        <thead>
          <tr>
            <th scope="col">Column</th>
            <th scope="col">May be</th>
            <th scope="col">Type</th>
            <th scope="col">Filled</th>
            <th scope="col">Values</th>
            <th scope="col">Examples</th>
          </tr>
        </thead>
        <tbody>
          {columns.map(({ number, name, kind, timeForm, filled, distinct, examples, guess }) => (
            <tr key={number}>
              <th scope="row">{name}</th>
              <td>{guess !== null && <code>{guess}</code>}</td>
              <td>{timeForm ?? kind}</td>
              <td class="number">{Math.floor(filled * 100)}%</td>
              <td class="number">{distinct}</td>
              <td class="examples">{examples.join(", ")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Hours({ rows }: { readonly rows: readonly number[] }): JSX.Element {
  const most = Math.max(1, ...rows)
  const peak = rows.indexOf(most)
  return (
    <figure class="table-hours">
      <figcaption>
        Rows by hour of day{" "}
        <span class="quiet">{peak === -1 ? "none" : `at most ${most} at ${hourText(peak)}`}</span>
      </figcaption>
      <ol>
        {rows.map((count, hour) => (
          <li key={hour} title={`${hourText(hour)}: ${count}`}>
            <span class="bar" style={{ height: `${(100 * count) / most}%` }} />
            <span class="visually-hidden">
              {hourText(hour)}: {count}
            </span>
            {hour % 6 === 0 && (
              <span class="tick" aria-hidden="true">
                {hourText(hour)}
              </span>
            )}
          </li>
        ))}
      </ol>
    </figure>
  )
}

function hourText(hour: number): string {
  return `${String(hour).padStart(2, "0")}:00`
}
