import { type Plan, planCodes, planFeatures, plans } from '@tandem/contract';

/** The introduction of the API reference, in Markdown. */
export const introduction = `
Tandem manages leads, partners and campaigns for many companies. Each company is a tenant with its own data. The API
speaks JSON over HTTPS; every path starts with \`/v1\`.

## Send a first request

    curl "$BASE_URL/v1/leads" \\
      -H "X-API-Key: $API_KEY" \\
      -H "Content-Type: application/json" \\
      -d '{
        "email": "ada@example.com",
        "firstName": "Ada",
        "lastName": "Lovelace"
      }'

Every operation has samples for curl, JavaScript and Python. They read the address and the credentials from the
environment variables \`BASE_URL\` and \`API_KEY\`, or \`ACCESS_TOKEN\` and \`TENANT_ID\`.

## Authentication

Integrations send an **API key** in \`X-API-Key\`. A key belongs to one tenant and one environment. Keep it on your
server: never put it into a web page or an app. Users sign in at \`POST /v1/auth/login\` and send the **access token**
as \`Authorization: Bearer …\` with the id of the tenant in \`X-Tenant-Id\`. Send an API key or an access token, not
both. A caller has permissions such as \`leads:write\`; each operation names the ones it requires. A key with
\`users:act_as\` can act on behalf of a user with \`X-On-Behalf-Of\`; the audit log then records both users.

## Live and sandbox

Each tenant has two separate data sets. A key starts with \`svc_live_sk_\` or \`svc_sandbox_sk_\` and accesses one of
them; with an access token, \`X-Environment: sandbox\` selects the sandbox. If \`X-Environment\` does not match the
key, the request fails with 400. Calls in the sandbox do not count towards the monthly quota. The tenant, its users,
roles and keys are shared by both environments: a sandbox key can read them, but only a live key or a signed-in user
can change them.

## Responses

Every response has the same envelope: \`success\`, \`status\`, \`message\`, \`data\` and \`meta\`. New fields can
appear at any time; ignore fields that you do not know. **Ids** are opaque strings of letters and digits. Where a
request takes an id, you can add its type as a prefix (\`lead_khzasVT5ZxaVtyRs\`). **Times** are ISO 8601 in UTC.
**Amounts** are in major units of their currency. Records have a \`version\`, with which their \`ETag\` begins: send the
ETag as \`If-Match\` so that you do not overwrite another client's change, and as \`If-None-Match\` to read a record only
if it changed.

## Lists

\`page\` and \`limit\` (at most 100) select a page. To read a whole list, send \`pagination.nextCursor\` as \`cursor\`
until it is null: you get every record exactly once, even while records are created and deleted. \`sort=-createdAt\`
returns the newest records first. Totals above 10,000 are estimates; \`pagination.totalIsEstimate\` is then true.
Unknown query parameters and fields are ignored and listed in \`meta.warnings\`, also if the request fails validation. A
request with more than 100 query parameters fails with 422.

## Errors

An error has \`success: false\`, a human-readable \`message\` and a machine-readable \`code\`. If fields caused it,
\`errors\` names each of them. Requests for records of other tenants fail with 404. Every response has an
\`X-Request-Id\`; include it when you contact support. An unknown path fails with 404, and a method that a path does
not support with 405. Requests that violate HTTP are rejected before they reach an operation: 400, 408 when the
request arrives too slowly, 414, 417 and 431. If an operation does not accept a body, the body is ignored.

## Idempotency

Send an \`Idempotency-Key\` with every POST. If you get no response, you can then retry the request without running it
twice: for 24 hours you get the first response again, marked \`Idempotent-Replayed: true\`. After 429 and 503, wait
for the time in \`Retry-After\`.

## Plans and rate limits

| Plan | Calls per month | Calls per minute | Burst | Features, beside those above |
|---|---|---|---|---|
${planCodes.map(planLine).join('\n')}

Calls with API keys count against the limits of the tenant. The limit per minute applies to each tenant, and to each IP
address within it (for IPv6, each /64 network). Each signed-in person has ${plans.free.person.ratePerMinute} calls per
minute of their own, with a burst of ${plans.free.person.burst}, which do not count towards the monthly quota. The
\`RateLimit-*\` headers show the remaining requests; requests above limit and burst fail with 429. An operation that needs a feature which neither your plan nor an addon
includes fails with 403 and the code \`feature_not_available\`. What you have created stays readable.

## Webhooks

Register a webhook to receive events. Each delivery is signed: verify the signature with the secret of your webhook
before you use the event, for example with a library from [Standard Webhooks](https://www.standardwebhooks.com). An
event can arrive more than once, with the same \`webhook-id\`, and events can arrive out of order. \`data.sequence\`
rises with each event of a record: remember the highest number of each record, and ignore the state that an event with a
lower one reports. The \`filter\` of a webhook limits which events it receives.
`.trim();

function planLine(code: Plan, index: number): string {
  const { name, monthlyCalls, ratePerMinute, burst } = plans[code];
  const lower = planCodes[index - 1];
  const added = planFeatures[code].filter((feature) => !lower || !planFeatures[lower].includes(feature));
  return `| ${name} | ${[monthlyCalls, ratePerMinute, burst].map(agreed).join(' | ')} | ${added.map((feature) => `\`${feature}\``).join(', ')} |`;
}

function agreed(limit: number | null): string {
  return limit === null ? 'custom' : limit.toLocaleString('en');
}
