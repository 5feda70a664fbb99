/** API keys of an organization, of this environment: made, shown once, and revoked. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { PERMISSIONS } from "../../../../../model/caller.ts"
import type { Permission } from "../../../../../model/caller.ts"
import { Button } from "../../../design/button.tsx"
import { toast } from "../../../design/feedback.tsx"
import { CheckList, TextField } from "../../../design/field.tsx"
import { Pill } from "../../../design/pill.tsx"
import { Table } from "../../../design/table.tsx"
import { dayTime } from "../../../portal/times.ts"
import { PERMISSION_WORDS, permissionsInWords } from "../../../portal/words.tsx"
import { useCommand, useResource } from "../../../resource.ts"
import { api, dataOf, everyRow } from "../../api.ts"
import type { Schemas } from "../../api.ts"
import { mayCall, opsData } from "../../session.ts"
import { Confirm } from "../confirm.tsx"
import { FormDialog } from "../form-dialog.tsx"
import { Listed } from "../listed.tsx"
import type { Organization } from "./organization-names.tsx"
import { ShownOnce } from "../shown-once.tsx"

type Key = Schemas["ApiKey"]

interface MadeKey {
  readonly key: Key
  readonly value: string
}

const LIST = "/internal/v1/organizations/{id}/api-keys"

export function Keys({ organization }: { readonly organization: Organization }): JSX.Element {
  const { organization_id: id } = organization
  const keys = useResource(
    () =>
      everyRow(
        (query) => api.GET(LIST, { params: { path: { id }, query } }),
        (page) => page.api_keys,
      ),
    [id],
  )
  const [isMaking, setMaking] = useState(false)
  const [made, setMade] = useState<MadeKey | null>(null)
  const [revoked, setRevoked] = useState<Key | null>(null)
  return (
    <section aria-labelledby="keys">
      <KeysHead onNew={() => setMaking(true)} />
      <Listed
        resource={keys}
        what="The keys"
        empty={<p class="small quiet">The organization has no key of this environment.</p>}
        table={(rows) => <KeyTable keys={rows?.toReversed() ?? null} onRevoke={setRevoked} />}
      />
      {isMaking ? (
        <NewKey
          organization={organization}
          onClose={() => setMaking(false)}
          onMade={(now) => {
            setMaking(false)
            setMade(now)
            void keys.reload()
          }}
        />
      ) : null}
      {made === null ? null : (
        <ShownOnce
          title="Copy the key now"
          noun="key"
          value={made.value}
          facts={factsOf(organization, made.key)}
          onClose={() => setMade(null)}
        />
      )}
      {revoked === null ? null : (
        <RevokeKey
          one={revoked}
          organization={organization}
          onClose={() => setRevoked(null)}
          onRevoked={async () => {
            setRevoked(null)
            toast("Revoked")
            await keys.reload()
          }}
        />
      )}
    </section>
  )
}

function KeysHead({ onNew }: { readonly onNew: () => void }): JSX.Element {
  return (
    <div class="section-head">
      <div>
        <h2 id="keys">API keys</h2>
        <p class="small quiet">
          Of the {opsData().environment} environment. People of the organization make keys in the portal.
        </p>
      </div>
      {mayCall("makeApiKey") ? (
        <Button icon="plus" onPress={onNew}>
          New key
        </Button>
      ) : null}
    </div>
  )
}

function factsOf({ name }: Organization, key: Key): readonly (readonly [string, string])[] {
  const { permissions, expires_at: endsAt } = key
  return [
    ["Of", name],
    ["May", permissionsInWords(permissions)],
    ["Works on", `${window.location.host} only`],
    ["Ends", endsAt === null ? "when it is revoked" : dayTime(endsAt, null, Date.now())],
  ]
}

interface KeyTableProps {
  /** Newest first. */
  readonly keys: readonly Key[] | null
  readonly onRevoke: (key: Key) => void
}

