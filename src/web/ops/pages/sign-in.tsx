/** Signing in to operations. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { PasswordField } from "../../design/field.tsx"
import { Card, Form, FormFault } from "../../portal/pages/card.tsx"
import { useCommand } from "../../resource.ts"
import { send } from "../api.ts"
import { EnvironmentBar } from "../frame.tsx"
import type { Environment } from "../session.ts"

export function SignIn({ environment }: { readonly environment: Environment }): JSX.Element {
  const [token, setToken] = useState("")
  const command = useCommand(async () => {
    await send("POST", "/ops/api/session", { token })
    window.location.assign(destination())
  })
  return (
    <>
      <EnvironmentBar environment={environment} />
      <Card
        title="Sign in"
        lead={`Sites, tasks and vehicles of the ${environment} environment.`}
        beside="Operator tokens are made with: npx curbline operators create"
      >
        <Form onSend={command.send}>
          <FormFault fault={command.fault} fields={[]} />
          <PasswordField
            label="Operator token"
            autocomplete="current-password"
            value={token}
            onChange={setToken}
            isRequired
          />
          <Button look="primary" type="submit" isBusy={command.isBusy} isDisabled={token === ""}>
            {command.isBusy ? "Signing in…" : "Sign in"}
          </Button>
        </Form>
      </Card>
    </>
  )
}

/** A path of these pages to go on to; anything else leads to the list of sites. */
function destination(): string {
  const to = new URLSearchParams(window.location.search).get("to") ?? "/ops"
  return /^\/ops(?:[/?]|$)/.test(to) ? to : "/ops"
}
