/** A new authenticator application, in the portal and at `/ops`: its secret with the first code, then the recovery codes. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../../design/button.tsx"
import { Code } from "../../../design/code.tsx"
import { CodeField } from "../../../design/field.tsx"
import { Dialog } from "../../../design/overlay.tsx"
import { QrCode } from "../../../design/qr-code.tsx"
import { useCommand } from "../../../resource.ts"
import { Fields } from "../form.tsx"

export interface Enrolled {
  readonly secret: string
  readonly uri: string
}

interface ConfirmProps {
  readonly enrolled: Enrolled
  /** The word of the button. */
  readonly action: string
  readonly onClose: () => void
  readonly onCode: (code: string) => Promise<void>
}

/** Asks for a code, to see that the application holds the secret. */
export function Confirm({ enrolled, action, onClose, onCode }: ConfirmProps): JSX.Element {
  const [code, setCode] = useState("")
  const confirm = useCommand(onCode)
  return (
    <Dialog title="Add it to your application" onClose={onClose}>
      <Fields
        onSend={() => confirm.send(code)}
        actions={
          <>
            <Button onPress={onClose}>Not now</Button>
            <Button look="primary" type="submit" isBusy={confirm.isBusy} isDisabled={code.length < 6}>
              {action}
            </Button>
          </>
        }
      >
        <p class="quiet small">
          Scan it with an authenticator application, <a href={enrolled.uri}>open one on this device</a>, or
          type the key.
        </p>
        <QrCode text={enrolled.uri} label="The key as a QR code; it stands below as text" />
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

interface RecoveryCodesProps {
  readonly codes: readonly string[]
  readonly onClose: () => void
}

export function RecoveryCodes({ codes, onClose }: RecoveryCodesProps): JSX.Element {
  return (
    <Dialog title="Keep your recovery codes" onClose={onClose} isKept>
      <div class="fields">
        <p class="quiet">Each signs you in once, without the application. They are shown this once.</p>
        <Code label="the recovery codes" text={codes.join("\n")} />
      </div>
      <div class="actions">
        <Button look="primary" onPress={onClose}>
          I have saved them
        </Button>
      </div>
    </Dialog>
  )
}
