/** A command that needs the second factor: a code of the application, a recovery code, or a passkey. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../../design/button.tsx"
import { TextField } from "../../../design/field.tsx"
import { Dialog } from "../../../design/overlay.tsx"
import { api, dataOf } from "../../api.ts"
import { useCommand } from "../../../resource.ts"
import type { Command } from "../../../resource.ts"
import { Fields } from "../form.tsx"
import { refusalOf, signed } from "./passkey-browser.ts"
import type { Proof } from "./passkey-browser.ts"

export interface Proving {
  readonly code: string
  readonly setCode: (code: string) => void
  /** Sends the command with the code that was typed, or without a proof. */
  readonly plain: Command
  readonly byPasskey: Command
  /** Why the browser gave no passkey. */
  readonly refused: string | null
}

/** A command with a code or a passkey; an empty proof while the second factor is off. */
export function useProof(onProof: (proof: Proof) => Promise<void>): Proving {
  const [code, setCode] = useState("")
  const [refused, setRefused] = useState<string | null>(null)
  const sent = async (proof: () => Promise<Proof>): Promise<void> => {
    setRefused(null)
    try {
      await onProof(await proof())
    } catch (cause) {
      const message = refusalOf(cause)
      if (message === null) throw cause
      setRefused(message)
    }
  }
  const plain = useCommand(() => sent(async () => (code === "" ? {} : { code })))
  const byPasskey = useCommand(() =>
    sent(async () => {
      const { options } = await dataOf(api.POST("/portal/api/second-factor/passkey"))
      return { passkey: await signed(options) }
    }),
  )
  return { code, setCode, plain, byPasskey, refused }
}

interface ProofFieldProps {
  readonly proving: Proving
  readonly error: string | null
  readonly isFirst?: boolean
}

export function ProofField({ proving, error, isFirst = false }: ProofFieldProps): JSX.Element {
  return (
    <TextField
      label="A code of your application, or a recovery code"
      autocomplete="one-time-code"
      value={proving.code}
      onChange={proving.setCode}
      isFirst={isFirst}
      error={error}
    />
  )
}

interface UsePasskeyProps {
  readonly proving: Proving
  readonly isDisabled?: boolean
}

export function UsePasskey({ proving: { byPasskey }, isDisabled = false }: UsePasskeyProps): JSX.Element {
  return (
    <Button icon="key" isBusy={byPasskey.isBusy} isDisabled={isDisabled} onPress={() => byPasskey.send()}>
      Use a passkey
    </Button>
  )
}

interface ProveProps {
  readonly title: string
  readonly text: string
  /** The word of the button. */
  readonly action: string
  readonly hasPasskey: boolean
  readonly onClose: () => void
  readonly onProof: (proof: Proof) => Promise<void>
}

export function Prove({ title, text, action, hasPasskey, onClose, onProof }: ProveProps): JSX.Element {
  const proving = useProof(onProof)
  const { code, plain, byPasskey, refused } = proving
  const fault = plain.fault ?? byPasskey.fault
  return (
    <Dialog title={title} onClose={onClose}>
      <p class="small quiet">{text}</p>
      <Fields
        onSend={() => plain.send()}
        actions={
          <>
            <Button onPress={onClose}>Keep it</Button>
            {hasPasskey ? <UsePasskey proving={proving} /> : null}
            <Button look="danger" type="submit" isBusy={plain.isBusy} isDisabled={code.length < 6}>
              {action}
            </Button>
          </>
        }
      >
        <ProofField proving={proving} error={refused ?? fault?.message ?? null} isFirst />
      </Fields>
    </Dialog>
  )
}
