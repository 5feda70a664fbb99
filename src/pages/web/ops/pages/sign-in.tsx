/** Signing in to operations: with an account, and its code where the second factor is on; or with an operator token. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { PasswordField, TextField } from "../../design/field.tsx"
import { Form } from "../../design/form.tsx"
import { AccountEmailField, Card, FormFault } from "../../portal/pages/card.tsx"
import { useCommand } from "../../resource.ts"
import { send } from "../api.ts"
import { EnvironmentBar } from "../environment-bar.tsx"
import { opsData } from "../session.ts"
import type { Environment } from "../session.ts"

const SESSION = "/ops/api/session"

export function SignIn({ environment }: { readonly environment: Environment }): JSX.Element {
  const [challenge, setChallenge] = useState<string | null>(null)
  const [hasToken, setHasToken] = useState(false)
  return (
    <>
      <EnvironmentBar environment={environment} />
      {challenge !== null ? (
        <CodeStep challenge={challenge} onBack={() => setChallenge(null)} />
      ) : hasToken ? (
        <TokenStep onBack={() => setHasToken(false)} />
      ) : (
        <AccountStep environment={environment} onChallenge={setChallenge} onToken={() => setHasToken(true)} />
      )}
    </>
  )
}

interface AccountStepProps {
  readonly environment: Environment
  readonly onChallenge: (challenge: string) => void
  readonly onToken: () => void
}

function AccountStep({ environment, onChallenge, onToken }: AccountStepProps): JSX.Element {
  const [email, setEmail] = useState("")
  const [password, setPassword] = useState("")
  const {
    fault,
    isBusy,
    send: sign,
  } = useCommand(async () => {
    const { challenge } = await send<{ challenge?: string }>("POST", SESSION, { email, password })
    if (challenge === undefined) goOn()
    else onChallenge(challenge)
  })
  return (
    <Card
      title="Sign in"
      lead={`Sites, tasks and vehicles of the ${environment} environment.`}
      ended={opsData().ended}
      beside={<Switch name="Use an operator token" onPress={onToken} />}
    >
      <Form onSend={sign}>
        <FormFault fault={fault} fields={["email"]} />
        <AccountEmailField value={email} onChange={setEmail} fault={fault} />
        <PasswordField
          label="Password"
          autocomplete="current-password"
          value={password}
          onChange={setPassword}
          isRequired
        />
        <Button look="primary" type="submit" isBusy={isBusy}>
          {isBusy ? "Signing in…" : "Sign in"}
        </Button>
        <p class="small quiet">Forgotten? An administrator makes a link for a new password.</p>
      </Form>
    </Card>
  )
}

function CodeStep({
  challenge,
  onBack,
}: {
  readonly challenge: string
  readonly onBack: () => void
}): JSX.Element {
  const [code, setCode] = useState("")
  const {
    fault,
    isBusy,
    send: verify,
  } = useCommand(async () => {
    await send("POST", `${SESSION}/second-factor`, { challenge, code })
    goOn()
  })
  return (
    <Card
      title="Enter your code"
      lead="Your authenticator application shows it. A recovery code works too, once."
      beside={<Switch name="Back" onPress={onBack} />}
    >
      <Form onSend={verify}>
        <TextField
          label="Code"
          autocomplete="one-time-code"
          value={code}
          onChange={setCode}
          isRequired
          isFirst
          error={fault?.message ?? null}
        />
        <Button look="primary" type="submit" isBusy={isBusy} isDisabled={code === ""}>
          {isBusy ? "Verifying…" : "Verify"}
        </Button>
      </Form>
    </Card>
  )
}

function TokenStep({ onBack }: { readonly onBack: () => void }): JSX.Element {
  const [token, setToken] = useState("")
  const {
    fault,
    isBusy,
    send: sign,
  } = useCommand(async () => {
    await send("POST", SESSION, { token })
    goOn()
  })
  return (
    <Card
      title="Sign in with a token"
      lead="Tokens are for programs, and for the time before the first account."
      beside={<Switch name="Use an account" onPress={onBack} />}
    >
      <Form onSend={sign}>
        <FormFault fault={fault} fields={[]} />
        <PasswordField
          label="Operator token"
          autocomplete="current-password"
          value={token}
          onChange={setToken}
          isRequired
        />
        <Button look="primary" type="submit" isBusy={isBusy} isDisabled={token === ""}>
          {isBusy ? "Signing in…" : "Sign in"}
        </Button>
      </Form>
    </Card>
  )
}

function Switch({ name, onPress }: { readonly name: string; readonly onPress: () => void }): JSX.Element {
  return (
    <button type="button" class="link-button" onClick={onPress}>
      {name}
    </button>
  )
}

/** To a path of these pages; anything else leads to the list of sites. */
function goOn(): void {
  const to = new URLSearchParams(window.location.search).get("to") ?? "/ops"
  window.location.assign(/^\/ops(?:[/?]|$)/.test(to) ? to : "/ops")
}
