/** Connects text fields of a form with its draft and with the refusal of its command. */

import type { Command } from "../../resource.ts"

interface FieldProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error: string | null
}

/** `sent` is the field's name in the request, where it differs from the draft's. */
export function draftFields<Draft extends object>(
  draft: Draft,
  setDraft: (draft: Draft) => void,
  { fault }: Command,
) {
  return <Name extends keyof Draft & string>(
    name: Draft[Name] extends string ? Name : never,
    sent: string = name,
  ): FieldProps => ({
    value: draft[name] as string,
    onChange: (value) => setDraft({ ...draft, [name]: value }),
    error: fault?.fields[sent] ?? null,
  })
}
