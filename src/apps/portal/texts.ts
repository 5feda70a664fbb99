/** Texts of the portal's mails: only what the reader needs, and of data that strangers have typed only a plain name. */

import type { OutgoingMail } from "../../areas/messages/outbox.ts"
import { SIGN_INS_PER_ACCOUNT_MAX } from "../../model/values/limits.ts"
import type { Role } from "./rows.ts"

type Text = Pick<OutgoingMail, "purpose" | "subject" | "text">

export function signUpText(code: string): Text {
  return {
    purpose: "sign-up",
    subject: "Your code for Curbline",
    text: [
      `Your code is ${code}. It is good for 15 minutes.`,
      "",
      "Curbline's staff never ask for it. If you did not sign up, there is nothing to do.",
    ].join("\n"),
  }
}

/** To the owner of an account when a new sign-up uses its address. */
export function signUpAgainText(): Text {
  return {
    purpose: "sign-up",
    subject: "You already have a Curbline account",
    text: [
      "Somebody tried to sign up with this e-mail address, which has an account already.",
      "If it was you, sign in with it, or ask for a new password.",
      "If it was not, there is nothing to do: no account was made.",
    ].join("\n"),
  }
}

export function resetText(link: string): Text {
  return {
    purpose: "password-reset",
    subject: "A new password for Curbline",
    text: [
      "Choose a new password with this link. It is good for 30 minutes.",
      "",
      link,
      "",
      "If you did not ask for this, there is nothing to do: your password stays.",
    ].join("\n"),
  }
}

/** To an address without an account: users may have forgotten which address they used. */
export function resetUnknownText(): Text {
  return {
    purpose: "password-reset",
    subject: "A new password for Curbline",
    text: [
      "Somebody asked for a new password for this e-mail address, which has no account with Curbline.",
      "If it was you, you may have signed up with another address. If it was not, there is nothing to do.",
    ].join("\n"),
  }
}

export function passwordChangedText(): Text {
  return {
    purpose: "password-changed",
    subject: "Your Curbline password was changed",
    text: [
      "The password of your account was changed, and every other session was signed out.",
      "If it was not you, ask for a new password at once: POST /portal/api/password/forgotten.",
    ].join("\n"),
  }
}

export type SecondFactorChange = "application-added" | "off" | "on" | "passkey-added" | "passkey-removed"

const SECOND_FACTOR_CHANGES: Readonly<
  Record<SecondFactorChange, { readonly subject: string; readonly text: readonly string[] }>
> = {
  on: {
    subject: "The second factor of your Curbline account is on",
    text: [
      "Signing in to your account now needs a code of your authenticator application, a passkey or a recovery code.",
      "Every other session was signed out.",
    ],
  },
  off: {
    subject: "The second factor of your Curbline account is off",
    text: [
      "Signing in to your account needs the password alone again.",
      "Every other session was signed out.",
    ],
  },
  "application-added": {
    subject: "An authenticator application was added to your Curbline account",
    text: ["Its codes can complete a sign-in to your account."],
  },
  "passkey-added": {
    subject: "A passkey was added to your Curbline account",
    text: ["Another passkey can complete a sign-in to your account."],
  },
  "passkey-removed": {
    subject: "A passkey was removed from your Curbline account",
    text: ["It completes no sign-in to your account any more."],
  },
}

/** To a person whose password was right and whose codes were wrong, as when another knows the password. */
export function failedCodesText(remedy: string): Text {
  return {
    purpose: "password-changed",
    subject: "Wrong codes at the sign-in to your Curbline account",
    text: [
      `Your password was right, but ${SIGN_INS_PER_ACCOUNT_MAX} codes or passkeys after it were wrong. No session was begun.`,
      `If it was not you, somebody knows your password: ${remedy}`,
    ].join("\n"),
  }
}

/** It concerns the security of the account, as a changed password does. */
export function secondFactorText(change: SecondFactorChange): Text {
  const { subject, text } = SECOND_FACTOR_CHANGES[change]
  const alarm = "If it was not you, ask for a new password at once: POST /portal/api/password/forgotten."
  return { purpose: "password-changed", subject, text: [...text, alarm].join("\n") }
}

export function invitationText({
  organization,
  role,
  link,
}: {
  readonly organization: string
  readonly role: Role
  readonly link: string
}): Text {
  return {
    purpose: "invitation",
    subject: "You are invited to Curbline",
    text: [
      `The organization "${plainName(organization)}" invites you to its Curbline portal as ${role}.`,
      "Accept with this link. It is good for 7 days.",
      "",
      link,
      "",
      "If you do not know them, there is nothing to do.",
    ].join("\n"),
  }
}

/** To an address that already has an account, which can be a member of several organizations. */
export function invitationToAccountText({
  organization,
  role,
  link,
}: Parameters<typeof invitationText>[0]): Text {
  return {
    purpose: "invitation",
    subject: "You are invited to Curbline",
    text: [
      `The organization "${plainName(organization)}" invites you to its Curbline portal as ${role}.`,
      "You have an account already: join with this link. It is good for 7 days.",
      "",
      link,
      "",
      "If you do not know them, there is nothing to do.",
    ].join("\n"),
  }
}

export function accessDecidedText(isApproved: boolean, reason: string | null): Text {
  const why = reason ? ["", `Operations say: ${reason}`] : []
  return {
    purpose: "access-decided",
    subject: isApproved ? "Your production access is ready" : "About your request for production access",
    text: [
      isApproved
        ? "Your organization may now use Curbline in production. Make a production key in the portal."
        : "Your request for production access was declined. You can ask again once what is missing is there.",
      ...why,
    ].join("\n"),
  }
}

/** To the organization's contact. Source: direct delivery contract, delivery rules. */
export function webhookDisabledText(webhookId: string): Text {
  return {
    purpose: "webhook-disabled",
    subject: "A webhook was switched off",
    text: [
      `After 50 failures in a row the webhook ${webhookId} was switched off, and what waited for it was dropped.`,
      `Once its receiver works again, switch it on with PUT /dd/v1/webhooks/${webhookId} and "is_active": true.`,
    ].join("\n"),
  }
}

/** A stranger chose the name, so characters are removed that mail programs would turn into a link. */
function plainName(name: string): string {
  return name.replace(/[:/\\@<>"]/g, " ").replace(/\.(?=\S)/g, " ")
}
