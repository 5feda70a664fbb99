/** A new scenario from a record: which of its reservations, deliveries and errands, and why it is kept. */

import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import { BECAUSE_LENGTH_MAX } from "../../../../model/values/limits.ts"
import { Button } from "../../design/button.tsx"
import { Banner, Skeleton } from "../../design/feedback.tsx"
import { TextField } from "../../design/field.tsx"
import { StudioFault } from "../client.ts"
import type { Client } from "../client.ts"
import type { OpenedRecord } from "../contract.ts"
import { FolderField, WriteRow, pathOf } from "./file-place.tsx"

interface KeptRecordProps {
  readonly client: Client
  readonly file: File
  readonly folders: readonly string[]
  readonly onBack: () => void
  readonly onClose: () => void
  readonly onCreate: (path: string, text: string) => Promise<string | null>
}

type RecordCase = OpenedRecord["cases"][number]

export function KeptRecord(props: KeptRecordProps): JSX.Element {
  const { client, file, onBack } = props
  const [record, setRecord] = useState<OpenedRecord | null>(null)
  const [chosen, setChosen] = useState<RecordCase | null>(null)
  const [fault, setFault] = useState<string | null>(null)
  useEffect(() => {
    client.openRecord(file).then(setRecord, (cause: unknown) => setFault(faultOf(cause)))
  }, [client, file])
  if (record !== null && chosen !== null)
    return <KeepForm {...props} record={record} chosen={chosen} onBack={() => setChosen(null)} />
  return (
    <>
      {fault !== null && <Banner tone="bad">{fault}</Banner>}
      {record === null && fault === null && <Skeleton lines={6} />}
      {record?.cases.length === 0 && (
        <Banner tone="bad">{file.name} has no whole reservation, delivery or errand.</Banner>
      )}
      {record !== null && record.cases.length > 0 && (
        <>
          <p class="lead">Choose the case. The scenario repeats it, with invented ids, people and places.</p>
          <ul class="templates">
            {record.cases.map((one) => (
              <li key={one.group}>
                <button type="button" onClick={() => setChosen(one)}>
                  <strong>{nameOf(one.group)}</strong>
                  <span class="quiet">
                    {one.began}, {one.state.replaceAll(".", " ")}
                  </span>
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      <div class="row">
        <Button onPress={onBack}>Back</Button>
      </div>
    </>
  )
}

interface KeepFormProps extends KeptRecordProps {
  readonly record: OpenedRecord
  readonly chosen: RecordCase
}

function KeepForm({
  client,
  folders,
  record,
  chosen,
  onBack,
  onClose,
  onCreate,
}: KeepFormProps): JSX.Element {
  const [because, setBecause] = useState("")
  const [folder, setFolder] = useState(folders[0] ?? "")
  const [refused, setRefused] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const path = pathOf(folder, because === "" ? `kept ${nameOf(chosen.group)}` : because)
  const keep = async (): Promise<void> => {
    if (isBusy) return
    setBusy(true)
    setRefused(await kept())
    setBusy(false)
  }
  const kept = async (): Promise<string | null> => {
    try {
      const { text } = await client.keep({ id: record.id, group: chosen.group, because })
      return await onCreate(path, text)
    } catch (cause) {
      return faultOf(cause)
    }
  }
  return (
    <form
      class="keep-form"
      onSubmit={(event) => {
        event.preventDefault()
        void keep()
      }}
    >
      <p class="lead">
        {nameOf(chosen.group)}, {chosen.began}
      </p>
      <TextField
        label="Why it is kept"
        hint="What went wrong, or what must stay so"
        value={because}
        isFirst
        lengthMax={BECAUSE_LENGTH_MAX}
        onChange={setBecause}
      />
      <FolderField folders={folders} value={folder} onChange={setFolder} />
      {refused !== null && (
        <p class="bad" role="alert">
          {refused}.
        </p>
      )}
      <WriteRow {...{ path, isBusy, onBack, onClose }} />
    </form>
  )
}

const KINDS: Readonly<Record<string, string>> = {
  "courier-order": "Errand",
  delivery: "Delivery",
  reservation: "Reservation",
}

/** `Delivery …4d2f` */
function nameOf(group: string): string {
  const [kind = "", id = ""] = group.split("/")
  return `${KINDS[kind] ?? kind} …${id.slice(-4)}`
}

function faultOf(cause: unknown): string {
  if (cause instanceof StudioFault) return cause.message
  throw cause
}
