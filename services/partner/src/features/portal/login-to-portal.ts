import type { portal } from '@tandem/partner-contract';
import { verifyPassword } from '@tandem/passwords';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { openSession } from './open-session.ts';

export const loginToPortal =
  ({ peers, limiter }: Tools): Handler<typeof portal.loginToPortal> =>
  async ({ body, caller, inTenant }) => {
    const { email, password, tenant: tenantId } = body;
    const { environment, ip } = caller;

    const findUser = async () => {
      const found = await inTenant({ tenantId, environment }, async ({ tx }) => {
        const user = await tx.portalUser.findFirst({ where: { email } });
        const partner = user && (await tx.partner.findFirst({ where: { id: user.partnerId } }));
        return partner ? { user, partner } : undefined;
      });
      const isCorrect = await verifyPassword(found?.user.passwordHash ?? undefined, password);
      return found && isCorrect ? found : undefined;
    };

    // Failures are counted per tenant, because the same address is a separate account in each tenant.
    const found = await limiter.guard({ email: `portal ${tenantId} ${email}`, ip: ip ?? '' }, findUser);
    if (!found) throw fail('bad_credentials');
    // Somebody else may have chosen the password with the application.
    if (found.user.mustChoosePassword) throw fail('email_not_confirmed');
    const signedIn = await openSession({ peers }, { ...found, caller, inTenant });
    // The tenant is inactive, or the password was changed meanwhile: return the same error as for wrong credentials.
    if (!signedIn) throw fail('bad_credentials');
    return signedIn;
  };
