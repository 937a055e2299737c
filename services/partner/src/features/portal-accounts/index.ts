import type { portalAccounts, portalPages } from '@tandem/partner-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { confirmApplication } from './confirm-application.ts';
import { forgotPortalPassword } from './forgot-portal-password.ts';
import { registerPartner } from './register-partner.ts';
import { requestMagicLink } from './request-magic-link.ts';
import { resetPortalPassword } from './reset-portal-password.ts';
import { showPortalApplicationPage } from './show-portal-application-page.ts';
import { showPortalInvitationPage } from './show-portal-invitation-page.ts';
import { showPortalPasswordPage } from './show-portal-password-page.ts';
import { showPortalSignInPage } from './show-portal-sign-in-page.ts';
import { verifyMagicLink } from './verify-magic-link.ts';

export const portalAccountHandlers = (tools: Tools) =>
  ({
    requestMagicLink: requestMagicLink(tools),
    verifyMagicLink: verifyMagicLink(tools),
    forgotPortalPassword: forgotPortalPassword(tools),
    resetPortalPassword: resetPortalPassword(tools),
    registerPartner: registerPartner(tools),
    confirmApplication: confirmApplication(tools),
    showPortalApplicationPage: showPortalApplicationPage(tools),
    showPortalInvitationPage: showPortalInvitationPage(tools),
    showPortalPasswordPage: showPortalPasswordPage(tools),
    showPortalSignInPage: showPortalSignInPage(tools),
  }) satisfies Handlers<typeof portalAccounts & typeof portalPages, Tx>;
