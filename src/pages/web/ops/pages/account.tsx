/** The operator's own account: the role, and the second factor. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button, ButtonLink, Copy } from "../../design/button.tsx"
import { Banner, Skeleton } from "../../design/feedback.tsx"
import { PasswordField, TextField } from "../../design/field.tsx"
import { QrCode } from "../../design/qr-code.tsx"
import { Facts } from "../../design/table.tsx"
import { Form } from "../../design/form.tsx"
import { FormFault } from "../../portal/pages/card.tsx"
import { ReadProblem } from "../../portal/pages/problem.tsx"
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

interface Secret {
  readonly secret: string
  readonly uri: string
}

export function Account({ me }: { readonly me: Me }): JSX.Element {
  const { data, fault, reload } = useResource(() => read<Factor>(FACTOR))
  const [secret, setSecret] = useState<Secret | null>(null)
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
        {codes !== null ? (
          <RecoveryCodes codes={codes} />
        ) : secret !== null ? (
          <Confirm secret={secret} onDone={setCodes} />
        ) : data === null ? (
          fault === null ? (
            <Skeleton lines={3} />
          ) : (
            <ReadProblem what="Your second factor" fault={fault} onAgain={reload} />
          )
        ) : data.since === null ? (
          <Enrol onSecret={setSecret} />
        ) : (
          <p class="quiet">A lost application or phone: an administrator switches the second factor off.</p>
        )}
      </div>
    </>
  )
}

function Enrol({ onSecret }: { readonly onSecret: (secret: Secret) => void }): JSX.Element {
  const [password, setPassword] = useState("")
  const {
    fault,
    isBusy,
    send: begin,
  } = useCommand(async () => {
    onSecret(await send<Secret>("POST", FACTOR, { current_password: password }))
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

function Confirm({
  secret: { secret, uri },
  onDone,
}: {
  readonly secret: Secret
  readonly onDone: (codes: readonly string[]) => void
}): JSX.Element {
  const [code, setCode] = useState("")
  const {
    fault,
    isBusy,
    send: confirm,
  } = useCommand(async () => {
    const made = await send<{ recovery_codes: readonly string[] }>("POST", `${FACTOR}/confirm`, { code })
    onDone(made.recovery_codes)
  })
  return (
    <section aria-label="Second factor">
      <h2>Scan this with your application</h2>
      <QrCode text={uri} label="Secret of your second factor" />
      <p class="small">
        Or type the secret: <code>{secret}</code> <Copy text={secret} label="Copy the secret" />
      </p>
      <Form onSend={confirm}>
        <TextField
          label="Code of the application"
          autocomplete="one-time-code"
          value={code}
          onChange={setCode}
          isRequired
          isFirst
          error={fault?.message ?? null}
        />
        <Button look="primary" type="submit" isBusy={isBusy} isDisabled={code === ""}>
          {isBusy ? "Verifying…" : "Switch it on"}
        </Button>
      </Form>
    </section>
  )
}

function RecoveryCodes({ codes }: { readonly codes: readonly string[] }): JSX.Element {
  return (
    <section aria-label="Recovery codes">
      <h2>Keep these recovery codes</h2>
      <Banner tone="wait">They are shown once. Each signs you in once without the application.</Banner>
      <ul class="codes mono">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <p class="row">
        <Copy text={codes.join("\n")} label="Copy the codes" />
        <ButtonLink href="/ops" look="primary">
          I have kept them
        </ButtonLink>
      </p>
    </section>
  )
}
