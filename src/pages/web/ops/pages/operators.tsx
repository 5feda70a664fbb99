/** Accounts of operators, for administrators: who may sign in, and what they may do. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button, Copy } from "../../design/button.tsx"
import { Banner, Empty } from "../../design/feedback.tsx"
import { SelectField, TextField } from "../../design/field.tsx"
import { Dialog, Menu } from "../../design/overlay.tsx"
import { Pill } from "../../design/pill.tsx"
import { Table } from "../../design/table.tsx"
import { Fields } from "../../portal/pages/form.tsx"
import { ReadProblem } from "../../portal/pages/problem.tsx"
import { useCommand, useResource } from "../../resource.ts"
import { api, everyRow, send } from "../api.ts"
import { Head } from "../frame.tsx"
import { ROLE_OPTIONS } from "../roles.ts"
import { opsData } from "../session.ts"
import type { Role } from "../session.ts"
import { Confirm } from "../settings/confirm.tsx"
import { FormProblem } from "../settings/form-problem.tsx"
import { SitesField } from "../settings/sites-field.tsx"

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
  const { data, fault, reload } = useResource(() =>
    everyRow(
      (query) => api.GET(PATH, { params: { query } }),
      ({ operators }) => operators,
    ),
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
      {link === null ? null : <PasswordLink link={link} onClose={() => setLink(null)} />}
    </>
  )
}

interface PasswordLinkProps {
  readonly link: string
  readonly onClose: () => void
}

function PasswordLink({ link, onClose }: PasswordLinkProps): JSX.Element {
  return (
    <Dialog title="Send this link to the person" onClose={onClose} isKept>
      <Banner tone="wait">It is shown once, works once, and ends after three days.</Banner>
      <p class="wrapped mono">{link}</p>
      <div class="actions">
        <Copy text={link} label="Copy the link" />
        <Button look="primary" onPress={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
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

interface ActionsProps {
  readonly one: Operator
  readonly act: Act
  readonly onChange: () => void
}

/** What is done to an account, with what happens then. */
interface Step {
  readonly name: string
  readonly happens: readonly string[]
  readonly busy: string
  readonly isSafe?: true
  /** True where the account is open to its password alone afterwards: its name is typed first. */
  readonly isTyped?: true
  readonly run: (act: Act, path: string) => Promise<void>
}

const change =
  (body: object) =>
  (act: Act, path: string): Promise<void> =>
    act("PATCH", path, body)

const NEW_LINK: Step = {
  name: "Make a new link for a password",
  happens: [
    "A link is shown once, works once, and ends after three days.",
    "An earlier link works no longer.",
  ],
  busy: "Making…",
  isSafe: true,
  run: (act, path) => act("POST", `${path}/link`),
}

const DEACTIVATE: Step = {
  name: "Deactivate the account",
  happens: [
    "The person cannot sign in, every session ends at once, and a mail says so.",
    "What they did stays in the audit log.",
  ],
  busy: "Deactivating…",
  run: change({ is_active: false }),
}

const ACTIVATE: Step = {
  name: "Activate the account again",
  happens: ["The person may sign in again, with the same password, role and sites."],
  busy: "Activating…",
  isSafe: true,
  run: change({ is_active: true }),
}

const FORGET: Step = {
  name: "Forget the second factor",
  happens: [
    "The person signs in with the password alone, and must set up a factor again if the role needs one.",
    "Every session of the person ends, and recovery codes work no longer.",
  ],
  busy: "Forgetting…",
  isTyped: true,
  run: change({ forgets_second_factor: true }),
}

function Actions({ one, act, onChange }: ActionsProps): JSX.Element {
  const [asked, setAsked] = useState<Step | null>(null)
  const steps = [
    ...(one.deactivated_at === null ? [NEW_LINK, DEACTIVATE] : [ACTIVATE]),
    ...(one.second_factor_since === null ? [] : [FORGET]),
  ]
  return (
    <>
      <Menu
        label={`Actions for ${one.name}`}
        icon="ellipsis"
        look="quiet"
        isSmall
        items={[
          { name: "Change role and sites", onChoose: onChange },
          ...steps.map((step) => ({ name: step.name, onChoose: () => setAsked(step) })),
        ]}
      />
      {asked === null ? null : (
        <Confirm
          title={`${asked.name}: ${one.name}?`}
          happens={asked.happens}
          action={asked.name}
          busy={asked.busy}
          isSafe={asked.isSafe ?? false}
          {...(asked.isTyped === true ? { typed: one.name } : {})}
          onConfirm={async () => {
            await asked.run(act, `${PATH}/${one.operator_id}`)
            setAsked(null)
          }}
          onClose={() => setAsked(null)}
        />
      )}
    </>
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
  const [siteIds, setSites] = useState<readonly string[] | null>(known?.site_ids ?? null)
  const {
    fault,
    isBusy,
    send: save,
  } = useCommand(async () => {
    const body = { name, role, site_ids: siteIds }
    await (known === null
      ? act("POST", PATH, { ...body, email })
      : act("PATCH", `${PATH}/${known.operator_id}`, body))
  })
  const errorOf = (field: string): string | null => fault?.fields[field] ?? null
  // An administrator may do everything, also to the reader.
  const [repeated, setRepeated] = useState("")
  const [isWrong, setWrong] = useState(false)
  const isRaised = role === "admin" && known?.role !== "admin"
  return (
    <Dialog title={known === null ? "Add an operator" : `Change ${known.name}`} onClose={onClose}>
      <Fields
        onSend={() => {
          const differs = isRaised && repeated.trim() !== name.trim()
          setWrong(differs)
          if (!differs) save()
        }}
        actions={
          <>
            <Button onPress={onClose}>Close</Button>
            <Button look="primary" type="submit" isBusy={isBusy}>
              {known === null ? "Make the account" : "Save"}
            </Button>
          </>
        }
      >
        <FormProblem fault={fault} fields={["email", "name", "role", "site_ids"]} />
        {known === null ? (
          <TextField
            label="E-mail"
            type="email"
            value={email}
            onChange={setEmail}
            error={errorOf("email")}
            isRequired
            isFirst
          />
        ) : null}
        <TextField label="Name" value={name} onChange={setName} error={errorOf("name")} isRequired />
        <SelectField
          label="Role"
          value={role}
          onChange={setRole}
          options={ROLE_OPTIONS}
          error={errorOf("role")}
        />
        {isRaised ? <NameAgain value={repeated} isWrong={isWrong} onChange={setRepeated} /> : null}
        <SitesField siteIds={siteIds} onChange={setSites} error={errorOf("site_ids")} />
      </Fields>
    </Dialog>
  )
}

interface NameAgainProps {
  readonly value: string
  readonly isWrong: boolean
  readonly onChange: (value: string) => void
}

function NameAgain({ value, isWrong, onChange }: NameAgainProps): JSX.Element {
  return (
    <TextField
      label="Type the name again to make an administrator"
      hint="An administrator may do everything here, also to your account."
      value={value}
      onChange={onChange}
      error={isWrong ? "This is not the name above." : null}
    />
  )
}
