/** Mobile numbers that may link the courier connector, and the users who did. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { Banner, Empty, Skeleton, toast } from "../../design/feedback.tsx"
import { TextField } from "../../design/field.tsx"
import { Dialog, Menu } from "../../design/overlay.tsx"
import { Pill } from "../../design/pill.tsx"
import { CommandProblem, ReadProblem } from "../../portal/pages/problem.tsx"
import { dayTime } from "../../portal/times.ts"
import { asFault } from "../../faults.ts"
import { useCommand, useResource } from "../../resource.ts"
import { api, dataOf, everyRow } from "../api.ts"
import type { Schemas } from "../api.ts"
import { Head } from "../frame.tsx"
import { mayCall } from "../session.ts"
import { Confirm } from "./confirm.tsx"
import { FormDialog } from "./form-dialog.tsx"
import { SearchedTable } from "./searched-table.tsx"

type LinkedPhone = Schemas["LinkedPhone"]

/** With a number: a disabled user's is blanked after a while. */
type KnownPhone = LinkedPhone & { readonly phone: string }

type Opened =
  | { readonly type: "code"; readonly phone: string }
  | { readonly type: "disable"; readonly phone: string }
  | { readonly type: "invite" }

export function Phones(): JSX.Element {
  const { data, fault, reload } = useResource(() =>
    everyRow(
      (query) => api.GET("/internal/v1/connector/phones", { params: { query } }),
      (page) => page.phones,
    ),
  )
  const [opened, setOpened] = useState<Opened | null>(null)
  const close = (): void => setOpened(null)
  const done = async (text: string): Promise<void> => {
    close()
    toast(text)
    await reload()
  }
  const enable = async (phone: string): Promise<void> => {
    await dataOf(api.POST("/internal/v1/connector/phones/enable", { body: { phone } }))
    await done("The number may link")
  }
  return (
    <>
      <Head title="Phone numbers" lead="Who may link the courier connector, and who did.">
        {mayCall("enablePhone") ? (
          <Button look="primary" icon="plus" onPress={() => setOpened({ type: "invite" })}>
            Invite a number
          </Button>
        ) : null}
      </Head>
      {data === null && fault !== null ? (
        <ReadProblem what="The numbers" fault={fault} onAgain={reload} />
      ) : data?.length === 0 ? (
        <Empty title="No number is invited yet">A user links with a number that was invited before.</Empty>
      ) : (
        <PhoneTable
          phones={data}
          onOpen={setOpened}
          onEnable={(phone) =>
            void enable(phone).catch((cause: unknown) =>
              toast({ text: asFault(cause).message, icon: "circle-x" }),
            )
          }
        />
      )}
      {opened?.type === "invite" ? <Invite onClose={close} onInvite={enable} /> : null}
      {opened?.type === "disable" ? (
        <Confirm
          title={`Disable ${opened.phone}?`}
          happens={[
            "No code is sent to it, and its agents' tokens are refused from now on.",
            "Its errands on their way go on.",
            "Enabling it again restores its links.",
          ]}
          action="Disable the number"
          busy="Disabling…"
          onConfirm={async () => {
            await dataOf(api.POST("/internal/v1/connector/phones/disable", { body: { phone: opened.phone } }))
            await done("Disabled")
          }}
          onClose={close}
        />
      ) : null}
      {opened?.type === "code" ? <SmsCode phone={opened.phone} onClose={close} /> : null}
    </>
  )
}

interface PhoneTableProps {
  readonly phones: readonly LinkedPhone[] | null
  readonly onOpen: (opened: Opened) => void
  readonly onEnable: (phone: string) => void
}

function PhoneTable({ phones, onOpen, onEnable }: PhoneTableProps): JSX.Element {
  return (
    <SearchedTable
      label="Phone numbers"
      rows={phones?.toReversed() ?? null}
      keyOf={({ user_id: id }) => id}
      textOf={({ phone, user_id: id }) => `${phone ?? ""} ${id}`}
      hasTwoLines
      columns={[
        {
          name: "Number",
          cell: ({ phone, user_id: id }) => (
            <>
              <span class="main">{phone ?? "blanked"}</span>
              <span class="under mono">{id}</span>
            </>
          ),
        },
        { name: "Invited", cell: ({ enabled_at: at }) => dayTime(at, null, Date.now()) },
        {
          name: "Linked",
          cell: ({ linked_at: at }) => (at === null ? "never linked" : dayTime(at, null, Date.now())),
        },
        { name: "State", cell: (phone) => <PhoneState one={phone} /> },
        {
          name: "",
          isEnd: true,
          cell: (one) => (hasNumber(one) ? <Actions one={one} onOpen={onOpen} onEnable={onEnable} /> : null),
        },
      ]}
    />
  )
}

function hasNumber(one: LinkedPhone): one is KnownPhone {
  return one.phone !== null
}

function PhoneState({ one }: { readonly one: LinkedPhone }): JSX.Element {
  if (!one.is_enabled) {
    return (
      <Pill tone="idle" icon="ban">
        Disabled
      </Pill>
    )
  }
  return one.linked_at === null ? (
    <Pill tone="wait" icon="clock">
      Invited
    </Pill>
  ) : (
    <Pill tone="ok" icon="link">
      Linked
    </Pill>
  )
}

interface ActionsProps extends Omit<PhoneTableProps, "phones"> {
  readonly one: KnownPhone
}

function Actions({ one: { phone, is_enabled: isEnabled }, onOpen, onEnable }: ActionsProps): JSX.Element {
  return (
    <Menu
      label={`Actions for ${phone}`}
      icon="ellipsis"
      look="quiet"
      isSmall
      items={
        isEnabled
          ? [
              {
                name: "Show the code",
                about: "Only where no provider sends codes",
                onChoose: () => onOpen({ type: "code", phone }),
              },
              { name: "Disable", onChoose: () => onOpen({ type: "disable", phone }) },
            ]
          : [{ name: "Enable again", about: "Its links work again", onChoose: () => onEnable(phone) }]
      }
    />
  )
}

interface InviteProps {
  readonly onClose: () => void
  readonly onInvite: (phone: string) => Promise<void>
}

function Invite({ onClose, onInvite }: InviteProps): JSX.Element {
  const [phone, setPhone] = useState("")
  const command = useCommand(() => onInvite(phone))
  return (
    <FormDialog
      title="Invite a number"
      about="Its user may link the connector from then on. No text is sent."
      command={command}
      fields={["phone"]}
      action="Invite the number"
      busy="Inviting…"
      onClose={onClose}
    >
      <TextField
        label="Number"
        type="tel"
        hint="With its country code, such as +15125550100."
        value={phone}
        onChange={setPhone}
        error={command.fault?.fields["phone"] ?? null}
        isFirst
      />
    </FormDialog>
  )
}

/** The request is a change for the audit log: it says who read the code. */
function SmsCode({ phone, onClose }: { readonly phone: string; readonly onClose: () => void }): JSX.Element {
  const { data, fault } = useResource(
    () => dataOf(api.POST("/internal/v1/connector/phones/code", { body: { phone } })),
    [phone],
  )
  return (
    <Dialog title={`The code for ${phone}`} onClose={onClose}>
      {data === null ? (
        fault === null ? (
          <Skeleton lines={1} />
        ) : (
          <CommandProblem fault={fault} />
        )
      ) : (
        <>
          <Banner tone="wait">
            With it a person links this number. The audit log says that you read it.
          </Banner>
          <p class="wrapped mono strong">{data.sms_code.code}</p>
        </>
      )}
      <div class="actions">
        <Button onPress={onClose}>Close</Button>
      </div>
    </Dialog>
  )
}
