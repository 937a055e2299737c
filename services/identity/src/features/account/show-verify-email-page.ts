import type { accountPages } from '@tandem/identity-contract';
import { formPage } from '../../account-page.ts';
import type { Handler } from '../../handler.ts';

export const showVerifyEmailPage: Handler<typeof accountPages.showVerifyEmailPage> = async ({ query }) =>
  formPage({
    title: 'Confirm your e-mail address',
    text: 'Confirm that you received the message at your address.',
    action: '/v1/auth/email/verify',
    token: query.token ?? '',
    button: 'Confirm address',
  });
