/** The sandbox's connector: how an agent connects, test numbers, errands that are moved by hand, and made-up stores. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { Code } from "../../design/code.tsx"
import { Banner, Empty, toast } from "../../design/feedback.tsx"
import { TextField } from "../../design/field.tsx"
import { Dialog, Menu } from "../../design/overlay.tsx"
import { Pill } from "../../design/pill.tsx"
import { Facts, Table } from "../../design/table.tsx"
import { Tabs } from "../../design/tabs.tsx"
import { useCommand, useRefresh, useResource } from "../../resource.ts"
import { api, dataOf } from "../api.ts"
import type { Schemas } from "../api.ts"
import { Head } from "../frame.tsx"
import type { PageProps } from "../session.ts"
import { dayTime, fromNow, fromRealNow } from "../times.ts"
import { connectSnippets } from "../../components/connect-snippets.ts"
import { RowCommand } from "../pages/danger.tsx"
import { Fields, FormButtons } from "../pages/form.tsx"
import { CommandProblem, ReadProblem, problemAt } from "../pages/problem.tsx"

type Errand = Schemas["TestErrand"]
type Failure = Errand["failures"][number]

const REFRESH_MS = 5000

export function Agents({ environment, urls }: PageProps): JSX.Element {
  if (environment === "sandbox") return <SandboxAgents host={urls.sandbox} />
  return (
    <div class="content">
      <Head title="Agents" lead="Agents try the courier connector in the sandbox, with test numbers." />
      <Empty title="Switch to the sandbox">
        In production agents link the numbers of people, which operations invite.
      </Empty>
    </div>
  )
}

function SandboxAgents({ host }: { readonly host: string }): JSX.Element {
  const [isAdding, setAdding] = useState(false)
  const known = useResource(() => dataOf(api.GET("/portal/api/sandbox/agents")))
  const errands = useResource(() => dataOf(api.GET("/portal/api/sandbox/errands")))
  useRefresh(errands.reload, REFRESH_MS)
  const agents = known.data?.agents ?? null
  const reload = async (): Promise<void> => {
    await Promise.all([known.reload(), errands.reload()])
  }
  return (
    <div class="content">
      <Head
        title="Agents"
        lead="An agent brings a store's order to the door. Here it meets test numbers, made-up stores and test cards, and nothing is texted."
      >
        <Button look="primary" icon="plus" onPress={() => setAdding(true)}>
          Add a number
        </Button>
      </Head>
      {known.fault !== null && agents === null ? (
        <ReadProblem what="Agents" fault={known.fault} onAgain={known.reload} />
      ) : (
        <>
          <Numbers rows={agents?.numbers ?? null} onChanged={reload} />
          {agents?.numbers.length === 0 ? null : <hr class="line" />}
          {agents === null ? null : <Connecting agents={agents} host={host} />}
          {agents === null || agents.numbers.length === 0 ? null : (
            <Vehicle isOnline={agents.is_vehicle_online} onChanged={reload} />
          )}
          <hr class="line" />
          <Errands rows={errands.data?.errands ?? null} onChanged={reload} />
          {errands.data?.errands.length === 0 ? null : <hr class="line" />}
          <Stores rows={agents?.stores ?? null} />
        </>
      )}
      {isAdding ? (
        <AddNumber
          onClose={() => setAdding(false)}
          onAdded={() => {
            setAdding(false)
            toast("Added")
            void known.reload()
          }}
        />
      ) : null}
    </div>
  )
}

interface NumbersProps {
  readonly rows: readonly Schemas["TestNumber"][] | null
  readonly onChanged: () => Promise<void>
}

function Numbers({ rows, onChanged }: NumbersProps): JSX.Element {
  if (rows?.length === 0) {
    return (
      <Empty title="No test numbers yet">
        An agent links one of them in place of a person's. Add a number for fiction, such as +1 512 555 0101.
      </Empty>
    )
  }
  return (
    <Table
      label="Test numbers"
      rows={rows}
      keyOf={({ user_id: id }) => id}
      columns={[
        { name: "Number", cell: ({ phone }) => <span class="main mono">{phone}</span> },
        { name: "Code", isNamed: true, cell: ({ code }) => <span class="mono">{code}</span> },
        { name: "Added", isNamed: true, cell: ({ added_at: at }) => dayTime(at) },
        {
          name: "Linked",
          isNamed: true,
          cell: ({ linked_at: at }) => (at === null ? <span class="quiet">Not yet</span> : fromRealNow(at)),
        },
        {
          name: "",
          isEnd: true,
          cell: ({ user_id: id }) => (
            <RowCommand
              name="Remove"
              run={() =>
                dataOf(api.DELETE("/portal/api/sandbox/agents/numbers/{id}", { params: { path: { id } } }))
              }
              onDone={onChanged}
            />
          ),
        },
      ]}
    />
  )
}

function AddNumber({
  onClose,
  onAdded,
}: {
  readonly onClose: () => void
  readonly onAdded: () => void
}): JSX.Element {
  const [phone, setPhone] = useState("")
  const { fault, isBusy, send } = useCommand(async () => {
    await dataOf(api.POST("/portal/api/sandbox/agents/numbers", { body: { phone } }))
    onAdded()
  })
  return (
    <Dialog title="Add a test number" onClose={onClose}>
      <p class="quiet small">Numbers from 555-0100 to 555-0199 belong to no one, in every area code.</p>
      <Fields
        onSend={send}
        actions={<FormButtons isBusy={isBusy} action="Add it" busy="Adding…" onClose={onClose} />}
      >
        <CommandProblem fault={fault} fields={["phone"]} />
        <TextField
          label="Number"
          type="tel"
          placeholder="+1 512 555 0101"
          value={phone}
          onChange={setPhone}
          isRequired
          isFirst
          error={problemAt(fault, "phone")}
        />
      </Fields>
    </Dialog>
  )
}

function Connecting({
  agents: { mcp_url: url },
  host,
}: {
  readonly agents: Schemas["Agents"]
  readonly host: string
}): JSX.Element {
  return (
    <>
      <div class="section-head">
        <h2>Connect an agent</h2>
      </div>
      <div class="fields connect">
        <Facts facts={[["Address", <span class="mono">{url}</span>]]} />
        <p class="small quiet">
          An agent that speaks MCP over HTTP links by itself. Any other starts the bridge, which links once in
          a terminal.
        </p>
        <Tabs
          label="Ways to connect"
          tabs={connectSnippets(host).map(({ name, text }) => ({
            name,
            content: () => <Code text={text} label={name} />,
          }))}
        />
      </div>
    </>
  )
}

function Vehicle({
  isOnline,
  onChanged,
}: {
  readonly isOnline: boolean
  readonly onChanged: () => Promise<void>
}): JSX.Element | null {
  const bring = useCommand(async () => {
    await dataOf(api.POST("/portal/api/sandbox/agents/vehicle", { body: { is_online: true } }))
    await onChanged()
  })
  if (isOnline) return null
  return (
    <Banner tone="wait">
      The test vehicle is offline, so there is no capacity.{" "}
      <Button isSmall isBusy={bring.isBusy} onPress={bring.send}>
        Bring it online
      </Button>
      <CommandProblem fault={bring.fault} />
    </Banner>
  )
}

interface ErrandsProps {
  readonly rows: readonly Errand[] | null
  readonly onChanged: () => Promise<void>
}

function Errands({ rows, onChanged }: ErrandsProps): JSX.Element {
  return (
    <>
      <div class="section-head">
        <h2>Errands</h2>
      </div>
      {rows?.length === 0 ? (
        <Empty title="No errands yet">An agent begins one with check_delivery at a store below.</Empty>
      ) : (
        <Table
          label="Errands"
          hasTwoLines
          rows={rows}
          keyOf={({ delivery_id: id }) => id}
          columns={[
            {
              name: "Store",
              cell: ({ store_name: store, delivery_id: id }) => (
                <>
                  <span class="main">{store}</span>
                  <span class="under mono">{id}</span>
                </>
              ),
            },
            { name: "State", cell: (errand) => <State errand={errand} /> },
            { name: "Fee", isNamed: true, cell: ({ payment_status: status }) => status },
            { name: "Changed", isNamed: true, cell: ({ updated_at: at }) => fromNow(at) },
            {
              name: "",
              isEnd: true,
              cell: (errand) => <Moves errand={errand} onChanged={onChanged} />,
            },
          ]}
        />
      )}
    </>
  )
}

const BAD = ["failed", "declined", "cancelled", "expired"]

function State({ errand: { state, failure_reason: reason } }: { readonly errand: Errand }): JSX.Element {
  const tone = BAD.includes(state) ? "bad" : state === "completed" ? "ok" : "move"
  const icon = tone === "bad" ? "circle-x" : tone === "ok" ? "circle-check" : "clock"
  return (
    <>
      <Pill tone={tone} icon={icon}>
        {plain(state)}
      </Pill>
      {reason === null ? null : <span class="under">{plain(reason)}</span>}
    </>
  )
}

function plain(word: string): string {
  const spaced = word.replaceAll("_", " ")
  return spaced.charAt(0).toUpperCase() + spaced.slice(1)
}

const FAILURES: Readonly<Record<Failure, readonly [name: string, about: string]>> = {
  no_capacity: ["No capacity", "The test vehicle goes offline"],
  address_wrong: ["The address is wrong", "Only the street is known, and the agent reads what to do"],
  payment_fails: ["The payment fails", "The card is declined, now or when the fee is taken"],
  vehicle_late: ["The vehicle is late", "It comes 20 minutes later"],
  order_delayed: ["The order is delayed", "It is ready 20 minutes later"],
  store_no_handover: ["The store hands nothing over", "The errand fails at the curb"],
  vehicle_lost: ["The vehicle breaks down", "The errand fails on the way"],
  customer_absent: ["The customer is not at the door", "The errand fails at the door"],
}

function Moves({ errand, onChanged }: { readonly errand: Errand } & Pick<ErrandsProps, "onChanged">) {
  const params = { path: { id: errand.delivery_id } }
  const advance = useCommand(async () => {
    await dataOf(api.POST("/portal/api/sandbox/errands/{id}/advance", { params }))
    await onChanged()
  })
  const fail = useCommand(async (failure: Failure) => {
    await dataOf(api.POST("/portal/api/sandbox/errands/{id}/fail", { params, body: { failure } }))
    await onChanged()
  })
  const isBusy = advance.isBusy || fail.isBusy
  return (
    <>
      {errand.can_advance ? (
        <Button isSmall icon="step-forward" isBusy={isBusy} onPress={advance.send}>
          Advance
        </Button>
      ) : null}{" "}
      {errand.failures.length === 0 ? null : (
        <Menu
          name="Make it fail…"
          isSmall
          isDisabled={isBusy}
          items={errand.failures.map((failure) => ({
            name: FAILURES[failure][0],
            about: FAILURES[failure][1],
            onChoose: () => fail.send(failure),
          }))}
        />
      )}
      <CommandProblem fault={advance.fault ?? fail.fault} />
    </>
  )
}

function Stores({ rows }: { readonly rows: readonly Schemas["TestStore"][] | null }): JSX.Element {
  return (
    <>
      <div class="section-head">
        <h2>Stores</h2>
      </div>
      <Table
        label="Stores"
        hasTwoLines
        rows={rows}
        keyOf={({ kind }) => kind}
        columns={[
          {
            name: "Store",
            cell: ({ name, street, city, state, zip }) => (
              <>
                <span class="main">{name}</span>
                <span class="under">
                  {street}, {city}, {state} {zip}
                </span>
              </>
            ),
          },
          { name: "What happens", cell: ({ about }) => about },
        ]}
      />
    </>
  )
}
