import { exportPage, id, operations, rebuildPage } from '@tandem/contract';
import { z } from 'zod';
import { commissionCancelled, commissionEarned } from './commissions.ts';
import { Partner } from './partners.ts';
import { referralAttributed } from './referrals.ts';

const laterFields = {
  tierLocked: true,
  tierGraceUntil: true,
  planId: true,
  statusReason: true,
  statusChangedAt: true,
  termsVersion: true,
  termsAcceptedAt: true,
  emailConfirmedAt: true,
} as const;

/** Exports all records of the tenant, for services that keep a copy. */
export const internalPartners = operations({
  exportPartners: {
    method: 'POST',
    path: '/internal/partners/export',
    audience: 'internal',
    summary: 'Export partners with ids greater than `after`',
    // Absent in earlier releases.
    ...exportPage('partner', Partner.partial(laterFields), {}),
    message: 'Partners exported',
    emits: [],
  },
});

/** Maximum number of ids in a `findPartners` request. */
export const foundPartnersMax = 500;

/** Partners of the caller's tenant, for services that store a partner's id. */
export const internalPartnerLookup = operations({
  findPartner: {
    method: 'GET',
    path: '/internal/partners/:id',
    audience: 'internal',
    summary: 'Retrieve a partner of the tenant with any status',
    params: z.object({ id: id('partner') }),
    reply: Partner.pick({ id: true, status: true }),
    message: 'Partner retrieved',
  },
  findPartners: {
    method: 'POST',
    path: '/internal/partners/find',
    audience: 'internal',
    summary: 'Retrieve partners of the tenant by id, with any status',
    body: z.object({
      ids: z.array(id('partner')).max(foundPartnersMax, `Must contain at most ${foundPartnersMax} ids`),
    }),
    // Tier and address are absent in earlier releases.
    reply: z.array(
      Partner.pick({ id: true, status: true, firstName: true, lastName: true }).extend({
        tier: Partner.shape.tier.nullish(),
        email: Partner.shape.email.nullish(),
      }),
    ),
    message: 'Partners retrieved',
    emits: [],
  },
});

/** Counts for the badges of the acting user. */
export const internalApplicationCounts = operations({
  countPartnerApplications: {
    method: 'GET',
    path: '/internal/partners/applications/count',
    audience: 'internal',
    summary: 'Count the partners that wait for an approval; null without permission',
    reply: z.object({ pending: z.int() }).nullable(),
    message: 'Applications counted',
  },
});

/** Parts of the rebuild of referrals: those of leads with a code, then the deals that wait for a referral or earned. */
export const referralParts = ['leads', 'deals'] as const;

/** For operators: `npm run admin -- rebuild referrals`. */
export const internalRebuilds = operations({
  rebuildReferrals: {
    method: 'POST',
    path: '/internal/partners/referrals/rebuild',
    audience: 'internal',
    summary: 'Handle one page of leads or won deals of crm, as if their events arrived now',
    ...rebuildPage(referralParts),
    message: 'Referrals rebuilt',
    emits: [referralAttributed, commissionEarned, commissionCancelled],
  },
});
