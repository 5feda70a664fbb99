/** The operators' sign-in page. The token is only in the form's body, so that no address and no log contains it. */

import { html } from "../../../pages/html/markup.ts"
import type { ShownPage } from "../../../http/pages/html-page.ts"

export type SignInProblem = "too many" | "wrong"

const PROBLEMS: Readonly<Record<SignInProblem, { readonly status: number; readonly text: string }>> = {
  wrong: { status: 401, text: "That is no operator token of this environment, or it has been revoked." },
  "too many": { status: 429, text: "Too many attempts from this network. Wait some minutes." },
}

/** `to` is the path of the inspector to open afterwards, `ended` why a session ended. */
export function signInPage(
  to: string,
  environment: string,
  problem: SignInProblem | null,
  ended: string | null = null,
): ShownPage {
  const said = problem === null ? null : PROBLEMS[problem]
  return {
    status: said?.status ?? 401,
    title: "Sign in to the inspector",
    body: html`<h1>Inspector of the ${environment} host</h1>
      ${ended === null ? html`` : html`<p role="status">${ended}</p>`}
      ${said === null ? html`` : html`<p class="problem" role="alert">${said.text}</p>`}
      <form method="post" action="/inspect/sign-in">
        <input type="hidden" name="to" value="${to}" />
        <p><label for="token">Operator token</label></p>
        <p>
          <input
            id="token"
            name="token"
            type="password"
            autocomplete="current-password"
            required
            maxlength="256"
          />
        </p>
        <p><button type="submit">Sign in</button></p>
      </form>
      <p class="quiet">
        Signed in already, and led here from another site? <a href="${to}">Open the page</a>.
      </p>`,
  }
}
