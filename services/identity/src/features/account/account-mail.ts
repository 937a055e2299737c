import type { Schedule } from '@tandem/events';
import { type Letter, renderLetter, withoutLinks } from '@tandem/mail';
import { type ApiError, fail } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import type { Reader } from '../../letters.ts';

const dayMs = 86_400_000;

/** The transaction that a message belongs to. */
export interface Inside {
  tx: Tx;
  schedule: Schedule;
}

interface Sending {
  to: string;
  template: string;
  letter: Letter;
  kind?: 'account' | 'bulk';
  ref?: string;
  notAfter?: Date;
}

/**
 * The name, language and time zone for a letter. The tenant's settings are the default. Without an id, the reader is
 * not a user yet.
 */
export async function readerOf(tx: Tx, { id, firstName }: { id?: number; firstName: string }): Promise<Reader> {
  const tenant = await tx.tenant.findFirst({ where: {} });
  const own = id === undefined ? null : await tx.userPreference.findFirst({ where: { userId: id } });
  return {
    firstName: withoutLinks(firstName),
    tenantName: withoutLinks(tenant?.name ?? ''),
    locale: own?.locale ?? tenant?.locale ?? 'en',
    timezone: own?.timezone ?? tenant?.timezone ?? 'UTC',
    dateFormat: own?.dateFormat ?? null,
  };
}

const strangerLimit = { failuresMax: 10, windowMs: 3_600_000 };

/**
 * Limits the messages to an address that nobody has proven yet. Counted over all tenants: each of them has its own limit,
 * and sign-up is open to everybody.
 * @throws ApiError 429 if the address was sent ten within an hour
 */
export async function limitMailTo(email: string, { limiter }: Pick<Tools, 'limiter'>): Promise<void> {
  await limiter.guard({ email: `mail to ${email}`, ip: '' }, async () => undefined, strangerLimit);
}

/** The error for a tenant that has reached its limit of messages, which are counted by day in UTC. */
export function mailLimit(): ApiError {
  const now = Date.now();
  const tomorrow = Math.ceil((now + 1) / dayMs) * dayMs;
  return fail('mail_limit', [], { retryAfter: (tomorrow - now) / 1_000 });
}

/**
 * Queues a letter to one person.
 * @param message.notAfter when the letter becomes useless, such as when its link expires
 * @returns false if the tenant has reached its limit of messages
 */
export function sendLetter(
  inside: Inside,
  { mail }: Pick<Tools, 'mail'>,
  { to, template, letter, kind = 'account', ref, notAfter }: Sending,
): Promise<boolean> {
  const content = renderLetter(letter);
  return mail(inside, [{ kind, to, template, content, ...(ref && { ref }), ...(notAfter && { notAfter }) }]);
}
