import type { accountPages } from '@tandem/identity-contract';
import { formPage } from '../../account-page.ts';
import type { Handler } from '../../handler.ts';

export const showResetPasswordPage: Handler<typeof accountPages.showResetPasswordPage> = async ({ query }) =>
  formPage({
    title: 'Choose a new password',
    text: 'At least 8 characters; a long phrase is best. All your sessions end.',
    action: '/v1/auth/password/reset',
    token: query.token ?? '',
    fields: [{ name: 'new', label: 'New password', type: 'password', autocomplete: 'new-password' }],
    button: 'Set password',
  });
