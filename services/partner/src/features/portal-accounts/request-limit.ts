import type { Caller } from '@tandem/caller';
import type { Tools } from '../../handler.ts';

// More than the people behind one address of a company need within a minute.
const perClient = { failuresMax: 30, windowMs: 60_000 };
// However many clients ask: strangers must not fill the mailbox of somebody.
const perAddress = { failuresMax: 20, windowMs: 3_600_000 };

interface Request {
  kind: string;
  tenantId: number;
  email: string;
}

/**
 * Limits requests of people who are not signed in. Each counts as a failure: five a minute for one address from one client,
 * 30 a minute from one client, and 20 an hour for one address.
 * @throws ApiError 429 beyond that
 */
export async function limitRequests(
  { kind, tenantId, email }: Request,
  { ip }: Pick<Caller, 'ip'>,
  { limiter }: Pick<Tools, 'limiter'>,
): Promise<void> {
  const count = async () => undefined;
  const who = `portal ${kind} ${tenantId} ${email}`;
  await limiter.guard({ email: who, ip: ip ?? '' }, count);
  if (ip !== undefined) await limiter.guard({ email: `portal ${kind} of client`, ip }, count, perClient);
  await limiter.guard({ email: `${who} of all clients`, ip: '' }, count, perAddress);
}
