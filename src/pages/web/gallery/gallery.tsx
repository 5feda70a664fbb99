/** One specimen of each component. What the buttons do here stays on this page. */

import type { ComponentChildren, JSX } from "preact"
import { useState } from "preact/hooks"
import { Button, Copy, ShortId } from "../design/button.tsx"
import { Code } from "../design/code.tsx"
import { Banner, Empty, Failure, Skeleton, Toasts, toast } from "../design/feedback.tsx"
import { AreaField, CheckList, CodeField, PasswordField, SelectField, TextField } from "../design/field.tsx"
import { Mark } from "../design/mark.tsx"
import { Dialog, Menu } from "../design/overlay.tsx"
import { KINDS, Kind, Pill } from "../design/pill.tsx"
import { QrCode } from "../design/qr-code.tsx"
import { Path, Stepper } from "../design/steps.tsx"
import { Facts, Paging, Table } from "../design/table.tsx"
import { Tabs } from "../design/tabs.tsx"

export function Gallery(): JSX.Element {
  return (
    <main class="stack">
      <h1 class="row">
        <Mark /> Components
      </h1>
      <div class="gallery">
        <Buttons />
        <Fields />
        <Colours />
        <Pills />
        <Specimen
          title="Kinds of actor"
          text="One hue and one icon each, the same in maps, logs and the inspector."
        >
          <div class="row wide">
            {Object.keys(KINDS).map((kind) => (
              <Kind key={kind} kind={kind as keyof typeof KINDS} />
            ))}
          </div>
        </Specimen>
        <Feedback />
        <Tables />
        <Specimen title="Empty" text="What would stand here, and the one thing that fills it.">
          <Empty
            title="No reservations yet"
            action={
              <Button look="primary" icon="plus">
                Book one in the sandbox
              </Button>
            }
          >
            A reservation books an arrival window at a stall for your own robot.
          </Empty>
        </Specimen>
        <Specimen title="Error of a page" text="What failed, what still holds, the request id.">
          <Failure
            title="Deliveries could not be read"
            failure={{
              message: "The service answered 503. Nothing was changed.",
              code: "UNAVAILABLE",
              requestId: "5f0a2c1e-8b7d-4a6f-9c3e-1d2b4f6ac19b",
            }}
            action={<Button icon="refresh">Try again</Button>}
          />
        </Specimen>
        <Steps />
        <Overlays />
        <Rest />
      </div>
      <Toasts />
    </main>
  )
}

interface SpecimenProps {
  readonly title: string
  readonly text?: string
  readonly isWhole?: boolean
  readonly children: ComponentChildren
}

function Specimen({ title, text, isWhole = false, children }: SpecimenProps): JSX.Element {
  return (
    <section class={isWhole ? "whole" : ""}>
      <h2>{title}</h2>
      {text === undefined ? null : <p>{text}</p>}
      {children}
    </section>
  )
}

function Buttons(): JSX.Element {
  return (
    <Specimen title="Button" text="One primary a view. 36 px, 28 px in tables, 44 px on phones.">
      <div class="row">
        <Button look="primary">Primary</Button>
        <Button>Secondary</Button>
        <Button look="quiet">Quiet</Button>
        <Button look="danger">Revoke…</Button>
      </div>
      <div class="row">
        <Button isDisabled>Disabled</Button>
        <Button look="primary" isBusy>
          Advancing…
        </Button>
        <Button isSmall>Resend</Button>
        <Button isSmall icon="ellipsis" label="More" />
      </div>
    </Specimen>
  )
}

