import type { invitations } from '@tandem/identity-contract';
import type { Handler, Tools } from '../../handler.ts';
import { findOffer } from './find-offer.ts';

export const getInvitationOffer =
  (tools: Tools): Handler<typeof invitations.getInvitationOffer> =>
  ({ params, inTenant }) =>
    findOffer(params.token, inTenant, tools);
