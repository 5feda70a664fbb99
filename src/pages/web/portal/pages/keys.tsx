/** API keys of one environment: made, shown once, rolled, revoked. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button, hasCopied } from "../../design/button.tsx"
import { Code } from "../../design/code.tsx"
import { Empty, toast } from "../../design/feedback.tsx"
import { CheckList, SelectField, TextField } from "../../design/field.tsx"
import { Dialog } from "../../design/overlay.tsx"
import { Pill } from "../../design/pill.tsx"
import { Facts, Table } from "../../design/table.tsx"
import { api, dataOf } from "../api.ts"
import type { Schemas } from "../api.ts"
import { Head } from "../frame.tsx"
import { useCommand, useResource } from "../../resource.ts"
import type { PageProps } from "../session.ts"
import { dayTime, fromRealNow } from "../times.ts"
import { PERMISSION_WORDS, permissionsInWords } from "../words.tsx"
import { Danger } from "./danger.tsx"
import { Fields, FormButtons } from "./form.tsx"
import { CommandProblem, ReadProblem } from "./problem.tsx"

type Key = Schemas["ApiKey"]
type Permission = Key["permissions"][number]

interface Shown {
  readonly key: Key
  readonly value: string
}

/** Neither revoked nor expired; keys expire by real time. */
function isInForce({ revoked_at: revokedAt, expires_at: endsAt }: Key): boolean {
  return revokedAt === null && (endsAt === null || Date.parse(endsAt) > Date.now())
}

export function Keys({ me, environment, urls }: PageProps): JSX.Element {
  // The API refuses the rest: keys of production are the owners'.
  const mayChange = environment === "sandbox" || me.account.role === "owner"
  const [isMaking, setMaking] = useState(false)
  const [shown, setShown] = useState<Shown | null>(null)
  const [rolling, setRolling] = useState<Key | null>(null)
  const [revoking, setRevoking] = useState<Key | null>(null)
  const params = { query: { environment } }
  const { data, fault, reload } = useResource(() => dataOf(api.GET("/portal/api/api-keys", { params })))
  const keys = data?.api_keys.filter(isInForce) ?? null
  const made = (now: Shown): void => {
    setMaking(false)
    setRolling(null)
    setShown(now)
    void reload()
  }
  const other = environment === "sandbox" ? "production" : "sandbox"
  return (
    <div class="content">
      <Head
        title="API keys"
        lead={
          <>
            For {environment} hosts only: {other} answers <code>WRONG_ENV_KEY</code>.
          </>
        }
      >
        {mayChange ? (
          <Button look="primary" icon="plus" onPress={() => setMaking(true)}>
            New {environment} key
          </Button>
        ) : (
          <span class="small quiet">Only owners make and change production keys.</span>
        )}
      </Head>
      {fault !== null && keys === null ? (
        <ReadProblem what="Keys" fault={fault} onAgain={reload} />
      ) : keys?.length === 0 ? (
        <Empty title="No keys yet">
          Your program sends a key with each request. It is shown once, when it is made.
        </Empty>
      ) : (
        <KeyTable keys={keys} mayChange={mayChange} onRoll={setRolling} onRevoke={setRevoking} />
      )}
      {isMaking ? <NewKey environment={environment} onClose={() => setMaking(false)} onMade={made} /> : null}
      {rolling === null ? null : <Roll one={rolling} onClose={() => setRolling(null)} onMade={made} />}
      {revoking === null ? null : (
        <Revoke
          one={revoking}
          onClose={() => setRevoking(null)}
          onDone={() => {
            setRevoking(null)
            toast("Revoked")
            void reload()
          }}
        />
      )}
      {shown === null ? null : (
        <ShownOnce
          value={shown.value}
          environment={environment}
          base={urls[environment]}
          onClose={() => setShown(null)}
        />
      )}
    </div>
  )
}

interface KeyTableProps {
  /** Those in force. */
  readonly keys: readonly Key[] | null
  readonly mayChange: boolean
  readonly onRoll: (key: Key) => void
  readonly onRevoke: (key: Key) => void
}

function KeyTable({ keys, mayChange, onRoll, onRevoke }: KeyTableProps): JSX.Element {
  return (
    <Table
      label="API keys"
      hasTwoLines
      rows={keys}
      keyOf={({ key_id: id }) => id}
      columns={[
        { name: "Label", cell: (key) => <span class="main">{nameOf(key)}</span> },
        { name: "Key", cell: ({ last_four: four }) => <span class="mono">…{four}</span> },
        { name: "May", cell: ({ permissions }) => permissionsInWords(permissions) },
        {
          name: "Made by",
          cell: ({ created_by: by, created_at: at }) =>
            `${by?.split(" ")[0] ?? "operations or somebody who left"}, ${dayTime(at)}`,
        },
        {
          name: "Last used",
          cell: ({ last_used_at: at, expires_at: ends }) => (
            <>
              {at === null ? <span class="quiet">Never used</span> : fromRealNow(at)}
              {ends === null ? null : (
                <span class="under">
                  <Pill tone="wait" icon="clock">
                    Ends {fromRealNow(ends)}
                  </Pill>
                </span>
              )}
            </>
          ),
        },
        {
          name: "",
          isEnd: true,
          cell: (key) =>
            mayChange ? (
              <>
                <Button isSmall onPress={() => onRoll(key)}>
                  Roll
                </Button>{" "}
                <Button isSmall look="danger quiet" onPress={() => onRevoke(key)}>
                  Revoke
                </Button>
              </>
            ) : null,
        },
      ]}
    />
  )
}

function nameOf({ label, last_four: four }: Key): string {
  return label || `…${four}`
}