function KeyTable({ keys, onRevoke }: KeyTableProps): JSX.Element {
  return (
    <Table
      label="API keys"
      rows={keys}
      keyOf={({ key_id: id }) => id}
      hasTwoLines
      columns={[
        {
          name: "Key",
          cell: ({ label, last_four: four, created_at: at }) => (
            <>
              <span class="main">{label || `…${four}`}</span>
              <span class="under">
                <span class="mono">…{four}</span>, made {dayTime(at, null, Date.now())}
              </span>
            </>
          ),
        },
        {
          name: "May",
          cell: ({ permissions }) => <span class="sentence">{permissionsInWords(permissions)}</span>,
        },
        { name: "State", cell: (key) => <KeyState one={key} /> },
        {
          name: "",
          isEnd: true,
          cell: (key) =>
            key.revoked_at === null && mayCall("revokeApiKey") ? (
              <Button
                isSmall
                look="danger quiet"
                label={`Revoke the key …${key.last_four}`}
                onPress={() => onRevoke(key)}
              >
                Revoke
              </Button>
            ) : null,
        },
      ]}
    />
  )
}

function KeyState({
  one: { revoked_at: revokedAt, expires_at: endsAt },
}: {
  readonly one: Key
}): JSX.Element {
  if (revokedAt !== null) {
    return (
      <Pill tone="idle" icon="ban">
        Revoked {dayTime(revokedAt, null, Date.now())}
      </Pill>
    )
  }
  if (endsAt === null) {
    return (
      <Pill tone="ok" icon="circle-check">
        Valid
      </Pill>
    )
  }
  const isOver = Date.parse(endsAt) <= Date.now()
  return (
    <Pill tone={isOver ? "idle" : "wait"} icon={isOver ? "ban" : "clock"}>
      {isOver ? "Ended" : "Ends"} {dayTime(endsAt, null, Date.now())}
    </Pill>
  )
}

interface NewKeyProps {
  readonly organization: Organization
  readonly onClose: () => void
  readonly onMade: (made: MadeKey) => void
}

function NewKey({ organization, onClose, onMade }: NewKeyProps): JSX.Element {
  const [label, setLabel] = useState("")
  const [permissions, setPermissions] = useState<readonly Permission[]>([])
  const [ends, setEnds] = useState("")
  const command = useCommand(async () => {
    const body = {
      permissions: [...permissions],
      label: label === "" ? null : label,
      expires_at: ends === "" ? null : new Date(ends).toISOString(),
    }
    const params = { path: { id: organization.organization_id } }
    const { api_key: key, value } = await dataOf(api.POST(LIST, { params, body }))
    onMade({ key, value })
  })
  const errorOf = (field: string): string | null => command.fault?.fields[field] ?? null
  return (
    <FormDialog
      title={`New key of ${organization.name}`}
      command={command}
      fields={["label", "permissions", "expires_at"]}
      action="Make the key"
      busy="Making…"
      onClose={onClose}
    >
      <TextField
        label="Label"
        hint="What it is for."
        value={label}
        onChange={setLabel}
        error={errorOf("label")}
        isFirst
      />
      <CheckList
        label="May"
        options={PERMISSIONS.map((value) => ({
          value,
          name: PERMISSION_WORDS[value] ?? value,
          about: <code class="mono tiny">{value}</code>,
        }))}
        chosen={permissions}
        onChange={setPermissions}
        error={errorOf("permissions")}
      />
      <TextField
        label="Ends"
        type="datetime-local"
        hint="In the time of this browser. Empty: when it is revoked."
        value={ends}
        onChange={setEnds}
        error={errorOf("expires_at")}
      />
    </FormDialog>
  )
}

interface RevokeKeyProps {
  readonly one: Key
  readonly organization: Organization
  readonly onClose: () => void
  readonly onRevoked: () => Promise<void>
}

function RevokeKey({ one, organization, onClose, onRevoked }: RevokeKeyProps): JSX.Element {
  const name = one.label || `…${one.last_four}`
  return (
    <Confirm
      title={`Revoke the key ${name}?`}
      happens={[
        `Calls of ${organization.name} with …${one.last_four} answer 401 at once.`,
        "It cannot be taken back. A new key needs a change of their program.",
      ]}
      action="Revoke the key"
      busy="Revoking…"
      {...(opsData().environment === "production" ? { typed: one.last_four } : {})}
      onConfirm={async () => {
        await dataOf(api.DELETE("/internal/v1/api-keys/{id}", { params: { path: { id: one.key_id } } }))
        await onRevoked()
      }}
      onClose={onClose}
    />
  )
}
