/** The person's account and sessions, and the organization's profile. */

import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { Skeleton, toast } from "../../design/feedback.tsx"
import { PasswordField, TextField } from "../../design/field.tsx"
import { Facts, Table } from "../../design/table.tsx"
import { api, dataOf } from "../api.ts"
import { browserName } from "../browser-name.ts"
import { Head } from "../frame.tsx"
import { useCommand, useResource } from "../../resource.ts"
import type { PageProps } from "../session.ts"
import { dayTime, fromRealNow } from "../times.ts"
import { RowCommand } from "./danger.tsx"
import { Fields } from "./form.tsx"
import { CommandProblem, ReadProblem } from "./problem.tsx"
import { SecondFactor } from "./second-factor/second-factor.tsx"
import { Strength } from "./strength.tsx"

export function Account({ me }: PageProps): JSX.Element {
  return (
    <div class="content">
      <Head title="Account" lead={me.account.email} />
      <div class="split-page">
        <div class="stack">
          <Profile isOwner={me.account.role === "owner"} />
          <Sessions />
        </div>
        <aside class="stack" aria-label="Security">
          <ChangePassword about={[me.account.name, me.account.email, me.organization.name]} />
          <SecondFactor />
        </aside>
      </div>
    </div>
  )
}

function Profile({ isOwner }: { readonly isOwner: boolean }): JSX.Element {
  const [name, setName] = useState("")
  const [email, setEmail] = useState("")
  const { data, fault, reload } = useResource(() => dataOf(api.GET("/portal/api/organization")))
  useEffect(() => {
    if (data === null) return
    setName(data.organization.name)
    setEmail(data.organization.contact_email ?? "")
  }, [data])
  const save = useCommand(async () => {
    // An address can be replaced, not taken away: the service says so at the field.
    const hasEmail = email !== "" || (data?.organization.contact_email ?? null) !== null
    const body = { name, ...(hasEmail ? { contact_email: email } : {}) }
    await dataOf(api.PATCH("/portal/api/organization", { body }))
    await reload()
    toast("Saved")
  })
  return (
    <section id="organization">
      <div class="section-head">
        <h2>Organization</h2>
      </div>
      {fault !== null && data === null ? (
        <ReadProblem what="The organization" fault={fault} onAgain={reload} />
      ) : data === null ? (
        <Skeleton lines={3} />
      ) : isOwner ? (
        <Fields
          onSend={save.send}
          actions={
            <Button look="primary" type="submit" isBusy={save.isBusy}>
              {save.isBusy ? "Saving…" : "Save"}
            </Button>
          }
        >
          {save.fault !== null && Object.keys(save.fault.fields).length === 0 ? (
            <CommandProblem fault={save.fault} />
          ) : null}
          <TextField
            label="Name"
            value={name}
            onChange={setName}
            error={save.fault?.fields["name"] ?? null}
          />
          <TextField
            label="Contact e-mail"
            type="email"
            hint="Operations write to it."
            value={email}
            onChange={setEmail}
            error={save.fault?.fields["contact_email"] ?? null}
          />
        </Fields>
      ) : (
        <Facts
          facts={[
            ["Name", data.organization.name],
            ["Contact e-mail", data.organization.contact_email ?? "none"],
          ]}
        />
      )}
    </section>
  )
}

function Sessions(): JSX.Element {
  const { data, fault, reload } = useResource(() => dataOf(api.GET("/portal/api/sessions")))
  const endOthers = useCommand(async () => {
    await dataOf(api.DELETE("/portal/api/sessions"))
    toast("Every other session is signed out")
    await reload()
  })
  return (
    <section>
      <div class="section-head">
        <h2>Sessions</h2>
        <Button isSmall isBusy={endOthers.isBusy} onPress={endOthers.send}>
          Sign out all others
        </Button>
      </div>
      <CommandProblem fault={endOthers.fault} />
      {fault !== null && data === null ? (
        <ReadProblem what="Sessions" fault={fault} onAgain={reload} />
      ) : (
        <Table
          label="Sessions"
          hasTwoLines
          rows={data?.sessions ?? null}
          keyOf={({ session_id: id }) => id}
          columns={[
            {
              name: "Browser",
              cell: ({ user_agent: agent, is_current: isCurrent }) => (
                <>
                  <span class="main" title={agent}>
                    {browserName(agent)}
                  </span>
                  {isCurrent ? <span class="under">This browser</span> : null}
                </>
              ),
            },
            { name: "Seen", cell: ({ seen_at: at }) => fromRealNow(at) },
            { name: "Begun", isEnd: true, cell: ({ created_at: at }) => dayTime(at) },
            {
              name: "",
              isEnd: true,
              cell: ({ session_id: id, is_current: isCurrent }) =>
                isCurrent ? null : (
                  <RowCommand
                    name="Sign out"
                    run={() => dataOf(api.DELETE("/portal/api/sessions/{id}", { params: { path: { id } } }))}
                    onDone={reload}
                  />
                ),
            },
          ]}
        />
      )}
    </section>
  )
}

function ChangePassword({ about }: { readonly about: readonly string[] }): JSX.Element {
  const [current, setCurrent] = useState("")
  const [password, setPassword] = useState("")
  const { fault, isBusy, send } = useCommand(async () => {
    const body = { current_password: current, password }
    await dataOf(api.PUT("/portal/api/password", { body }))
    setCurrent("")
    setPassword("")
    toast("Your password is changed; every other session is signed out")
  })
  return (
    <section>
      <div class="section-head">
        <h2>Password</h2>
      </div>
      <form
        class="fields"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
      >
        {fault !== null && fault.fields["password"] === undefined ? <CommandProblem fault={fault} /> : null}
        <PasswordField
          label="Current password"
          autocomplete="current-password"
          value={current}
          onChange={setCurrent}
        />
        <PasswordField
          label="New password"
          autocomplete="new-password"
          value={password}
          onChange={setPassword}
          error={fault?.fields["password"] ?? null}
          below={<Strength password={password} about={about} />}
        />
        <div class="row">
          <Button type="submit" isBusy={isBusy} isDisabled={current === "" || password === ""}>
            {isBusy ? "Changing…" : "Change the password"}
          </Button>
        </div>
      </form>
    </section>
  )
}
