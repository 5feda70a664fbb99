/** The second factor of an account: codes of an authenticator application, recovery codes, and passkeys. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../../design/button.tsx"
import { Skeleton, toast } from "../../../design/feedback.tsx"
import { PasswordField } from "../../../design/field.tsx"
import { Dialog } from "../../../design/overlay.tsx"
import { Pill } from "../../../design/pill.tsx"
import { api, dataOf } from "../../api.ts"
import type { components } from "../../api-types.ts"
import { useResource } from "../../../resource.ts"
import { dayTime } from "../../times.ts"
import { Fields } from "../form.tsx"
import { Confirm, RecoveryCodes } from "./application.tsx"
import type { Enrolled } from "./application.tsx"
import { Passkeys } from "./passkeys.tsx"
import { CommandProblem, ReadProblem } from "../problem.tsx"
import { ProofField, Prove, UsePasskey, useProof } from "./prove.tsx"

type Shown = "none" | "remove" | "switch-on"

export function SecondFactor(): JSX.Element {
  const [shown, setShown] = useState<Shown>("none")
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const { data, fault, reload } = useResource(() => dataOf(api.GET("/portal/api/second-factor")))
  const passkeys = useResource(() => dataOf(api.GET("/portal/api/passkeys")))
  const changed = (now: readonly string[] | null): void => {
    setShown("none")
    setCodes(now)
    void Promise.all([reload(), passkeys.reload()])
  }
  const passkeyCount = passkeys.data?.passkeys.length ?? 0
  const hasPasskey = passkeyCount > 0
  return (
    <>
      <section>
        <div class="section-head">
          <h2>Second factor</h2>
        </div>
        {fault !== null && data === null ? (
          <ReadProblem what="The second factor" fault={fault} onAgain={reload} />
        ) : data === null ? (
          <Skeleton lines={2} />
        ) : (
          <State state={data} onShow={setShown} />
        )}
        {shown === "switch-on" ? (
          <SwitchOn
            isOn={data?.is_on === true}
            hasPasskey={hasPasskey}
            onClose={() => setShown("none")}
            onDone={changed}
          />
        ) : null}
        {shown === "remove" ? (
          <Prove
            title="Switch the second factor off?"
            text={`${removedText(data?.has_application === true, passkeyCount)} Signing in then needs the password alone.`}
            action="Switch it off"
            hasPasskey={hasPasskey}
            onClose={() => setShown("none")}
            onProof={async (proof) => {
              await dataOf(api.POST("/portal/api/second-factor/remove", { body: proof }))
              toast("The second factor is off")
              changed(null)
            }}
          />
        ) : null}
        {codes === null ? null : <RecoveryCodes codes={codes} onClose={() => setCodes(null)} />}
      </section>
      <Passkeys
        list={passkeys}
        hasApplication={data?.has_application === true}
        isOn={data?.is_on === true}
        onChange={changed}
      />
    </>
  )
}

/** What switching off removes. */
function removedText(hasApplication: boolean, passkeyCount: number): string {
  const passkeys =
    passkeyCount === 0 ? [] : [passkeyCount === 1 ? "your passkey" : `all ${passkeyCount} passkeys`]
  const removed = [...(hasApplication ? ["the application"] : []), ...passkeys]
  return `This removes ${removed.length === 2 ? `${removed.join(", ")} and` : `${removed.join("")} and`} the recovery codes.`
}

interface StateProps {
  readonly state: components["schemas"]["SecondFactorState"]
  readonly onShow: (shown: Shown) => void
}

function State({ state, onShow }: StateProps): JSX.Element {
  return (
    <div class="column">
      {state.is_on ? (
        <div class="row">
          <Pill tone="ok" icon="shield-check">
            On
          </Pill>
          <span class="small quiet">
            {state.since === null ? "" : `since ${dayTime(state.since)}, `}
            {state.recovery_codes_left} recovery codes left
          </span>
        </div>
      ) : null}
      {state.has_application ? null : (
        <p class="small quiet">
          {state.is_on
            ? "Your passkey is asked for after the password. An application on your phone can show codes as well."
            : "A code of an application on your phone, asked for after the password."}
        </p>
      )}
      <div class="row">
        {state.has_application ? null : (
          <Button onPress={() => onShow("switch-on")}>
            {state.is_on ? "Add an application" : "Switch it on"}
          </Button>
        )}
        {state.is_on ? (
          <Button look="danger" onPress={() => onShow("remove")}>
            Switch it off
          </Button>
        ) : null}
      </div>
    </div>
  )
}

interface SwitchOnProps {
  /** By a passkey: then the application is a further factor. */
  readonly isOn: boolean
  readonly hasPasskey: boolean
  readonly onClose: () => void
  /** With recovery codes when the second factor is new. */
  readonly onDone: (codes: readonly string[] | null) => void
}

/** The password first, with a proof if the second factor is on; then a code, to see that the application holds the secret. */
function SwitchOn({ isOn, hasPasskey, onClose, onDone }: SwitchOnProps): JSX.Element {
  const [password, setPassword] = useState("")
  const [enrolled, setEnrolled] = useState<Enrolled | null>(null)
  const proving = useProof(async (proof) => {
    const body = { current_password: password, ...proof }
    setEnrolled(await dataOf(api.POST("/portal/api/second-factor/totp", { body })))
  })
  if (enrolled === null) {
    const { plain, byPasskey, refused } = proving
    const fault = plain.fault ?? byPasskey.fault
    return (
      <Dialog title={isOn ? "Add an application" : "Switch the second factor on"} onClose={onClose}>
        <Fields
          onSend={() => plain.send()}
          actions={
            <>
              <Button onPress={onClose}>Not now</Button>
              {hasPasskey ? <UsePasskey proving={proving} isDisabled={password === ""} /> : null}
              <Button
                look="primary"
                type="submit"
                isBusy={plain.isBusy}
                isDisabled={password === "" || (isOn && proving.code.length < 6)}
              >
                Go on
              </Button>
            </>
          }
        >
          <CommandProblem fault={fault} />
          <PasswordField
            label="Your password"
            autocomplete="current-password"
            value={password}
            onChange={setPassword}
            isFirst
          />
          {isOn ? <ProofField proving={proving} error={refused} /> : null}
        </Fields>
      </Dialog>
    )
  }
  return (
    <Confirm
      enrolled={enrolled}
      action={isOn ? "Add it" : "Switch it on"}
      onClose={onClose}
      onCode={async (code) => {
        const found = await dataOf(api.POST("/portal/api/second-factor/totp/confirm", { body: { code } }))
        onDone(found.recovery_codes.length === 0 ? null : found.recovery_codes)
      }}
    />
  )
}
