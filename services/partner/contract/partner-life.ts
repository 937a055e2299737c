import { event, id, operations, requiredText, sharedErrors } from '@tandem/contract';
import { z } from 'zod';
import { Partner, StatusNote } from './partners.ts';

const withId = z.object({ id: id('partner') });
const { transition_refused } = sharedErrors;

/** A partner for those who manage it. */
export const PartnerWithNote = Partner.extend({
  statusNote: StatusNote.meta({
    description: 'The note about the status, for users with the permission `partners:manage` only',
    examples: [null],
  }),
});

/** The choice for the unpaid commissions of a terminated partner. */
export const UnpaidCommissions = z
  .enum(['pay', 'forfeit'])
  .describe('Whether the unpaid commissions are paid or cancelled');

const change = {
  target: 'partner',
  data: z.object({ partnerId: id('partner'), reason: Partner.shape.statusReason }),
  record: Partner,
} as const;

export const partnerRejected = event('partner.rejected', {
  ...change,
  description: 'The application of a partner is rejected',
  action: 'partner.reject',
});
export const partnerReapplied = event('partner.reapplied', {
  ...change,
  description: 'A rejected partner is pending again',
  action: 'partner.reapply',
});
export const partnerSuspended = event('partner.suspended', {
  ...change,
  description: 'A partner is suspended',
  action: 'partner.suspend',
});
export const partnerReactivated = event('partner.reactivated', {
  ...change,
  description: 'A suspended partner is approved again',
  action: 'partner.reactivate',
});
export const partnerTerminated = event('partner.terminated', {
  ...change,
  description: 'The partnership with a partner is ended for good',
  action: 'partner.terminate',
  data: change.data.extend({ unpaid: UnpaidCommissions }),
});
export const partnerDeleted = event('partner.deleted', {
  ...change,
  description: 'A partner without history is deleted',
  action: 'partner.delete',
  data: z.object({ partnerId: id('partner') }),
});

const reason = requiredText(200).meta({ description: 'Why the status changes', examples: ['Misleading advertising'] });
const note = requiredText(2_000)
  .nullish()
  .meta({
    description: 'A note for users with the permission `partners:manage`; neither events nor the portal show it',
    examples: ['See the mail of May 4'],
  });
const because = z.object({ reason, note });

const row = {
  method: 'POST',
  permission: 'partners:manage',
  params: withId,
  reply: PartnerWithNote,
  errors: { transition_refused },
} as const;
const changedAt = '2026-03-05T10:00:00.000Z';
const given = {
  statusReason: 'Misleading advertising',
  statusNote: 'See the mail of May 4',
  statusChangedAt: changedAt,
};

export const partnerLife = operations({
  rejectPartner: {
    ...row,
    path: '/v1/partners/:id/reject',
    summary: 'Reject a partner',
    description:
      'Rejects a pending partner, who is told by mail, without the reason. A rejected partner can apply again: by the public form, whose mail to the owner has a link that reopens the application, or by `/reapply`.',
    body: because,
    example: { status: 'rejected', allowedTransitions: ['pending'], ...given },
    message: 'Partner rejected',
    emits: [partnerRejected],
  },
  reapplyPartner: {
    ...row,
    path: '/v1/partners/:id/reapply',
    summary: 'Reopen the application of a partner',
    description: 'Makes a rejected partner pending again, and tells the partner by mail.',
    example: { statusChangedAt: changedAt },
    message: 'Application reopened',
    emits: [partnerReapplied],
  },
  suspendPartner: {
    ...row,
    path: '/v1/partners/:id/suspend',
    summary: 'Suspend a partner',
    description:
      'Suspends an approved partner until it is reactivated. The sessions of its portal users end, they cannot sign in, and leads are no longer attributed to the partner. Its unpaid commissions are put on hold, except those of a payout that is being processed.',
    body: because,
    example: { status: 'suspended', allowedTransitions: ['approved', 'terminated'], ...given },
    message: 'Partner suspended',
    emits: [partnerSuspended],
  },
  reactivatePartner: {
    ...row,
    path: '/v1/partners/:id/reactivate',
    summary: 'Reactivate a partner',
    description:
      'Approves a suspended partner again. Its tier is evaluated afterwards, and the commissions that the suspension has put on hold are pending again.',
    example: { status: 'approved', allowedTransitions: ['suspended', 'terminated'], statusChangedAt: changedAt },
    message: 'Partner reactivated',
    emits: [partnerReactivated],
  },
  terminatePartner: {
    ...row,
    path: '/v1/partners/:id/terminate',
    summary: 'Terminate a partner',
    description:
      'Ends the partnership for good, of an approved or suspended partner. The sessions of its portal users end, they cannot sign in, and leads are no longer attributed to the partner. With `pay`, its pending commissions are approved for the next payout, except those that a person has put on hold; with `forfeit`, all unpaid ones are cancelled, and it gets no further payment. A payment that was started before is not stopped: report it as failed unless the bank has made it. Its history is kept.',
    body: because.extend({ unpaid: UnpaidCommissions }),
    example: { status: 'terminated', allowedTransitions: [], ...given },
    message: 'Partner terminated',
    emits: [partnerTerminated],
  },
  deletePartner: {
    method: 'DELETE',
    path: '/v1/partners/:id',
    permission: 'partners:manage',
    summary: 'Delete a partner',
    description:
      'Permanently deletes a partner without history, with its referral codes and portal users. Terminate a partner with recruits, referrals or commissions instead.',
    params: withId,
    reply: z.object({ id: id('partner'), deleted: z.literal(true).describe('Always true') }),
    message: 'Partner deleted',
    emits: [partnerDeleted],
    errors: {
      partner_in_use: [409, 'The partner has recruits, referrals or commissions; terminate it instead'],
    },
  },
});
