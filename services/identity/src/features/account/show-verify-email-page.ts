import type { accountPages } from '@tandem/identity-contract';
import { formPage, noticePage } from '@tandem/pages';
import type { Handler, Tools } from '../../handler.ts';
import { signInLink } from '../../sign-in-link.ts';
import { peekLink } from './account-token.ts';

export const showVerifyEmailPage =
  (tools: Tools): Handler<typeof accountPages.showVerifyEmailPage> =>
  async ({ query: { token }, inTenant }) => {
    const next = signInLink(tools);
    if (!token) return noticePage({ ...noLink, next });
    const link = await peekLink({ token, purposes: ['email_verification', 'email_change'], inTenant }, tools);
    if (!link || link.user.status === 'deactivated') return noticePage({ ...oldLink, next });
    const isTheirs = link.user.email === link.email;
    // Only a recipient of the message has the token, so the page may tell them the state of their address.
    if (isTheirs && link.user.emailVerifiedAt) return noticePage({ ...done, next });
    if (link.usedAt || (link.purpose === 'email_verification' && !isTheirs)) return noticePage({ ...oldLink, next });
    return formPage({
      title: 'Confirm your e-mail address',
      text: 'Confirm that you received the message at your address.',
      action: '/v1/auth/email/verify',
      token,
      button: 'Confirm address',
      next,
    });
  };

const noLink = {
  title: 'This link is not complete',
  text: 'Open the link of the message again, or sign in and ask for a new one.',
};
const oldLink = {
  title: 'This link does not work any more',
  text: 'It was used, replaced or has expired. Sign in and ask for a new one.',
};
const done = { title: 'Your e-mail address is confirmed', text: 'There is nothing left to do.' };
