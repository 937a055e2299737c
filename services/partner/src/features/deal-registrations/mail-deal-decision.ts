import type { Letter } from '@tandem/mail';
import type { Tools } from '../../handler.ts';
import { type Inside, mailLetter } from '../portal-accounts/portal-mail.ts';
import { withPassword } from '../portal-users/portal-user.ts';
import type { StoredDeal } from './deal-registration.ts';

const recipientsMax = 20;

/** Mails the owners of a partner, and the portal user who submitted a registration, how it was decided. */
export async function mailDealDecision(
  inside: Inside,
  { partnerId, submittedByPortalUserId }: StoredDeal,
  { template, letter }: { template: string; letter: Letter },
  { mail }: Pick<Tools, 'mail'>,
): Promise<void> {
  const submitter = submittedByPortalUserId === null ? [] : [{ id: submittedByPortalUserId }];
  const users = await inside.tx.portalUser.findMany({
    where: { partnerId, ...withPassword, OR: [{ role: 'owner' }, ...submitter] },
    select: { email: true },
    orderBy: { id: 'asc' },
    take: recipientsMax,
  });
  for (const { email: to } of users) await mailLetter(inside, { to, template, letter }, { mail });
}
