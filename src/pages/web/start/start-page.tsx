/**
 * The start page of a host: whether it is healthy, actions that do real things with the demo's key, and where to go
 * next.
 */

import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import { Copy, hasCopied, shortened } from "../design/button.tsx"
import { Banner, Toasts, toast } from "../design/feedback.tsx"
import { Icon } from "../design/icon.tsx"
import type { IconName } from "../design/icon.tsx"
import { Mark } from "../design/mark.tsx"
import { Pill } from "../design/pill.tsx"
import { Actions } from "./actions.tsx"
import type { DemoKeys, StartData } from "./start-data.ts"

export function StartPage({ data }: { readonly data: StartData }): JSX.Element {
  const { environment, demo, demo_file: file } = data
  return (
    <>
      <EnvironmentLine data={data} />
      <main>
        <p class="brand">
          <Mark /> Curbline
        </p>
        <Hero data={data} />
        {data.replay === null ? null : <DemoDayPart replay={data.replay} />}
        {demo === null ? null : <Actions data={data} demo={demo} />}
        <div class="lists">
          <Places data={data} />
          {demo === null ? (
            file === null ? null : (
              <section>
                <header>
                  <h2>Keys and ids of the demo</h2>
                </header>
                <p class="small quiet">
                  They are in <code>{file}</code> on the service's machine. This page shows them only there,
                  and only when no proxy stands between.
                </p>
              </section>
            )
          ) : (
            <Keys demo={demo} environment={environment} file={file ?? ""} />
          )}
        </div>
        <footer>
          {data.about.version} · {data.about.database} · up {spanSince(data.about.startedAtMs)} ·{" "}
          <a href="/readyz">/readyz</a>
        </footer>
      </main>
      <Toasts />
    </>
  )
}

/** Its script is asked for when the page stands: nothing else waits for it. */
function DemoDayPart({ replay }: { readonly replay: NonNullable<StartData["replay"]> }): JSX.Element {
  const [made, setMade] = useState<JSX.Element | null>(null)
  useEffect(() => {
    void import("./demo-day.tsx").then(({ DemoDay }) => setMade(<DemoDay {...replay} />))
  }, [replay])
  return (
    <section class="demo-day" aria-label="A made-up city at lunch">
      <header>
        <h2>A made-up city at lunch</h2>
        <p class="small quiet">On the machines that answer your requests; your browser computes it.</p>
      </header>
      {made ?? <div class="replay show" aria-busy="true" />}
    </section>
  )
}

function EnvironmentLine({ data: { environment, host, urls } }: { readonly data: StartData }): JSX.Element {
  const other = environment === "sandbox" ? "production" : "sandbox"
  return (
    <header class={`environment ${environment}`}>
      <span class="badge">{environment.toUpperCase()}</span>
      <span>{host}</span>
      <span class="end">
        <a href={urls[other]}>{other === "sandbox" ? "Sandbox host" : "Production host"}</a>
      </span>
    </header>
  )
}

function Hero({ data }: { readonly data: StartData }): JSX.Element {
  const problems = Object.entries(data.checks).filter(([, problem]) => problem !== null)
  const isHealthy = problems.length === 0
  const name = data.environment === "sandbox" ? "The sandbox" : "Production"
  return (
    <div class="hero column">
      <div class="row wide">
        <h1>{isHealthy ? `${name} is up` : `${name} cannot serve`}</h1>
        {isHealthy ? (
          <Pill tone="ok" icon="circle-check" isLarge>
            Healthy
          </Pill>
        ) : (
          <Pill tone="bad" icon="circle-x" isLarge>
            Not ready
          </Pill>
        )}
      </div>
      {isHealthy ? null : (
        <Banner tone="bad">
          {problems.map(([check, problem]) => `${check.replace("_", " ")}: ${problem ?? ""}`).join("; ")}
        </Banner>
      )}
      <p class="lead">{leadOf(data)}</p>
    </div>
  )
}

function leadOf({ demo, demo_file: file, environment }: StartData): string {
  if (demo !== null) {
    return environment === "sandbox"
      ? "Demo data is in place. Each button sends the request beside it, with the demo's key."
      : "Demo data is in place, and synthetic vehicles drive by themselves. Each button sends the request beside it."
  }
  return file === null
    ? "Partners sign up in the portal; programs read the documents below."
    : "Demo data is in place."
}

interface Place {
  readonly icon: IconName
  readonly name: string
  /** Null for what its own command serves. */
  readonly href: string | null
  readonly about: string
  /** Default: the path of `href`. */
  readonly where?: string
}

