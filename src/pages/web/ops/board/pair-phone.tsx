/** Pairs a runner's phone with the site by a QR code, and lists the paired phones. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { countdownOf } from "../../components/countdown.ts"
import { Button, Copy } from "../../design/button.tsx"
import { Banner, Skeleton } from "../../design/feedback.tsx"
import { TextField } from "../../design/field.tsx"
import { Dialog } from "../../design/overlay.tsx"
import { QrCode } from "../../design/qr-code.tsx"
import { useCommand, useRefresh, useResource } from "../../resource.ts"
import { RUNNER_NAME_LENGTH_MAX } from "../../../../model/values/limits.ts"
import { endPhone, makePairing, readPhones } from "./calls.ts"
import type { BoardRecord, PairingRecord, PhoneRecord } from "./records.ts"
import { dayClock } from "./times.ts"

/** ms between reads of the list: the phone that is being paired appears by itself */
const PHONES_MS = 2_000

interface PairPhoneProps {
  readonly board: BoardRecord
  /** Uses the service's clock: the browser's may be minutes wrong, and a code is valid for two minutes. */
  readonly nowMs: number
  readonly onClose: () => void
}

export function PairPhone({ board, nowMs, onClose }: PairPhoneProps): JSX.Element {
  const { site_id: siteId, name: site, timezone } = board
  const [name, setName] = useState("")
  const [pairing, setPairing] = useState<PairingRecord | null>(null)
  const phones = useResource(() => readPhones(siteId), [siteId])
  useRefresh(phones.reload, PHONES_MS)
  const make = useCommand(async () => setPairing(await makePairing(siteId, name.trim())))
  return (
    <Dialog title="Pair a phone" onClose={onClose}>
      {pairing === null ? (
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault()
            make.send()
          }}
        >
          <p class="lead">
            The phone gets the tasks of {site} for 12 hours, or until you end it. It needs no account.
          </p>
          <TextField
            label="Runner's name"
            hint="As colleagues read it on the board. A name of this shift stays the same runner."
            value={name}
            onChange={setName}
            lengthMax={RUNNER_NAME_LENGTH_MAX}
            error={make.fault === null ? null : (make.fault.fields["runner_name"] ?? make.fault.message)}
            isRequired
            isFirst
          />
          <div class="actions">
            <Button onPress={onClose}>Close</Button>
            <Button look="primary" type="submit" isBusy={make.isBusy} isDisabled={name.trim() === ""}>
              Show the code
            </Button>
          </div>
        </form>
      ) : (
        <Code
          pairing={pairing}
          leftMs={Date.parse(pairing.expires_at) - nowMs}
          phones={phones.data ?? []}
          onAgain={() => make.send()}
          onOther={() => {
            setPairing(null)
            setName("")
          }}
          onClose={onClose}
        />
      )}
      <PhoneList
        phones={phones.data}
        timezone={timezone}
        nowMs={nowMs}
        onEnded={() => void phones.reload()}
      />
    </Dialog>
  )
}

interface CodeProps {
  readonly pairing: PairingRecord
  /** ms until the code expires */
  readonly leftMs: number
  readonly phones: readonly PhoneRecord[]
  readonly onAgain: () => void
  readonly onOther: () => void
  readonly onClose: () => void
}

function Code({ pairing, leftMs, phones, onAgain, onOther, onClose }: CodeProps): JSX.Element {
  const link = new URL(pairing.path, window.location.href).href
  const [known] = useState(() => phones.map(({ phone_id }) => phone_id))
  const done = phones.find(
    ({ phone_id, runner_name }) => runner_name === pairing.runner_name && !known.includes(phone_id),
  )
  if (done !== undefined) {
    return (
      <div class="stack">
        <Banner tone="ok">The phone of {done.runner_name} is paired.</Banner>
        <div class="actions">
          <Button onPress={onOther}>Pair another phone</Button>
          <Button look="primary" onPress={onClose}>
            Done
          </Button>
        </div>
      </div>
    )
  }
  const isOver = leftMs <= 0
  return (
    <div class="stack pairing">
      {isOver ? (
        <Banner tone="wait">The code for {pairing.runner_name} is over. Make a new one.</Banner>
      ) : (
        <>
          <p>
            {pairing.runner_name} opens the camera of the phone and follows this code. It works once, for{" "}
            <strong class="number">{countdownOf(leftMs).text}</strong>.
          </p>
          <QrCode text={link} label={`Code that pairs the phone of ${pairing.runner_name}`} />
          <p class="small">
            Or open this link on the phone: <code class="link-text">{link}</code>{" "}
            <Copy text={link} label="Copy the link" />
          </p>
        </>
      )}
      <div class="actions">
        <Button onPress={onClose}>Close</Button>
        <Button look={isOver ? "primary" : "secondary"} onPress={onAgain}>
          New code
        </Button>
      </div>
    </div>
  )
}

interface PhoneListProps {
  readonly phones: readonly PhoneRecord[] | null
  readonly timezone: string | null
  readonly nowMs: number
  readonly onEnded: () => void
}

function PhoneList({ phones, timezone, nowMs, onEnded }: PhoneListProps): JSX.Element {
  const end = useCommand(async (phoneId: string) => {
    await endPhone(phoneId)
    onEnded()
  })
  if (phones === null) return <Skeleton lines={2} />
  return (
    <section class="phones" aria-labelledby="phones-title">
      <h3 id="phones-title">Paired phones</h3>
      {end.fault === null ? null : <Banner tone="bad">{end.fault.message}</Banner>}
      {phones.length === 0 ? <p class="faint">No phone is paired.</p> : null}
      <ul>
        {phones.map(({ phone_id: id, runner_name: name, paired_at, ends_at }) => (
          <li key={id}>
            <span class="grow">
              <strong>{name}</strong>
              <span class="faint">
                {" "}
                since {dayClock(paired_at, timezone, nowMs)}, until {dayClock(ends_at, timezone, nowMs)}
              </span>
            </span>
            <Button
              isSmall
              look="danger quiet"
              isBusy={end.isBusy}
              label={`End the phone of ${name}`}
              onPress={() => end.send(id)}
            >
              End
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
