/** Commands about the courier connector: invited numbers, allowed redirect URIs, and the switch. */

import type { ManagementRequest } from "../http/management.ts"
import { verb } from "../../cli/command-verbs.ts"
import type { Nouns } from "../../cli/command-verbs.ts"

const PHONE_FIELDS = ["phone", "is_enabled", "user_id", "enabled_at", "disabled_at", "linked_at"]

/** The connector exists only in production, so no command takes an environment. */
export function addConnectorCommands({ curbline, act }: Nouns): void {
  const phones = curbline.command("phones").description("mobile numbers that may link the courier connector")
  const changes = [
    { name: "enable", did: "enabled", description: "invite a number; safe to repeat" },
    {
      name: "disable",
      did: "disabled",
      description: "refuse it; enabling it again restores its links",
    },
  ] as const
  for (const { name, did, description } of changes) {
    verb(phones, act, {
      name,
      description,
      taskOf: (_, { pathOf }, [phone = ""]) => ({
        type: "write",
        noun: "phone",
        id: "phone",
        did: `${did} the number`,
        isShared: true,
        request: { method: "POST", path: pathOf("connector", "phones", name), body: { phone } },
      }),
    }).argument("<number>", "with its country code, such as +15125550100")
  }
  verb(phones, act, {
    name: "list",
    description: "every number that was ever enabled",
    taskOf: (_, { pathOf }) => ({
      type: "list",
      noun: "phones",
      fields: PHONE_FIELDS,
      isShared: true,
      requests: async () => [{ method: "GET", path: pathOf("connector", "phones") }],
    }),
  })
  verb(phones, act, {
    name: "code",
    description: "print the code for a number; only if no provider sends codes",
    taskOf: (_, { pathOf }, [phone = ""]) => ({
      type: "write",
      noun: "sms_code",
      id: "code",
      did: "the code is",
      isShared: true,
      isValue: true,
      request: { method: "POST", path: pathOf("connector", "phones", "code"), body: { phone } },
    }),
  }).argument("<number>", "as it was typed on the page")
  addSwitch({ curbline, act })
}

function addSwitch({ curbline, act }: Nouns): void {
  const connector = curbline.command("connector").description("the courier connector for agents")
  verb(connector, act, {
    name: "allow-redirect",
    description: "let clients register this exact redirect URI; safe to repeat",
    taskOf: (_, { pathOf }, [uri = ""]) => ({
      type: "write",
      noun: "redirect",
      id: "redirect_uri",
      did: "allowed",
      isShared: true,
      request: { method: "POST", path: pathOf("connector", "redirects"), body: { redirect_uri: uri } },
    }),
  }).argument("<uri>", "https, without a fragment")
  verb(connector, act, {
    name: "redirects",
    description: "the redirect URIs that clients may register",
    taskOf: (_, { pathOf }) => ({
      type: "list",
      noun: "redirects",
      fields: ["redirect_uri", "allowed_at"],
      isShared: true,
      requests: async () => [{ method: "GET", path: pathOf("connector", "redirects") }],
    }),
  })
  const states = [
    { name: "pause", method: "POST", description: "answer 404 on its paths; safe to repeat" },
    { name: "resume", method: "POST", description: "answer again; safe to repeat" },
    {
      name: "status",
      method: "GET",
      description: "whether it is paused, and how many numbers and URIs are allowed",
    },
  ] as const
  for (const { name, method, description } of states) {
    verb(connector, act, {
      name,
      description,
      taskOf: (_, { pathOf }) => {
        const path = name === "status" ? pathOf("connector") : pathOf("connector", name)
        return {
          type: "show",
          noun: "connector",
          isShared: true,
          request: { method, path } satisfies ManagementRequest,
        }
      },
    })
  }
}
