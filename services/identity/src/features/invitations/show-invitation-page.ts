import { type accountPages, passwordLengthMin } from '@tandem/identity-contract';
import { formPage } from '@tandem/pages';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { signInLink } from '../../sign-in-link.ts';
import { findOffer } from './find-offer.ts';

export const showInvitationPage =
  (tools: Tools): Handler<typeof accountPages.showInvitationPage> =>
  async ({ params: { token }, inTenant }) => {
    const offer = await findOffer(token, inTenant, tools);
    if (!offer) throw fail('link_expired');
    const { tenantName, invitedBy, email, status } = offer;
    if (status !== 'pending') throw fail('invitation_closed');
    return formPage({
      title: `Join ${tenantName}`,
      text: `${invitedBy} invites ${email}. Choose a password of at least ${passwordLengthMin} characters; a long phrase is best.`,
      action: `/v1/auth/invitations/${encodeURIComponent(token)}/accept`,
      fields: [
        { name: 'firstName', label: 'First name', type: 'text', autocomplete: 'given-name' },
        { name: 'lastName', label: 'Last name', type: 'text', autocomplete: 'family-name' },
        {
          name: 'password',
          label: 'Password',
          type: 'password',
          autocomplete: 'new-password',
          minLength: passwordLengthMin,
        },
      ],
      button: 'Accept the invitation',
      next: signInLink(tools),
    });
  };
