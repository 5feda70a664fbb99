/** The pages of operations: one script for all of them; the path says which. */

import "../design/design.css"
import "../portal/portal.css"
import "../components/map.css"
import "./ops.css"
import "./board/board.css"
import "./board/kiosk.css"
import "./lists/lists.css"
import "./pages/approvals.css"
import "./settings/settings.css"
import type { JSX } from "preact"
import { ButtonLink } from "../design/button.tsx"
import { keepFocus } from "../components/kept-focus.ts"
import { watchInput } from "../session-watch.ts"
import { partOfPage, showLoaded } from "../show.tsx"
import { EnvironmentBar } from "./environment-bar.tsx"
import { Frame, Head } from "./frame.tsx"
import { opsData } from "./session.ts"
import type { Me } from "./session.ts"

/** What the path names behind its first word. */
interface Named {
  readonly first: string | null
  readonly second: string | null
}

/** Pages of signed-in operators, by the parts that `src/apps/operators/http/pages.ts` names. Each is loaded when it is shown. */
const PARTS: Readonly<Record<string, (named: Named, me: Me) => Promise<JSX.Element>>> = {
  "board/board-page": async ({ first }) => {
    const { BoardPage } = await import("./board/board-page.tsx")
    return <BoardPage siteId={first ?? ""} />
  },
  "errands/errand-page": async ({ first }) => {
    const { ErrandPage } = await import("./errands/errand-page.tsx")
    return <ErrandPage errandId={first ?? ""} />
  },
  "lists/lists-page": async ({ first }) => {
    const { Lists } = await import("./lists/lists-page.tsx")
    return <Lists path={first} />
  },
  "pages/account": async (_, me) => {
    const { Account } = await import("./pages/account.tsx")
    return <Account me={me} />
  },
  "pages/approvals": async ({ first }) => {
    const { Approvals } = await import("./pages/approvals.tsx")
    return <Approvals requestId={first} />
  },
  "pages/audit-log": async () => {
    const { AuditLog } = await import("./pages/audit-log.tsx")
    return <AuditLog />
  },
  "pages/operators": async () => {
    const { Operators } = await import("./pages/operators.tsx")
    return <Operators />
  },
  "pages/sites": async () => {
    const { Sites } = await import("./pages/sites.tsx")
    return <Sites />
  },
  "settings/settings-page": async ({ first, second }) => {
    const { Settings } = await import("./settings/settings-page.tsx")
    return <Settings path={first} id={second} />
  },
}

function NoSuchPage(): JSX.Element {
  return (
    <>
      <Head title="There is no such page." lead="The address may be mistyped, or the page may have moved." />
      <p>
        <ButtonLink href="/ops">All sites</ButtonLink>
      </p>
    </>
  )
}

function namedByPath(): Named {
  const [first = null, second = null] = window.location.pathname.split("/").slice(3).map(decodeURIComponent)
  return { first, second }
}

async function page(part: string): Promise<JSX.Element> {
  const { me, environment } = opsData()
  if (part === "pages/set-password") {
    const { SetPassword } = await import("./pages/set-password.tsx")
    return <SetPassword environment={environment} />
  }
  if (me === null || part === "pages/sign-in") {
    const { SignIn } = await import("./pages/sign-in.tsx")
    return <SignIn environment={environment} />
  }
  const named = namedByPath()
  if (part === "board/kiosk-page") {
    const { KioskPage } = await import("./board/kiosk-page.tsx")
    return (
      <>
        <EnvironmentBar environment={environment} />
        <KioskPage siteId={named.first ?? ""} />
      </>
    )
  }
  return <Frame me={me}>{(await PARTS[part]?.(named, me)) ?? <NoSuchPage />}</Frame>
}

watchInput()
keepFocus()
void showLoaded(page(partOfPage()))