function Fields(): JSX.Element {
  const [name, setName] = useState("Orders service")
  const [url, setUrl] = useState("http://hooks.northloop.example")
  const [password, setPassword] = useState("")
  const [code, setCode] = useState("730")
  const [body, setBody] = useState('{"event": "webhook.test"}')
  const [zone, setZone] = useState<"austin" | "dallas">("austin")
  const [rights, setRights] = useState<readonly ("read" | "write")[]>(["read"])
  return (
    <Specimen title="Field" text="Label above, hint below; an error replaces the hint and says what to do.">
      <div class="fields">
        <TextField label="Label" hint="Only you see it." value={name} onChange={setName} />
        <TextField
          label="Endpoint URL"
          value={url}
          onChange={setUrl}
          error={url.startsWith("https:") ? null : "Must begin with https."}
        />
        <PasswordField label="Password" value={password} onChange={setPassword} />
        <AreaField label="Body to check" isCode value={body} onChange={setBody} />
        <SelectField
          label="Zone"
          value={zone}
          onChange={setZone}
          options={[
            ["austin", "Austin Domain"],
            ["dallas", "Dallas Uptown"],
          ]}
        />
        <CheckList
          label="May"
          chosen={rights}
          onChange={setRights}
          options={[
            { value: "read", name: "Read deliveries" },
            { value: "write", name: "Make and cancel deliveries", about: "costs money in production" },
          ]}
        />
        <CodeField
          label="Code"
          value={code}
          onChange={setCode}
          onComplete={(text) => toast(`Code ${text}`)}
        />
      </div>
    </Specimen>
  )
}

const COLOURS = [
  "bg",
  "surface",
  "sunken",
  "ink",
  "ink-2",
  "ink-3",
  "accent",
  "ok",
  "wait",
  "bad",
  "brand",
  "sandbox",
]

function Colours(): JSX.Element {
  return (
    <Specimen title="Colours" isWhole>
      <ul class="swatches">
        {COLOURS.map((name) => (
          <li key={name} class="swatch">
            <i style={{ background: `var(--${name})` }} /> {name}
          </li>
        ))}
      </ul>
    </Specimen>
  )
}

function Pills(): JSX.Element {
  return (
    <Specimen title="Pill" text="Icon and word, always both." isWhole>
      <dl class="states">
        <dt>Delivery</dt>
        <dd>
          <Pill tone="idle" icon="clock">
            Scheduled
          </Pill>
          <Pill tone="move" icon="truck">
            En route to store
          </Pill>
          <Pill tone="ok" icon="circle-check">
            Completed
          </Pill>
          <Pill tone="idle" icon="ban">
            Cancelled
          </Pill>
        </dd>
        <dt>Event</dt>
        <dd>
          <Pill tone="move" icon="send">
            Sending
          </Pill>
          <Pill tone="wait" icon="refresh">
            Retry in 9 s
          </Pill>
          <Pill tone="ok" icon="check">
            Delivered
          </Pill>
          <Pill tone="bad" icon="circle-x">
            Dropped
          </Pill>
        </dd>
      </dl>
    </Specimen>
  )
}

function Feedback(): JSX.Element {
  return (
    <Specimen
      title="Banner and toast"
      text="A banner stays until its cause is gone. A toast stays six seconds."
    >
      <Banner tone="bad">Switched off after 50 failures in a row.</Banner>
      <Banner tone="wait">No connection since 12:04:31. Trying again in 4 s.</Banner>
      <Banner tone="ok">All seven steps are done.</Banner>
      <div class="row">
        <Button
          onPress={() => toast({ text: "Resent; your receiver answered 200 in 44 ms.", icon: "check" })}
        >
          Show a toast
        </Button>
      </div>
    </Specimen>
  )
}

const ROWS = [
  { id: "order-8842", status: "En route to store", fee: 799, ago: "19 s ago" },
  { id: "order-8841", status: "Waiting for load", fee: 649, ago: "1 min ago" },
]