/** The wall of the demo's site; without demo data a board links to the wall of its own site. */
function kioskOf({ demo }: StartData): readonly Place[] {
  if (demo === null) return []
  const href = `/ops/sites/${encodeURIComponent(demo.site_id)}/kiosk`
  return [
    {
      icon: "tv",
      name: "Kiosk",
      href,
      about: "The demo's board, for a wall",
      where: "/ops/sites/…/kiosk",
    },
  ]
}

function placesOf(data: StartData): readonly Place[] {
  return [
    { icon: "box", name: "Portal", href: data.portal, about: "Keys, sites, deliveries, webhooks" },
    { icon: "parking", name: "Operations", href: "/ops", about: "Boards, lists, approvals, settings" },
    ...kioskOf(data),
    { icon: "smartphone", name: "Runner", href: "/runner", about: "Tasks on a phone that a board pairs" },
    {
      icon: "send",
      name: "Outbox",
      href: "/ops/settings/messages",
      about: "Mails and texts",
      where: "/ops/…/messages",
    },
    ...(data.has_inspector
      ? [
          {
            icon: "radar",
            name: "Inspector",
            href: "/inspect",
            about: "What every actor does, and why",
          } as const,
        ]
      : []),
    ...(data.replay === null
      ? []
      : [
          {
            icon: "map-pin",
            name: "Fleet replay",
            href: data.replay.page,
            about: "A made-up day of a fleet, played",
          } as const,
        ]),
    {
      icon: "play",
      name: "Studio",
      href: null,
      about: "Scenarios to write and run",
      where: "npx curbline studio",
    },
    { icon: "book-open", name: "API reference", href: data.docs, about: "Requests, events and errors" },
    ...(data.demo_file === null
      ? []
      : [
          {
            icon: "clipboard",
            name: "Components",
            href: "/design",
            about: "What pages are made of",
          } as const,
        ]),
  ]
}

function Places({ data }: { readonly data: StartData }): JSX.Element {
  return (
    <section>
      <header>
        <h2>Go to</h2>
      </header>
      <table class="table" aria-label="Pages of this service">
        <tbody>
          {placesOf(data).map(({ icon, name, href, about, where }) => (
            <tr key={name}>
              <td>
                {href === null ? (
                  <>
                    <Icon name={icon} /> {name}
                  </>
                ) : (
                  <a href={href}>
                    <Icon name={icon} /> {name}
                  </a>
                )}
              </td>
              <td class="about quiet">{about}</td>
              <td class="mono faint">{where ?? href?.replace(/^https?:\/\/[^/]+/, "")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

interface KeysProps {
  readonly demo: DemoKeys
  readonly environment: string
  readonly file: string
}

function Keys({ demo, environment, file }: KeysProps): JSX.Element {
  const [isCopied, setCopied] = useState(false)
  const values: readonly (readonly [name: string, value: string, variable: string])[] = [
    ["API key", demo.api_key, "CURBLINE_KEY"],
    ["x-retailer-id", demo.site_id, "CURBLINE_SITE_ID"],
    ["zone_id", demo.zone_id, "CURBLINE_ZONE_ID"],
    ["retailer_id", demo.retailer_id, "CURBLINE_RETAILER_ID"],
    ["Operator token", demo.operator_token, "CURBLINE_OPERATOR_TOKEN"],
    ["Phone to link", demo.connector.phone, "CURBLINE_PHONE"],
    ["MCP", demo.connector.mcp_url, "CURBLINE_MCP_URL"],
  ]
  const copyAll = async (): Promise<void> => {
    const text = values.map(([, value, variable]) => `${variable}=${value}`).join("\n")
    setCopied(await hasCopied(`${text}\n`))
    toast("Copied as lines of an .env file")
  }
  return (
    <section>
      <header>
        <h2>Keys and ids of the demo</h2>
        <button type="button" onClick={() => void copyAll()}>
          {isCopied ? "Copied" : "Copy as .env"}
        </button>
      </header>
      <table class="table" aria-label={`Keys and ids of the demo in ${environment}`}>
        <tbody>
          {values.map(([name, value]) => (
            <tr key={name}>
              <td class="quiet">{name}</td>
              <td class="mono">{value.length > 42 ? shortened(value) : value}</td>
              <td>
                <Copy text={value} label={`Copy ${name}`} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="tiny quiet">
        Also in <code>{file}</code>. They open nothing beyond this machine.
      </p>
    </section>
  )
}

/** `12 min`, from an instant until now. */
function spanSince(fromMs: number): string {
  const minutes = Math.max(0, Math.round((Date.now() - fromMs) / 60_000))
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`
}
