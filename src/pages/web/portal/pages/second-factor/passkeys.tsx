/** Passkeys of the account: the list, adding one by the browser, and removing one by a code or another passkey. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../../design/button.tsx"
import { Skeleton, toast } from "../../../design/feedback.tsx"
import { PasswordField, TextField } from "../../../design/field.tsx"
import { Dialog } from "../../../design/overlay.tsx"
import { Table } from "../../../design/table.tsx"
import { api, dataOf } from "../../api.ts"
import type { components } from "../../api-types.ts"
import type { Resource } from "../../../resource.ts"
import { dayTime, fromRealNow } from "../../times.ts"
import { Fields } from "../form.tsx"
import { created } from "./passkey-browser.ts"
import { CommandProblem, ReadProblem } from "../problem.tsx"
import { ProofField, Prove, UsePasskey, useProof } from "./prove.tsx"

type Passkey = components["schemas"]["Passkey"]

interface PasskeysProps {
  readonly list: Resource<{ readonly is_available: boolean; readonly passkeys: readonly Passkey[] }>
  /** Called after each change, with recovery codes when the second factor is new. */
  readonly onChange: (codes: readonly string[] | null) => void
  readonly hasApplication: boolean
  /** Then adding one needs a proof too. */
  readonly isOn: boolean
}

export function Passkeys({ list, onChange, hasApplication, isOn }: PasskeysProps): JSX.Element {
  const [isAdding, setAdding] = useState(false)
  const [removed, setRemoved] = useState<Passkey | null>(null)
  const { data, fault, reload } = list
  const changed = (codes: readonly string[] | null): void => {
    setAdding(false)
    setRemoved(null)
    onChange(codes)
  }
  return (
    <section>
      <div class="section-head">
        <h2>Passkeys</h2>
        {data?.is_available === true ? (
          <Button isSmall icon="plus" onPress={() => setAdding(true)}>
            Add a passkey
          </Button>
        ) : null}
      </div>
      {fault !== null && data === null ? (
        <ReadProblem what="Passkeys" fault={fault} onAgain={reload} />
      ) : data === null ? (
        <Skeleton lines={2} />
      ) : data.passkeys.length > 0 ? (
        <PasskeyTable passkeys={data.passkeys} onRemove={setRemoved} />
      ) : (
        <p class="small quiet">
          {data.is_available
            ? "A fingerprint, a face or a security key, asked for after the password instead of a code."
            : "Browsers allow passkeys only where the portal has a host name; this one is reached by an address."}
        </p>
      )}
      {isAdding ? (
        <AddPasskey
          isOn={isOn}
          hasPasskey={(data?.passkeys.length ?? 0) > 0}
          onClose={() => setAdding(false)}
          onDone={changed}
        />
      ) : null}
      {removed === null ? null : (
        <RemovePasskey
          passkey={removed}
          isLast={data?.passkeys.length === 1 && !hasApplication}
          onClose={() => setRemoved(null)}
          onDone={() => {
            toast(`${removed.name} is removed`)
            changed(null)
          }}
        />
      )}
    </section>
  )
}

interface PasskeyTableProps {
  readonly passkeys: readonly Passkey[]
  readonly onRemove: (passkey: Passkey) => void
}

function PasskeyTable({ passkeys, onRemove }: PasskeyTableProps): JSX.Element {
  return (
    <Table
      label="Passkeys"
      hasTwoLines
      rows={passkeys}
      keyOf={({ passkey_id: id }) => id}
      columns={[
        {
          name: "Name",
          cell: ({ name, created_at: at }) => (
            <>
              <span class="main">{name}</span>
              <span class="under">added {dayTime(at)}</span>
            </>
          ),
        },
        { name: "Used", cell: ({ used_at: at }) => (at === null ? "never" : fromRealNow(at)) },
        {
          name: "",
          isEnd: true,
          cell: (passkey) => (
            <Button isSmall look="danger quiet" onPress={() => onRemove(passkey)}>
              Remove<span class="visually-hidden"> {passkey.name}</span>
            </Button>
          ),
        },
      ]}
    />
  )
}

interface AddPasskeyProps {
  readonly isOn: boolean
  readonly hasPasskey: boolean
  readonly onClose: () => void
  readonly onDone: (codes: readonly string[] | null) => void
}

function AddPasskey({ isOn, hasPasskey, onClose, onDone }: AddPasskeyProps): JSX.Element {
  const [name, setName] = useState("")
  const [password, setPassword] = useState("")
  const proving = useProof(async (proof) => {
    const body = { current_password: password, ...proof }
    const { options } = await dataOf(api.POST("/portal/api/passkeys/options", { body }))
    // A code works once.
    proving.setCode("")
    const credential = await created(options)
    const added = await dataOf(api.POST("/portal/api/passkeys", { body: { name, credential } }))
    onDone(added.recovery_codes.length === 0 ? null : added.recovery_codes)
  })
  const { plain, byPasskey, refused } = proving
  const fault = plain.fault ?? byPasskey.fault
  const isIncomplete = name.trim() === "" || password === ""
  return (
    <Dialog title="Add a passkey" onClose={onClose}>
      <Fields
        onSend={() => plain.send()}
        actions={
          <>
            <Button onPress={onClose}>Not now</Button>
            {hasPasskey ? <UsePasskey proving={proving} isDisabled={isIncomplete} /> : null}
            <Button
              look="primary"
              type="submit"
              isBusy={plain.isBusy}
              isDisabled={isIncomplete || (isOn && proving.code.length < 6)}
            >
              {plain.isBusy ? "Waiting for the browser…" : "Go on"}
            </Button>
          </>
        }
      >
        {fault !== null && fault.fields["name"] === undefined ? <CommandProblem fault={fault} /> : null}
        <TextField
          label="Name"
          hint="Where it is kept: My laptop, Blue key."
          value={name}
          onChange={setName}
          lengthMax={64}
          isFirst
          error={refused ?? fault?.fields["name"] ?? null}
        />
        <PasswordField
          label="Your password"
          autocomplete="current-password"
          value={password}
          onChange={setPassword}
        />
        {isOn ? <ProofField proving={proving} error={fault?.fields["code"] ?? null} /> : null}
      </Fields>
    </Dialog>
  )
}

interface RemovePasskeyProps {
  readonly passkey: Passkey
  /** True when the second factor ends with it. */
  readonly isLast: boolean
  readonly onClose: () => void
  readonly onDone: () => void
}

function RemovePasskey({ passkey, isLast, onClose, onDone }: RemovePasskeyProps): JSX.Element {
  return (
    <Prove
      title={`Remove ${passkey.name}?`}
      text={
        isLast
          ? "It is the last one: signing in then needs the password alone, and recovery codes end."
          : "It completes no sign-in any more."
      }
      action="Remove it"
      hasPasskey
      onClose={onClose}
      onProof={async (proof) => {
        const params = { path: { id: passkey.passkey_id } }
        await dataOf(api.POST("/portal/api/passkeys/{id}/remove", { params, body: proof }))
        onDone()
      }}
    />
  )
}
