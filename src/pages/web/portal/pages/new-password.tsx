/** A forgotten password: a link by mail, and the new one. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button, ButtonLink } from "../../design/button.tsx"
import { PasswordField, TextField } from "../../design/field.tsx"
import { api, dataOf } from "../api.ts"
import { useCommand } from "../../resource.ts"
import { Form } from "../../design/form.tsx"
import { AccountEmailField, Card, FormFault, tokenInAddress } from "./card.tsx"
import { Strength } from "./strength.tsx"
import { WaitingMail } from "./waiting-mail.tsx"

export function Forgotten(): JSX.Element {
  const [email, setEmail] = useState("")
  const [isSent, setSent] = useState(false)
  const { fault, isBusy, send } = useCommand(async () => {
    await dataOf(api.POST("/portal/api/password/forgotten", { body: { email } }))
    setSent(true)
  })
  return (
    <Card
      title={isSent ? "Look into your mail" : "A new password"}
      lead={
        isSent
          ? `If ${email} has an account, a link is on its way. It is good for 30 minutes.`
          : "We send a link to your e-mail address. Your old password stays until you choose a new one."
      }
      beside={<a href="/portal/sign-in">Back to sign-in</a>}
    >
      {isSent ? (
        <WaitingMail to={email} />
      ) : (
        <Form onSend={send}>
          <FormFault fault={fault} fields={["email"]} />
          <AccountEmailField value={email} onChange={setEmail} fault={fault} />
          <Button look="primary" type="submit" isBusy={isBusy}>
            {isBusy ? "Sending…" : "Send me a link"}
          </Button>
        </Form>
      )}
    </Card>
  )
}

export function NewPassword(): JSX.Element {
  const [token, setToken] = useState(tokenInAddress())
  const [password, setPassword] = useState("")
  const [isDone, setDone] = useState(false)
  const { fault, isBusy, send } = useCommand(async () => {
    await dataOf(api.POST("/portal/api/password/new", { body: { token, password } }))
    setDone(true)
  })
  if (isDone) {
    return (
      <Card title="Your password is changed" lead="Every session of your account was signed out.">
        <ButtonLink href="/portal/sign-in" look="primary">
          Sign in
        </ButtonLink>
      </Card>
    )
  }
  return (
    <Card title="Choose a new password" lead="It replaces the old one, and signs every session out.">
      <Form onSend={send}>
        <FormFault fault={fault} fields={["password"]} />
        {tokenInAddress() === "" ? (
          <TextField label="Code from the mail" value={token} onChange={setToken} isRequired isFirst />
        ) : null}
        <PasswordField
          label="New password"
          autocomplete="new-password"
          value={password}
          onChange={setPassword}
          isRequired
          error={fault?.fields["password"] ?? null}
          below={<Strength password={password} about={[]} />}
        />
        <Button look="primary" type="submit" isBusy={isBusy}>
          {isBusy ? "Changing…" : "Change the password"}
        </Button>
      </Form>
    </Card>
  )
}
