import { actingUserId, type Caller } from '@tandem/caller';
import type { FieldError } from '@tandem/contract';
import { hiddenValue, Webhook } from '@tandem/integrations-contract';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import { catalogued, isSubscribable, missingFor } from '../../catalogue.ts';
import { Prisma, type Webhook as WebhookRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';

export type WebhookRecord = z.output<typeof Webhook>;

const columns = Webhook.pick({ environment: true, disabledReason: true, filter: true });

/** Converts a row to the contract's `Webhook`, without secrets. */
export function asWebhook(row: WebhookRow): WebhookRecord {
  const customHeaders = Object.fromEntries(row.customHeaderNames.map((name) => [name, hiddenValue] as const));
  const authorizedBy = authorizerOf(row);
  return { ...row, ...columns.parse(row), customHeaders, authorizedBy };
}

/** The value of the column `filter`: for Prisma, null in a JSON column has a name of its own. */
export function toFilterColumn(filter: WebhookRecord['filter']) {
  return filter === null ? Prisma.DbNull : (filter as Prisma.InputJsonObject);
}

/** The user whose permissions limit which events are delivered. */
export function authorizerOf({ authorizedBy, createdBy }: Pick<WebhookRow, 'authorizedBy' | 'createdBy'>) {
  return authorizedBy ?? createdBy;
}

/**
 * The user who authorizes the deliveries of a webhook, and the permissions of the credential. A key may have fewer
 * permissions than its user; deliveries require both. The permissions are sorted so that equal sets compare as equal.
 */
export function authorizationOf(caller: Caller) {
  return { authorizedBy: actingUserId(caller) ?? null, authorizedPermissions: [...new Set(caller.permissions)].sort() };
}

/**
 * Fails if the caller may not read the records of the events.
 * @param field the field of the request that names them
 */
export function checkMayReceive({ permissions }: Caller, patterns: readonly string[], field = 'events'): void {
  const errors = patterns.flatMap((pattern, index) => {
    const missing = missingFor(pattern, permissions);
    const message = `Requires ${missing.join(', ')}, not narrowed to own or team records`;
    return missing.length ? [{ field: `${field}.${index}`, message }] : [];
  });
  if (errors.length) throw fail('forbidden', errors);
}

/** Finds a webhook that is not deleted and that the caller may access. */
export async function findWebhook(tx: Tx, id: number): Promise<WebhookRow> {
  const row = await tx.webhook.findFirst({ where: { id, deletedAt: null } });
  if (!row) throw fail('not_found');
  return row;
}

/** Locks the webhook, so that checks on it still hold when it is written. */
export async function lockWebhook(tx: Tx, id: number): Promise<WebhookRow> {
  await tx.sql`SELECT id FROM webhook WHERE id = ${id} FOR UPDATE`;
  return findWebhook(tx, id);
}

/** Writes changes by a caller as the next version. */
export async function writeWebhook(
  tx: Tx,
  id: number,
  data: Parameters<Tx['webhook']['updateManyAndReturn']>[0]['data'],
): Promise<WebhookRow> {
  const [row] = await tx.webhook.updateManyAndReturn({
    where: { id },
    data: { ...data, updatedAt: new Date(), version: { increment: 1 } },
  });
  if (!row) throw fail('not_found');
  return row;
}

/** Fails for a URL that deliveries must not be sent to, and for events that are not in the catalogue. */
export async function checkUrlAndEvents(
  { target }: Tools,
  input: { url?: string; events?: string[] },
  environment: string,
): Promise<void> {
  const urlError = input.url === undefined ? undefined : await target.resolvedUrlError(input.url, environment);
  const errors: FieldError[] = [
    ...(urlError ? [{ field: 'url', message: urlError }] : []),
    ...patternErrors(input.events ?? []),
  ];
  if (errors.length) throw fail('validation_failed', errors);
}

/** The errors of patterns that name no event of the catalogue. */
export function patternErrors(patterns: readonly string[], field = 'events'): FieldError[] {
  return patterns.flatMap((pattern, index) =>
    isSubscribable(pattern) ? [] : [{ field: `${field}.${index}`, message: unknownEvent }],
  );
}

const unknownEvent = `Must be *, an event name (${catalogued.map(({ name }) => name).join(', ')}), or a resource followed by .* such as lead.*`;
