import { type accountPages, passwordLengthMin } from '@tandem/identity-contract';
import { formPage } from '@tandem/pages';
import type { Handler, Tools } from '../../handler.ts';
import { signInLink } from '../../sign-in-link.ts';
import { peekLink } from './account-token.ts';

export const showResetPasswordPage =
  (tools: Tools): Handler<typeof accountPages.showResetPasswordPage> =>
  async ({ query: { token }, inTenant }) => {
    if (!token) return requestPage(noLink);
    const link = await peekLink({ token, purposes: ['password_reset'], inTenant }, tools);
    if (!link || link.usedAt || link.user.status !== 'active') return requestPage(oldLink);
    return formPage({
      title: 'Choose a new password',
      text: `At least ${passwordLengthMin} characters; a long phrase is best. All your sessions end.`,
      action: '/v1/auth/password/reset',
      token,
      fields: [
        {
          name: 'new',
          label: 'New password',
          type: 'password',
          autocomplete: 'new-password',
          minLength: passwordLengthMin,
        },
      ],
      button: 'Set password',
      next: signInLink(tools),
    });
  };

const oldLink = {
  title: 'This link does not work any more',
  text: 'It was used or has expired. Enter your e-mail address to get a new one.',
};
const noLink = { title: 'Reset your password', text: 'Enter your e-mail address to get a link.' };

function requestPage(texts: { title: string; text: string }) {
  return formPage({
    ...texts,
    action: '/v1/auth/password/forgot',
    fields: [{ name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'email' }],
    button: 'Send a link',
  });
}