function Tables(): JSX.Element {
  const [selected, setSelected] = useState("order-8841")
  const columns = [
    { name: "Delivery", cell: ({ id }: (typeof ROWS)[number]) => <span class="main">{id}</span> },
    {
      name: "Status",
      cell: ({ status }: (typeof ROWS)[number]) => (
        <Pill tone="move" icon="truck">
          {status}
        </Pill>
      ),
    },
    {
      name: "Fee",
      isEnd: true,
      sortBy: ({ fee }: (typeof ROWS)[number]) => fee,
      cell: ({ fee }: (typeof ROWS)[number]) => `$${(fee / 100).toFixed(2)}`,
    },
    { name: "Updated", isEnd: true, cell: ({ ago }: (typeof ROWS)[number]) => ago },
  ]
  return (
    <Specimen title="Table" text="Rows of 40 px; hover, selected, loading." isWhole>
      <Table
        label="Deliveries"
        columns={columns}
        rows={ROWS}
        keyOf={({ id }) => id}
        selected={selected}
        onPress={({ id }) => setSelected(id)}
      />
      <Paging text="1–2 of 2" onNewer={null} onOlder={() => toast("Older rows")} />
      <Table label="Loading deliveries" columns={columns} rows={null} keyOf={({ id }) => id} />
    </Specimen>
  )
}

function Steps(): JSX.Element {
  return (
    <Specimen title="Steps" isWhole>
      <Stepper
        label="Steps of the delivery"
        steps={[
          { name: "Scheduled", state: "done", note: "11:49:02" },
          { name: "Assigned", state: "done", note: "11:50:10" },
          { name: "Waiting for load", state: "now", note: "12:04:12" },
          { name: "Loaded", state: "next" },
          { name: "Completed", state: "next", note: "12:19 est." },
        ]}
      />
      <Path
        steps={[
          { name: "Make a sandbox key", state: "done", when: "Ada, 20 Nov 16:04" },
          {
            name: "Complete a sandbox delivery",
            state: "current",
            children: <p class="quiet small">Advance it four times to Completed.</p>,
          },
          { name: "Answer an event with 2xx", state: "next" },
        ]}
      />
    </Specimen>
  )
}

function Overlays(): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const [typed, setTyped] = useState("")
  return (
    <Specimen title="Dialog and menu" text="Esc closes; the focus stays inside and returns.">
      <div class="row">
        <Button look="danger" onPress={() => setOpen(true)}>
          Revoke…
        </Button>
        <Menu
          name="Make it fail…"
          title="From Waiting for load"
          items={[
            {
              name: "The store does not load it",
              about: "Cancelled after 10 min",
              onChoose: () => toast("Chosen"),
            },
            {
              name: "The vehicle breaks down",
              about: "Another one takes over",
              onChoose: () => toast("Chosen"),
            },
          ]}
        />
      </div>
      {isOpen ? (
        <Dialog title="Revoke Orders service?" onClose={() => setOpen(false)}>
          <p class="quiet small">Calls with …Lm04 answer 401 at once.</p>
          <TextField label="Type Orders service to revoke it" value={typed} onChange={setTyped} isFirst />
          <div class="actions">
            <Button onPress={() => setOpen(false)}>Keep it</Button>
            <Button look="danger" isDisabled={typed !== "Orders service"} onPress={() => setOpen(false)}>
              Revoke key
            </Button>
          </div>
        </Dialog>
      ) : null}
    </Specimen>
  )
}

function Rest(): JSX.Element {
  return (
    <>
      <Specimen title="Code and facts">
        <Code
          label="a request"
          text={'POST /rs/v1/reservations\n{"zone_id": "zone_sandbox_test",\n "order_number": "1001"}'}
        />
        <Facts
          facts={[
            [
              "Request id",
              <ShortId key="id" id="5f0a2c1e-8b7d-4a6f-9c3e-1d2b4f6ac19b" label="Copy the id" />,
            ],
            [
              "Key",
              <span key="key">
                …Lm04 <Copy text="Lm04" label="Copy the last four" />
              </span>,
            ],
          ]}
        />
      </Specimen>
      <Specimen title="QR code" text="The same in both schemes: cameras read dark on light.">
        <QrCode text="https://curbline.example/" label="The address of an example as a QR code" />
      </Specimen>
      <Specimen title="Tabs and skeleton">
        <Tabs
          label="Views"
          tabs={[
            { name: "Events", content: () => <Skeleton lines={3} /> },
            { name: "Requests", content: () => <p>Two requests.</p> },
          ]}
        />
      </Specimen>
    </>
  )
}
