/** Accounts of operators, for administrators: who may sign in, and what they may do. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button, Copy } from "../../design/button.tsx"
import { Banner, Empty, toast } from "../../design/feedback.tsx"
import { SelectField, TextField } from "../../design/field.tsx"
import { Dialog, Menu } from "../../design/overlay.tsx"
import { Pill } from "../../design/pill.tsx"
import { Table } from "../../design/table.tsx"
import { Fields } from "../../portal/pages/form.tsx"
import { CommandProblem, ReadProblem } from "../../portal/pages/problem.tsx"
import { useCommand, useResource } from "../../resource.ts"
import { read, send } from "../api.ts"
import { Head } from "../frame.tsx"
import { opsData } from "../session.ts"
import type { Role } from "../session.ts"

interface Operator {
  readonly operator_id: string
  readonly email: string
  readonly name: string
  readonly role: Role
  readonly site_ids: readonly string[] | null
  readonly has_password: boolean
  readonly second_factor_since: string | null
  readonly deactivated_at: string | null
}

const PATH = "/internal/v1/operators"

const ROLE_OPTIONS: readonly (readonly [Role, string])[] = [
  ["viewer", "Viewer: reads, personal data masked"],
  ["dispatcher", "Dispatcher: tasks, runs, phones"],
  ["manager", "Manager: sites, prices, approvals"],
  ["admin", "Administrator: accounts, tokens, connector"],
]

export function Operators(): JSX.Element {
  const { environment } = opsData()
  return environment === "production" ? (
    <Accounts />
  ) : (
    <Empty title="Accounts are managed on the production host">
      An account signs in on both hosts; only administrators of production change accounts.
    </Empty>
  )
}

function Accounts(): JSX.Element {
  const { data, fault, reload } = useResource(
    async () => (await read<{ operators: readonly Operator[] }>(`${PATH}?limit=100`)).operators,
  )
  const [changed, setChanged] = useState<Operator | "new" | null>(null)
  const [link, setLink] = useState<string | null>(null)
  const act = async (method: "PATCH" | "POST", path: string, body?: object): Promise<void> => {
    const { value } = await send<{ value?: string }>(method, path, body)
    setChanged(null)
    if (value !== undefined) setLink(`${window.location.origin}${value}`)
    await reload()
  }
  if (fault !== null && data === null)
    return <ReadProblem what="Accounts of operators" fault={fault} onAgain={reload} />
  return (
    <>
      <Head title="Operators" lead="People who sign in here. Accounts are apart from the portal's.">
        <Button look="primary" icon="plus" onPress={() => setChanged("new")}>
          Add an operator
        </Button>
      </Head>
      {data?.length === 0 ? (
        <Empty title="There are no accounts yet">Operator tokens work without one.</Empty>
      ) : (
        <Table
          label="Operators"
          hasTwoLines
          rows={data}
          keyOf={({ operator_id: id }) => id}
          columns={[
            {
              name: "Person",
              cell: ({ name, email }) => (
                <>
                  <span class="main">{name}</span>
                  <span class="under">{email}</span>
                </>
              ),
            },
            { name: "Role", cell: ({ role }) => role },
            { name: "Sites", cell: ({ site_ids: ids }) => (ids === null ? "all" : String(ids.length)) },
            { name: "State", cell: stateOf },
            {
              name: "Actions",
              isEnd: true,
              cell: (one) => <Actions one={one} act={act} onChange={() => setChanged(one)} />,
            },
          ]}
        />
      )}
      {changed === null ? null : (
        <OperatorForm known={changed === "new" ? null : changed} act={act} onClose={() => setChanged(null)} />
      )}
      {link === null ? null : (
        <Dialog title="Send this link to the person" onClose={() => setLink(null)} isKept>
          <Banner tone="wait">It is shown once, works once, and ends after three days.</Banner>
          <p class="wrapped mono">{link}</p>
          <div class="actions">
            <Copy text={link} label="Copy the link" />
            <Button look="primary" onPress={() => setLink(null)}>
              Done
            </Button>
          </div>
        </Dialog>
      )}
    </>
  )
}

type Act = (method: "PATCH" | "POST", path: string, body?: object) => Promise<void>

function stateOf(one: Operator): JSX.Element {
  if (one.deactivated_at !== null)
    return (
      <Pill tone="idle" icon="ban">
        Deactivated
      </Pill>
    )
  if (!one.has_password)
    return (
      <Pill tone="wait" icon="clock">
        No password yet
      </Pill>
    )
  return one.second_factor_since === null ? (
    <Pill tone="move" icon="key">
      Password alone
    </Pill>
  ) : (
    <Pill tone="ok" icon="shield-check">
      Second factor on
    </Pill>
  )
}

function Actions({
  one,
  act,
  onChange,
}: {
  readonly one: Operator
  readonly act: Act
  readonly onChange: () => void
}): JSX.Element {
  const path = `${PATH}/${one.operator_id}`
  const change = (body: object): void =>
    void act("PATCH", path, body).catch((cause: unknown) =>
      toast({ text: cause instanceof Error ? cause.message : "It was refused.", icon: "circle-x" }),
    )
  return (
    <Menu
      label={`Actions for ${one.name}`}
      icon="ellipsis"
      look="quiet"
      isSmall
      items={[
        { name: "Change role and sites", onChoose: onChange },
        ...(one.deactivated_at === null
          ? [
              { name: "New link for a password", onChoose: () => void act("POST", `${path}/link`) },
              {
                name: "Deactivate",
                about: "Ends every session at once",
                onChoose: () => change({ is_active: false }),
              },
            ]
          : [{ name: "Activate again", onChoose: () => change({ is_active: true }) }]),
        ...(one.second_factor_since === null
          ? []
          : [
              {
                name: "Forget the second factor",
                about: "For a person who lost it",
                onChoose: () => change({ forgets_second_factor: true }),
              },
            ]),
      ]}
    />
  )
}

interface OperatorFormProps {
  /** Null: a new account. */
  readonly known: Operator | null
  readonly act: Act
  readonly onClose: () => void
}

