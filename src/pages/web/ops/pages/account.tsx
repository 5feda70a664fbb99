/** The operator's own account: the role, and the second factor. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { Skeleton } from "../../design/feedback.tsx"
import { PasswordField } from "../../design/field.tsx"
import { Facts } from "../../design/table.tsx"
import { Form } from "../../design/form.tsx"
import { FormFault } from "../../portal/pages/card.tsx"
import { ReadProblem } from "../../portal/pages/problem.tsx"
import { Confirm, RecoveryCodes } from "../../portal/pages/second-factor/application.tsx"
import type { Enrolled } from "../../portal/pages/second-factor/application.tsx"
import { useCommand, useResource } from "../../resource.ts"
import { read, send } from "../api.ts"
import { Head } from "../frame.tsx"
import type { Me } from "../session.ts"

const FACTOR = "/ops/api/account/second-factor"

interface Factor {
  /** Null: it is off. */
  readonly since: string | null
  readonly recovery_codes_left: number
}

export function Account({ me }: { readonly me: Me }): JSX.Element {
  const { data, fault, reload } = useResource(() => read<Factor>(FACTOR))
  const [enrolled, setEnrolled] = useState<Enrolled | null>(null)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  return (
    <>
      <Head
        title={me.needs_factor && codes === null ? "Set up your second factor first." : "Your account"}
        lead={
          me.needs_factor && codes === null
            ? "Every account of operations requires it: nothing else works until then."
            : "Administrators change names, roles and sites."
        }
      />
      <Facts
        facts={[
          ["Name", me.label],
          ["Role", me.role],
          ["Sites", me.site_ids === null ? "all" : String(me.site_ids.length)],
          ["Second factor", data === null ? null : data.since === null ? "off" : "on"],
          ["Recovery codes left", (data?.since ?? null) === null ? null : String(data?.recovery_codes_left)],
        ]}
      />
      <div class="narrow">
        {data === null ? (
          fault === null ? (
            <Skeleton lines={3} />
          ) : (
            <ReadProblem what="Your second factor" fault={fault} onAgain={reload} />
          )
        ) : data.since === null ? (
          <Enrol onEnrolled={setEnrolled} />
        ) : (
          <p class="quiet">A lost application or phone: an administrator switches the second factor off.</p>
        )}
      </div>
      {codes !== null ? (
        <RecoveryCodes codes={codes} onClose={() => window.location.assign("/ops")} />
      ) : enrolled !== null ? (
        <Confirm
          enrolled={enrolled}
          action="Switch it on"
          onClose={() => setEnrolled(null)}
          onCode={async (code) => {
            const made = await send<{ recovery_codes: readonly string[] }>("POST", `${FACTOR}/confirm`, {
              code,
            })
            setCodes(made.recovery_codes)
          }}
        />
      ) : null}
    </>
  )
}

function Enrol({ onEnrolled }: { readonly onEnrolled: (enrolled: Enrolled) => void }): JSX.Element {
  const [password, setPassword] = useState("")
  const {
    fault,
    isBusy,
    send: begin,
  } = useCommand(async () => {
    onEnrolled(await send<Enrolled>("POST", FACTOR, { current_password: password }))
  })
  return (
    <section aria-label="Second factor">
      <h2>Set up an authenticator application</h2>
      <Form onSend={begin}>
        <FormFault fault={fault} fields={[]} />
        <PasswordField
          label="Your password"
          autocomplete="current-password"
          value={password}
          onChange={setPassword}
          isRequired
        />
        <Button look="primary" type="submit" isBusy={isBusy} isDisabled={password === ""}>
          {isBusy ? "Asking…" : "Show the code to scan"}
        </Button>
      </Form>
    </section>
  )
}
