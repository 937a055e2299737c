import { id, operations } from '@tandem/contract';
import { z } from 'zod';
import { Lead, leadConverted, leadCreated, leadUpdated } from './lead.ts';
import { Opportunity, opportunityCreated } from './opportunity.ts';

/** Deals that partners have registered, for the partner service. */
export const internalRegisteredDeals = operations({
  openRegisteredDeal: {
    method: 'POST',
    path: '/internal/opportunities/open-registered',
    audience: 'internal',
    summary: 'Create the opportunity of a deal registration, and its lead unless there is one with the address',
    description:
      'A repeated request returns the lead and the opportunity of the first one. A lead that exists keeps its values, and its conversion if it has one. New records may lack fields that are required otherwise, because the partner was not asked for them.',
    body: z.object({
      dealRegistrationId: id('deal_registration'),
      partnerId: id('partner'),
      /** The acting user by default; null for nobody. */
      ownerId: id('user').nullish(),
      contact: Lead.pick({ email: true, firstName: true, lastName: true, phone: true }),
      deal: Opportunity.pick({ name: true, expectedCloseAt: true, notes: true }).extend({
        value: Opportunity.shape.value.nullable(),
        /** The default currency of the owner or the tenant by default. */
        currency: Opportunity.shape.currency.nullable(),
      }),
    }),
    reply: z.object({ leadId: id('lead'), opportunityId: id('opportunity') }),
    message: 'Deal opened',
    emits: [leadCreated, leadUpdated, leadConverted, opportunityCreated],
  },
});
