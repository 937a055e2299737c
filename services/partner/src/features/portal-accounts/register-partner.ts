import { partnerApproved, partnerRegistered, type portalAccounts, portalUserCreated } from '@tandem/partner-contract';
import { hashPassword, verifyPassword } from '@tandem/passwords';
import { ApiError, fail, failField } from '@tandem/service';
import { isTaken } from '@tandem/tenant-db';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { recordFirstParent } from '../hierarchy/parent-change.ts';
import { checkFirstParent, lockHierarchy } from '../hierarchy/place.ts';
import { asPartner } from '../partners/partner.ts';
import { asPortalUser, portalUserEvent } from '../portal-users/portal-user.ts';
import { ensureCode } from '../referral-codes/make-code.ts';
import { recordFirstTier } from '../tiers/change-tier.ts';
import { answerKnown } from './answer-known.ts';
import { applicationLetter, autoApprovedLetter } from './application-letters.ts';
import { senderOf } from './letters.ts';
import { mailLink } from './portal-mail.ts';
import { limitRequests } from './request-limit.ts';

// The messages about applications that an address gets within an hour, of all tenants: anybody can enter any address.
const lettersPerHour = { failuresMax: 5, windowMs: 3_600_000 };

export const registerPartner =
  (tools: Tools): Handler<typeof portalAccounts.registerPartner> =>
  async ({ body, caller, inTenant }) => {
    const { tenant: tenantId, password, referralCode, acceptedTerms, ...person } = body;
    const { email } = person;
    const { environment, requestId } = caller;
    const scope = { tenantId, environment };
    await limitRequests({ kind: 'register', tenantId, email }, caller, tools);
    // Answers 404 if the tenant is not active.
    await inTenant(scope, async () => undefined);
    const settings = await tools.addonSettings({ ...scope, requestId }, 'partner_program');
    if (!settings || settings.openRegistration === false) throw fail('registration_closed');
    const { termsVersion, termsUrl, autoApprove = false } = settings;
    if (termsVersion !== undefined && acceptedTerms !== termsVersion)
      throw failField(
        'acceptedTerms',
        `Must be ${termsVersion}, the current version${termsUrl ? ` at ${termsUrl}` : ''}`,
      );
    const sender = senderOf(await tools.settingsOf({ ...scope, requestId }));
    const now = new Date();
    const terms = termsVersion === undefined ? {} : { termsVersion, termsAcceptedAt: now };
    // Both whether the address is in use or not, so that the response takes as long.
    const passwordHash = await hashPassword(password);
    const known = await inTenant(scope, ({ tx }) => tx.portalUser.findFirst({ where: { email } }));
    const hasPassword = await verifyPassword(known?.passwordHash ?? undefined, password);

    const mayMail = await countLetter(email, tools);
    const register = () =>
      inTenant({ ...scope, actor: { type: 'anonymous', name: email } }, async ({ tx, emit, schedule }) => {
        // Before the address is stored: the answer to an unknown code must not depend on it.
        if (referralCode) await lockHierarchy(tx);
        const parentPartnerId = referralCode ? await findRecruiter(tx, referralCode) : null;
        if (parentPartnerId !== null) await checkFirstParent(tx, parentPartnerId, 'referralCode');
        const approval = autoApprove && { status: 'approved', approvedAt: now };
        const row = await tx.partner.create({
          data: { ...person, ...terms, ...approval, emailKey: email.toLowerCase(), parentPartnerId },
        });
        const partner = asPartner(row);
        const partnerId = partner.id;
        const owner = await tx.portalUser.create({
          data: { partnerId, email, role: 'owner', passwordHash, createdBy: null },
        });
        if (autoApprove) await ensureCode(tx, partnerId);
        await recordFirstTier(tx, partner);
        await recordFirstParent(tx, partner);
        emit(partnerRegistered, { data: { partnerId, company: partner.company }, record: partner });
        if (autoApprove) emit(partnerApproved, { data: { partnerId }, record: partner });
        emit(portalUserCreated, portalUserEvent(asPortalUser(owner)));
        if (!mayMail) return;
        const letter = autoApprove ? autoApprovedLetter : applicationLetter;
        await mailLink({ tx, schedule }, owner, { purpose: 'application', sender, letter }, tools);
      });
    await register().catch(async (error: unknown) => {
      if (!isTaken(error)) throw error;
      const repeated = { email, sender, hasPassword, mayMail };
      await inTenant(scope, ({ tx, schedule }) => answerKnown({ tx, schedule }, repeated, tools));
    });
    return { accepted: true };
  };

/** The approved partner with a referral code, which is not secret. */
async function findRecruiter(tx: Tx, code: string): Promise<number> {
  const found = await tx.referralCode.findFirst({ where: { code }, select: { partnerId: true } });
  if (found) await tx.sql`SELECT id FROM partner WHERE id = ${found.partnerId} FOR SHARE`;
  const recruiter =
    found && (await tx.partner.findFirst({ where: { id: found.partnerId, status: 'approved' }, select: { id: true } }));
  if (!recruiter) throw failField('referralCode', 'Is not the code of an approved partner');
  return recruiter.id;
}

/** Counts a message to an address; whether it may be sent. */
async function countLetter(email: string, { limiter }: Pick<Tools, 'limiter'>): Promise<boolean> {
  try {
    await limiter.guard({ email: `portal letter to ${email}`, ip: '' }, async () => undefined, lettersPerHour);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'too_many_failures') return false;
    throw error;
  }
}
