import type { invitations } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { findOffer } from './find-offer.ts';

export const getInvitationOffer =
  (tools: Tools): Handler<typeof invitations.getInvitationOffer> =>
  async ({ params, inTenant }) => {
    const offer = await findOffer(params.token, inTenant, tools);
    if (!offer) throw fail('not_found');
    return offer;
  };
