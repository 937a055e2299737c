import { plans } from '@tandem/contract';

/** What a reader should know before the first request; Markdown. */
export const introduction = `
Tandem keeps the leads, partners and campaigns of many companies, each in a tenant of its own. Everything is JSON over
HTTPS; every path begins with \`/v1\`.

## A first request

    curl "$BASE_URL/v1/leads" \\
      -H "X-API-Key: $API_KEY" \\
      -H "Content-Type: application/json" \\
      -d '{
        "email": "ada@example.com",
        "firstName": "Ada",
        "lastName": "Lovelace"
      }'

## Who is calling

Programs send an **API key** in \`X-API-Key\`. The key belongs to one tenant and one environment and is a secret of your
server: never put it into a page or an app. People sign in at \`POST /v1/auth/login\` and send the **access token** as
\`Authorization: Bearer …\` with the tenant's id in \`X-Tenant-Id\`. Send one of the two, not both. What a caller may do is a
list of permissions such as \`leads:write\`; each operation names those it needs. A key with \`users:act_as\` can act for
a user by \`X-On-Behalf-Of\`; the audit log then shows both.

## Live and sandbox

Each tenant has two separate sets of data. A key begins with \`svc_live_sk_\` or \`svc_sandbox_sk_\` and sees one of them;
with a Bearer token \`X-Environment: sandbox\` chooses. An \`X-Environment\` that contradicts the key is refused with 400.
Calls in the sandbox do not count towards the monthly quota.
Tenant, users, roles and keys exist once for both: a sandbox key reads them, and only a live key or a person changes them.

## Answers

Every answer has the same outer form: \`success\`, \`status\`, \`message\`, \`data\` and \`meta\`. New fields may appear at any
time; ignore those you do not know. **Ids** are strings of letters and digits: keep them as they are and read nothing
into them. Where an id is expected, its type may stand before it (\`lead_k3VqPz81RtLm0WcY\`). **Times** are ISO 8601 in
UTC. Records carry a \`version\`, which is also their \`ETag\`: send it back as \`If-Match\` and nobody's change is lost.

## Lists

\`page\` and \`limit\` (at most 100) read a list by pages. To walk through all of it, send \`pagination.nextCursor\` as
\`cursor\` until it is null: the walk stays right while records come and go. \`sort=-createdAt\` puts the newest first.
Totals above 10,000 are estimates and say so in \`pagination.totalIsEstimate\`. Query parameters that an operation does not
have are ignored and named in \`meta.warnings\`.

## Errors

An error has \`success: false\`, a \`message\` for people and a \`code\` for programs; where fields are at fault, \`errors\`
names each. Records of other tenants do not exist for you: they answer 404. Every answer carries \`X-Request-Id\`; name it
when you ask for help. A path that does not exist answers 404, a method that it does not have 405. What HTTP itself forbids is refused
before any operation: 400, 408 when the request arrives too slowly, 414, 417 and 431. A body sent to an operation that
takes none is ignored.

## Sending again

Send an \`Idempotency-Key\` with every POST, and a request that got no answer can be sent again without doing its work
twice: within 24 hours the first answer is given again, marked \`Idempotent-Replayed: true\`. After 429 and 503 wait for
\`Retry-After\`.

## Limits

| Plan | Calls a month | Calls a minute | Burst |
|---|---|---|---|
${Object.values(plans)
  .map(
    (plan) => `| ${plan.name} | ${agreed(plan.monthlyCalls)} | ${agreed(plan.ratePerMinute)} | ${agreed(plan.burst)} |`,
  )
  .join('\n')}

The minute limit holds per tenant, and per address within it (with IPv6 per network, a /64). \`RateLimit-*\` headers say
what is left; beyond limit and burst the answer is 429.

## Events

Register a webhook to be told what happens. Each delivery is signed; verify it with your webhook's secret before you
read it, for instance with a library of [Standard Webhooks](https://www.standardwebhooks.com). An event may arrive twice,
with the same \`webhook-id\`, and events may arrive out of order: \`createdAt\` sorts them.
`.trim();

function agreed(limit: number | null): string {
  return limit === null ? 'as agreed' : limit.toLocaleString('en');
}
