/** Operator tokens of this environment, for programs: made, shown once, and revoked. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { Empty, toast } from "../../design/feedback.tsx"
import { SelectField, TextField } from "../../design/field.tsx"
import { Pill } from "../../design/pill.tsx"
import { dayTime } from "../../portal/times.ts"
import { useCommand, useResource } from "../../resource.ts"
import { api, dataOf, everyRow } from "../api.ts"
import type { Schemas } from "../api.ts"
import { Head } from "../frame.tsx"
import { ROLE_OPTIONS } from "../roles.ts"
import { mayCall, opsData } from "../session.ts"
import type { Role } from "../session.ts"
import { Confirm } from "./confirm.tsx"
import { FormDialog } from "./form-dialog.tsx"
import { Listed } from "./listed.tsx"
import { SearchedTable } from "./searched-table.tsx"
import { ShownOnce } from "./shown-once.tsx"
import { SitesField } from "./sites-field.tsx"

type Token = Schemas["OperatorToken"]

interface MadeToken {
  readonly token: Token
  readonly value: string
}

const PATH = "/internal/v1/operator-tokens"

export function Tokens(): JSX.Element {
  const tokens = useResource(() =>
    everyRow(
      (query) => api.GET(PATH, { params: { query } }),
      (page) => page.operator_tokens,
    ),
  )
  const [isMaking, setMaking] = useState(false)
  const [made, setMade] = useState<MadeToken | null>(null)
  const [revoked, setRevoked] = useState<Token | null>(null)
  return (
    <>
      <Head
        title="Operator tokens"
        lead={`For programs that call the operations API of ${opsData().environment}. People have accounts.`}
      >
        {mayCall("makeOperatorToken") ? (
          <Button look="primary" icon="plus" onPress={() => setMaking(true)}>
            New token
          </Button>
        ) : null}
      </Head>
      <Listed
        resource={tokens}
        what="The tokens"
        empty={
          <Empty title="There are no tokens">
            A program of operations needs one, such as the command line.
          </Empty>
        }
        table={(rows) => <TokenTable tokens={rows?.toReversed() ?? null} onRevoke={setRevoked} />}
      />
      {isMaking ? (
        <NewToken
          onClose={() => setMaking(false)}
          onMade={(now) => {
            setMaking(false)
            setMade(now)
            void tokens.reload()
          }}
        />
      ) : null}
      {made === null ? null : <MadeOnce made={made} onClose={() => setMade(null)} />}
      {revoked === null ? null : (
        <RevokeToken
          token={revoked}
          onClose={() => setRevoked(null)}
          onRevoked={async () => {
            setRevoked(null)
            toast("Revoked")
            await tokens.reload()
          }}
        />
      )}
    </>
  )
}

function MadeOnce({
  made,
  onClose,
}: {
  readonly made: MadeToken
  readonly onClose: () => void
}): JSX.Element {
  const { token, value } = made
  return (
    <ShownOnce
      title="Copy the token now"
      noun="token"
      value={value}
      facts={[
        ["Held by", token.label],
        ["Role", token.role ?? "admin"],
        ["Works on", `${window.location.host} only`],
      ]}
      onClose={onClose}
    />
  )
}

interface RevokeTokenProps {
  readonly token: Token
  readonly onClose: () => void
  readonly onRevoked: () => Promise<void>
}

function RevokeToken({ token, onClose, onRevoked }: RevokeTokenProps): JSX.Element {
  return (
    <Confirm
      title={`Revoke the token of ${token.label}?`}
      happens={[
        `Calls with …${token.last_four} are refused at once, and sessions that signed in with it end.`,
        "It cannot be taken back.",
      ]}
      action="Revoke the token"
      busy="Revoking…"
      {...(opsData().environment === "production" ? { typed: token.last_four } : {})}
      onConfirm={async () => {
        await dataOf(
          api.DELETE("/internal/v1/operator-tokens/{id}", { params: { path: { id: token.token_id } } }),
        )
        await onRevoked()
      }}
      onClose={onClose}
    />
  )
}

interface TokenTableProps {
  /** Newest first. */
  readonly tokens: readonly Token[] | null
  readonly onRevoke: (token: Token) => void
}

function TokenTable({ tokens, onRevoke }: TokenTableProps): JSX.Element {
  return (
    <SearchedTable
      label="Operator tokens"
      rows={tokens}
      keyOf={({ token_id: id }) => id}
      textOf={({ label, last_four: four, token_id: id }) => `${label} ${four} ${id}`}
      hasTwoLines
      columns={[
        {
          name: "Held by",
          cell: ({ label, last_four: four, created_at: at }) => (
            <>
              <span class="main">{label}</span>
              <span class="under">
                <span class="mono">…{four}</span>, made {dayTime(at, null, Date.now())}
              </span>
            </>
          ),
        },
        { name: "Role", cell: ({ role }) => role ?? "admin" },
        { name: "Sites", cell: ({ site_ids: ids }) => (ids === null ? "all" : String(ids.length)) },
        {
          name: "State",
          cell: ({ revoked_at: at }) =>
            at === null ? (
              <Pill tone="ok" icon="circle-check">
                Valid
              </Pill>
            ) : (
              <Pill tone="idle" icon="ban">
                Revoked {dayTime(at, null, Date.now())}
              </Pill>
            ),
        },
        {
          name: "",
          isEnd: true,
          cell: (token) =>
            token.revoked_at === null && mayCall("revokeOperatorToken") ? (
              <Button
                isSmall
                look="danger quiet"
                label={`Revoke the token of ${token.label}`}
                onPress={() => onRevoke(token)}
              >
                Revoke
              </Button>
            ) : null,
        },
      ]}
    />
  )
}

interface NewTokenProps {
  readonly onClose: () => void
  readonly onMade: (made: MadeToken) => void
}

function NewToken({ onClose, onMade }: NewTokenProps): JSX.Element {
  const [label, setLabel] = useState("")
  const [role, setRole] = useState<Role>("viewer")
  const [siteIds, setSites] = useState<readonly string[] | null>(null)
  const command = useCommand(async () => {
    const body = { label, role, site_ids: siteIds === null ? null : [...siteIds] }
    const { operator_token: token, value } = await dataOf(api.POST(PATH, { body }))
    onMade({ token, value })
  })
  const errorOf = (field: string): string | null => command.fault?.fields[field] ?? null
  return (
    <FormDialog
      title="New operator token"
      command={command}
      fields={["label", "role", "site_ids"]}
      action="Make the token"
      busy="Making…"
      onClose={onClose}
    >
      <TextField
        label="Held by"
        hint="Who or what has it. The audit log shows this name."
        value={label}
        onChange={setLabel}
        error={errorOf("label")}
        isFirst
      />
      <SelectField
        label="Role"
        value={role}
        options={ROLE_OPTIONS}
        onChange={setRole}
        error={errorOf("role")}
      />
      <SitesField siteIds={siteIds} onChange={setSites} error={errorOf("site_ids")} />
    </FormDialog>
  )
}