interface NewKeyProps {
  readonly environment: PageProps["environment"]
  readonly onClose: () => void
  readonly onMade: (shown: Shown) => void
}

const CHOICES = (Object.entries(PERMISSION_WORDS) as readonly (readonly [Permission, string])[]).map(
  ([value, name]) => ({
    value,
    name,
    about: <code class="mono tiny">{value}</code>,
  }),
)
/** Chosen until changed: everything in the sandbox, where a missing permission only delays a trial. */
const USUAL: Readonly<Record<PageProps["environment"], readonly Permission[]>> = {
  production: ["deliveries:read", "deliveries:write", "retailers:read"],
  sandbox: CHOICES.map(({ value }) => value),
}

function NewKey({ environment, onClose, onMade }: NewKeyProps): JSX.Element {
  const [label, setLabel] = useState("")
  const [permissions, setPermissions] = useState<readonly Permission[]>(USUAL[environment])
  const { fault, isBusy, send } = useCommand(async () => {
    const body = { label: label.trim() === "" ? null : label.trim(), permissions: [...permissions] }
    const made = await dataOf(api.POST("/portal/api/api-keys", { params: { query: { environment } }, body }))
    onMade({ key: made.api_key, value: made.value })
  })
  return (
    <Dialog title={`New ${environment} key`} onClose={onClose}>
      <Fields
        onSend={send}
        actions={<FormButtons isBusy={isBusy} action="Make the key" busy="Making…" onClose={onClose} />}
      >
        {fault !== null && Object.keys(fault.fields).length === 0 ? <CommandProblem fault={fault} /> : null}
        <TextField
          label="Label"
          hint="What it is for, such as the name of a program."
          value={label}
          onChange={setLabel}
          isFirst
          error={fault?.fields["label"] ?? null}
        />
        <CheckList
          label="May"
          options={CHOICES}
          chosen={permissions}
          onChange={setPermissions}
          error={fault?.fields["permissions"] ?? null}
        />
      </Fields>
    </Dialog>
  )
}

interface ShownOnceProps extends Shown {
  readonly environment: PageProps["environment"]
  readonly base: string
  readonly onClose: () => void
}

/** Esc and the backdrop do not close it: the value is never shown again. */
function ShownOnce({ value, environment, base, onClose }: Omit<ShownOnceProps, "key">): JSX.Element {
  const [isCopied, setCopied] = useState(false)
  const copy = async (): Promise<void> => setCopied(await hasCopied(value))
  const params = { query: { environment } }
  const { data } = useResource(() => dataOf(api.GET("/portal/api/sites", { params })))
  const site = data?.sites[0]?.site_id ?? "the id of a site"
  return (
    <Dialog title="Copy your key now" onClose={onClose} isKept>
      <p class="quiet">It is shown this once. We keep only a hash of it.</p>
      <div class="fields">
        <div class="row">
          <code class="code grow secret" data-secret="true">
            {value}
          </code>
          <Button look="primary" icon={isCopied ? "check" : "copy"} onPress={() => void copy()}>
            {isCopied ? "Copied" : "Copy key"}
          </Button>
        </div>
        <Facts facts={[["Works on", `${new URL(base).host} only`]]} />
        <h3>Try it</h3>
        <Code
          label="a request with this key"
          text={`curl ${base}/dd/v1/deliveries \\\n  -H "Authorization: Bearer $CURBLINE_KEY" \\\n  -H "x-retailer-id: ${site}"`}
        />
      </div>
      <div class="actions">
        <Button onPress={onClose}>I have saved it</Button>
      </div>
    </Dialog>
  )
}

interface RollProps {
  readonly one: Key
  readonly onClose: () => void
  readonly onMade: (shown: Shown) => void
}

const OVERLAPS: readonly (readonly [string, string])[] = [
  ["PT0S", "Ends at once"],
  ["PT1H", "Works for another hour"],
  ["P1D", "Works for another day"],
  ["P7D", "Works for another seven days"],
]

function Roll({ one, onClose, onMade }: RollProps): JSX.Element {
  const [overlap, setOverlap] = useState("P1D")
  const { fault, isBusy, send } = useCommand(async () => {
    const params = { path: { id: one.key_id } }
    const made = await dataOf(api.POST("/portal/api/api-keys/{id}/roll", { params, body: { overlap } }))
    onMade({ key: made.api_key, value: made.value })
  })
  return (
    <Dialog title={`Roll ${nameOf(one)}?`} onClose={onClose}>
      <p class="quiet small">A new value with the same permissions. Choose what happens to the old one.</p>
      <div class="fields">
        <CommandProblem fault={fault} />
        <SelectField label="The old key" value={overlap} options={OVERLAPS} onChange={setOverlap} />
      </div>
      <div class="actions">
        <Button onPress={onClose}>Keep it</Button>
        <Button look="primary" isBusy={isBusy} onPress={send}>
          {isBusy ? "Rolling…" : "Roll key"}
        </Button>
      </div>
    </Dialog>
  )
}

interface RevokeProps {
  readonly one: Key
  readonly onClose: () => void
  readonly onDone: () => void
}

function Revoke({ one, onClose, onDone }: RevokeProps): JSX.Element {
  const name = nameOf(one)
  const used = one.last_used_at === null ? "never used" : `last used ${fromRealNow(one.last_used_at)}`
  return (
    <Danger
      title={`Revoke ${name}?`}
      happens={`Calls with …${one.last_four} answer 401 at once. It was ${used}.`}
      typed={{ text: name, to: "revoke it" }}
      action="Revoke key"
      busy="Revoking…"
      onConfirm={async () => {
        await dataOf(api.DELETE("/portal/api/api-keys/{id}", { params: { path: { id: one.key_id } } }))
        onDone()
      }}
      onClose={onClose}
    />
  )
}