function OperatorForm({ known, act, onClose }: OperatorFormProps): JSX.Element {
  const [email, setEmail] = useState("")
  const [name, setName] = useState(known?.name ?? "")
  const [role, setRole] = useState<Role>(known?.role ?? "viewer")
  const [sites, setSites] = useState(known?.site_ids?.join(", ") ?? "")
  const {
    fault,
    isBusy,
    send: save,
  } = useCommand(async () => {
    const ids = sites.split(/[\s,]+/).filter((id) => id !== "")
    const body = { name, role, site_ids: ids.length === 0 ? null : ids }
    await (known === null
      ? act("POST", PATH, { ...body, email })
      : act("PATCH", `${PATH}/${known.operator_id}`, body))
  })
  return (
    <Dialog title={known === null ? "Add an operator" : `Change ${known.name}`} onClose={onClose}>
      <Fields
        onSend={save}
        actions={
          <>
            <Button onPress={onClose}>Close</Button>
            <Button look="primary" type="submit" isBusy={isBusy}>
              {known === null ? "Make the account" : "Save"}
            </Button>
          </>
        }
      >
        <CommandProblem fault={fault} />
        {known === null ? (
          <TextField label="E-mail" type="email" value={email} onChange={setEmail} isRequired isFirst />
        ) : null}
        <TextField label="Name" value={name} onChange={setName} isRequired />
        <SelectField label="Role" value={role} onChange={setRole} options={ROLE_OPTIONS} />
        <TextField
          label="Sites"
          hint="Ids, separated by commas. Empty: all sites."
          value={sites}
          onChange={setSites}
        />
      </Fields>
    </Dialog>
  )
}
