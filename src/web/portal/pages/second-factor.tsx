/** The second factor of an account: codes of an authenticator application, and recovery codes. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { Code } from "../../design/code.tsx"
import { Skeleton, toast } from "../../design/feedback.tsx"
import { CodeField, PasswordField } from "../../design/field.tsx"
import { Dialog } from "../../design/overlay.tsx"
import { Pill } from "../../design/pill.tsx"
import { api, dataOf } from "../api.ts"
import { useCommand, useResource } from "../resource.ts"
import { dayTime } from "../times.ts"
import { Fields } from "./form.tsx"
import { CommandProblem, ReadProblem } from "./problem.tsx"

type Shown = "none" | "remove" | "switch-on"

export function SecondFactor(): JSX.Element {
  const [shown, setShown] = useState<Shown>("none")
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const { data, fault, reload } = useResource(() => dataOf(api.GET("/portal/api/second-factor")))
  const changed = (now: readonly string[] | null): void => {
    setShown("none")
    setCodes(now)
    void reload()
  }
  return (
    <section>
      <div class="section-head">
        <h2>Second factor</h2>
      </div>
      {fault !== null && data === null ? (
        <ReadProblem what="The second factor" fault={fault} onAgain={reload} />
      ) : data === null ? (
        <Skeleton lines={2} />
      ) : data.is_on ? (
        <div class="column">
          <div class="row">
            <Pill tone="ok" icon="shield-check">
              On
            </Pill>
            <span class="small quiet">
              {data.since === null ? "" : `since ${dayTime(data.since)}, `}
              {data.recovery_codes_left} recovery codes left
            </span>
          </div>
          <div class="row">
            <Button look="danger" onPress={() => setShown("remove")}>
              Switch it off
            </Button>
          </div>
        </div>
      ) : (
        <div class="column">
          <p class="small quiet">A code of an application on your phone, asked for after the password.</p>
          <div class="row">
            <Button onPress={() => setShown("switch-on")}>Switch it on</Button>
          </div>
        </div>
      )}
      {shown === "switch-on" ? <SwitchOn onClose={() => setShown("none")} onDone={changed} /> : null}
      {shown === "remove" ? (
        <SwitchOff
          onClose={() => setShown("none")}
          onDone={() => {
            toast("The second factor is off")
            changed(null)
          }}
        />
      ) : null}
      {codes === null ? null : <RecoveryCodes codes={codes} onClose={() => setCodes(null)} />}
    </section>
  )
}

interface SwitchOnProps {
  readonly onClose: () => void
  readonly onDone: (codes: readonly string[]) => void
}

/** The password first, then a code that proves that the application holds the secret. */
function SwitchOn({ onClose, onDone }: SwitchOnProps): JSX.Element {
  const [password, setPassword] = useState("")
  const [code, setCode] = useState("")
  const [enrolled, setEnrolled] = useState<{ readonly secret: string; readonly uri: string } | null>(null)
  const begin = useCommand(async () => {
    const body = { current_password: password }
    setEnrolled(await dataOf(api.POST("/portal/api/second-factor/totp", { body })))
  })
  const confirm = useCommand(async (sent: string) => {
    const found = await dataOf(api.POST("/portal/api/second-factor/totp/confirm", { body: { code: sent } }))
    onDone(found.recovery_codes)
  })
  if (enrolled === null) {
    return (
      <Dialog title="Switch the second factor on" onClose={onClose}>
        <Fields
          onSend={() => begin.send()}
          actions={
            <>
              <Button onPress={onClose}>Not now</Button>
              <Button look="primary" type="submit" isBusy={begin.isBusy} isDisabled={password === ""}>
                Go on
              </Button>
            </>
          }
        >
          <CommandProblem fault={begin.fault} />
          <PasswordField
            label="Your password"
            autocomplete="current-password"
            value={password}
            onChange={setPassword}
            isFirst
          />
        </Fields>
      </Dialog>
    )
  }
  return (
    <Dialog title="Add it to your application" onClose={onClose}>
      <p class="quiet small">
        <a href={enrolled.uri}>Open it in an application on this device</a>, or type this key into one:
      </p>
      <Fields
        onSend={() => confirm.send(code)}
        actions={
          <>
            <Button onPress={onClose}>Not now</Button>
            <Button look="primary" type="submit" isBusy={confirm.isBusy} isDisabled={code.length < 6}>
              Switch it on
            </Button>
          </>
        }
      >
        <Code label="the key" text={enrolled.secret} />
        <CodeField
          label="The code that it shows"
          value={code}
          onChange={setCode}
          onComplete={confirm.send}
          isFirst
          error={confirm.fault?.message ?? null}
        />
      </Fields>
    </Dialog>
  )
}

interface SwitchOffProps {
  readonly onClose: () => void
  readonly onDone: () => void
}

function SwitchOff({ onClose, onDone }: SwitchOffProps): JSX.Element {
  const [code, setCode] = useState("")
  const { fault, isBusy, send } = useCommand(async (sent: string) => {
    await dataOf(api.POST("/portal/api/second-factor/remove", { body: { code: sent } }))
    onDone()
  })
  return (
    <Dialog title="Switch the second factor off?" onClose={onClose}>
      <Fields
        onSend={() => send(code)}
        actions={
          <>
            <Button onPress={onClose}>Keep it</Button>
            <Button look="danger" type="submit" isBusy={isBusy} isDisabled={code.length < 6}>
              Switch it off
            </Button>
          </>
        }
      >
        <CodeField
          label="A code of your application"
          value={code}
          onChange={setCode}
          onComplete={() => undefined}
          isFirst
          error={fault?.message ?? null}
        />
      </Fields>
    </Dialog>
  )
}

function RecoveryCodes({
  codes,
  onClose,
}: {
  readonly codes: readonly string[]
  readonly onClose: () => void
}): JSX.Element {
  return (
    <Dialog title="Keep your recovery codes" onClose={onClose} isKept>
      <p class="quiet">Each signs you in once, without the application. They are shown this once.</p>
      <Code label="the recovery codes" text={codes.join("\n")} />
      <div class="actions">
        <Button look="primary" onPress={onClose}>
          I have saved them
        </Button>
      </div>
    </Dialog>
  )
}
