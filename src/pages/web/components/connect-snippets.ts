/** What connects an agent to a connector: texts to copy into a terminal or into a program's settings. */

interface Snippet {
  readonly name: string
  readonly text: string
}

const CHECKOUT = "/path/to/curbline"

/** `host`: scheme and host of the connector. */
export function connectSnippets(host: string): readonly Snippet[] {
  const bridge = `npx --prefix ${CHECKOUT} curbline connect ${host}`
  const command = "npx"
  const args = ["--prefix", CHECKOUT, "curbline", "connect", host]
  const settings = (value: object): string => JSON.stringify(value, null, 2)
  return [
    { name: "Terminal", text: `npx curbline connect ${host}` },
    {
      name: "VS Code",
      text: settings({ servers: { "curbline-sandbox": { type: "stdio", command, args } } }),
    },
    { name: "Cursor", text: settings({ mcpServers: { "curbline-sandbox": { command, args } } }) },
    { name: "Claude Code", text: `claude mcp add curbline-sandbox -- ${bridge}` },
    { name: "Inspector", text: `npx @modelcontextprotocol/inspector ${bridge}` },
  ]
}
