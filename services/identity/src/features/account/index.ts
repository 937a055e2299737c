import type { account, accountPages } from '@tandem/identity-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { changeOwnEmail } from './change-own-email.ts';
import { changeOwnPassword } from './change-own-password.ts';
import { forgotPassword } from './forgot-password.ts';
import { requestEmailVerification } from './request-email-verification.ts';
import { resetPassword } from './reset-password.ts';
import { setUserPassword } from './set-user-password.ts';
import { showResetPasswordPage } from './show-reset-password-page.ts';
import { showVerifyEmailPage } from './show-verify-email-page.ts';
import { verifyEmail } from './verify-email.ts';

export const accountHandlers = (tools: Tools) =>
  ({
    forgotPassword: forgotPassword(tools),
    resetPassword: resetPassword(tools),
    changeOwnPassword: changeOwnPassword(tools),
    setUserPassword: setUserPassword(tools),
    verifyEmail: verifyEmail(tools),
    requestEmailVerification: requestEmailVerification(tools),
    changeOwnEmail: changeOwnEmail(tools),
    showResetPasswordPage: showResetPasswordPage(tools),
    showVerifyEmailPage: showVerifyEmailPage(tools),
  }) satisfies Handlers<typeof account & Omit<typeof accountPages, 'showInvitationPage'>, Tx>;
