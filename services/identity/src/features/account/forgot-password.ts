import { type account, userPasswordResetRequested } from '@tandem/identity-contract';
import type { Context } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { tenantsOfAddress } from '../auth/tenants-of-address.ts';
import { readerOf, sendLetter } from './account-mail.ts';
import { issueLink, secondsToNextLink } from './account-token.ts';
import { passwordResetLetter } from './letters.ts';

type InTenant = Context<typeof account.forgotPassword, Tx>['inTenant'];

export const forgotPassword =
  (tools: Tools): Handler<typeof account.forgotPassword> =>
  async ({ body: { email, tenantId }, caller, tx, inTenant }) => {
    // Every request counts as a failure: five a minute for one address from one client.
    await tools.limiter.guard({ email: `forgot ${email}`, ip: caller.ip ?? '' }, async () => undefined);
    const tenantIds = await tenantsOfAddress(tx, { email, tenantId }, tools);
    // Not awaited: the response must not take longer for an address that is known.
    for (const id of tenantIds) tools.inBackground(() => sendResetLink(inTenant, { tenantId: id, email }, tools));
    return { accepted: true };
  };

async function sendResetLink(
  inTenant: InTenant,
  { tenantId, email }: { tenantId: number; email: string },
  tools: Tools,
): Promise<void> {
  const scope = { tenantId, environment: 'live' as const };
  const user = await inTenant(scope, ({ tx }) =>
    tx.user.findFirst({ where: { email, status: 'active' }, include: { tenant: true } }),
  );
  if (user?.tenant.status !== 'active') return;
  // Anybody may ask for a link, so the event has the anonymous caller as its actor, and the user as its target.
  await inTenant(scope, async ({ tx, emit, schedule }) => {
    await tx.sql`SELECT id FROM "user" WHERE id = ${user.id} FOR UPDATE`;
    if ((await secondsToNextLink(tx, user.id, 'password_reset')) !== undefined) return;
    const link = await issueLink(tx, { tenantId, userId: user.id, purpose: 'password_reset', email }, tools);
    const letter = passwordResetLetter(await readerOf(tx, user), link);
    const message = { to: email, template: 'password_reset', letter, notAfter: link.expiresAt };
    if (await sendLetter({ tx, schedule }, tools, message))
      emit(userPasswordResetRequested, { data: { userId: user.id }, record: { id: user.id } });
  });
}
