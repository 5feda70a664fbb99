/** Choosing a password by a link, whose token is in the fragment, so that no server's log has it. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button, ButtonLink } from "../../design/button.tsx"
import { PasswordField } from "../../design/field.tsx"
import { Form } from "../../design/form.tsx"
import { Card, FormFault, tokenInAddress } from "../../portal/pages/card.tsx"
import { useCommand } from "../../resource.ts"
import { send } from "../api.ts"
import { EnvironmentBar } from "../environment-bar.tsx"
import type { Environment } from "../session.ts"

export function SetPassword({ environment }: { readonly environment: Environment }): JSX.Element {
  const [password, setPassword] = useState("")
  const [isDone, setDone] = useState(false)
  const {
    fault,
    isBusy,
    send: choose,
  } = useCommand(async () => {
    await send("POST", "/ops/api/password", { token: tokenInAddress(), password })
    setDone(true)
  })
  return (
    <>
      <EnvironmentBar environment={environment} />
      {isDone ? (
        <Card title="Your password is set" lead="Every session of your account was signed out.">
          <ButtonLink href="/ops/sign-in" look="primary">
            Sign in
          </ButtonLink>
        </Card>
      ) : (
        <Card title="Choose a password" lead="At least 12 characters. The link works once.">
          <Form onSend={choose}>
            <FormFault fault={fault} fields={["password"]} />
            <PasswordField
              label="New password"
              autocomplete="new-password"
              value={password}
              onChange={setPassword}
              isRequired
              error={fault?.fields["password"] ?? null}
            />
            <Button look="primary" type="submit" isBusy={isBusy}>
              {isBusy ? "Setting…" : "Set the password"}
            </Button>
          </Form>
        </Card>
      )}
    </>
  )
}
